/// The bytes after the last whole entry of the newest segment, up to the last non-zero byte.
struct LogTail: Hashable {
  let place: Range<Int>
  /// The head at its start; nil if that is damaged.
  let head: LogEntry.Head?
  /// The number of bytes of the segment.
  let fileBytes: Int
  /// Whether it has a whole head that does not continue the log: bytes of another place.
  var isStray = false

  /// Whether it exceeds the one entry that was being written, so that acknowledged entries
  /// are missing.
  ///
  /// - Parameter circumstance: The way in which the writing program may have ended.
  /// - Returns: False for the remains of one interrupted entry.
  func isDamage(_ circumstance: LogCircumstance) -> Bool {
    switch circumstance {
    case .unknown: return false
    case _ where isStray: return true
    case .powerCut:
      // Every entry before the last one was synced. Without a known size every byte may belong to
      // the last entry, since no later head was found.
      guard let head else { return false }
      return place.upperBound > place.lowerBound + head.size
    case .killed:
      // An interrupted write leaves a prefix of the entry, up to the end of a sector.
      let sector = LogCircumstance.sectorBytes
      let end = (place.upperBound + sector - 1) / sector * sector
      let size = head?.size ?? LogEntry.Head.bytes
      return end >= place.lowerBound + size && place.lowerBound + size <= fileBytes
    }
  }
}

/// The way in which the program that wrote a segment may have ended, derived from the header.
enum LogCircumstance: Hashable {
  /// The machine has not restarted since, and this is the same file: every byte is as the program
  /// wrote it.
  case killed
  /// The machine restarted, and each entry was synced before the next one was written.
  case powerCut
  /// The file is a copy, possibly made during a write; or its entries were not promised to survive
  /// a crash of the machine; or its format does not record that.
  case unknown

  /// No write ends within this many bytes, except at the end of the file.
  static let sectorBytes = 512

  /// Compares the file at a path and this boot of the machine with the header.
  ///
  /// - Throws: ``JournalError`` if the file's identity cannot be read now.
  init(_ header: LogHeader, at path: String) throws(JournalError) {
    let isCopied = try header.file != LogFile.identity(of: path)
    self =
      if header.format == 3 || isCopied {
        .unknown
      } else if header.boot == JournalDirectory.boot() {
        .killed
      } else {
        header.durability == .full ? .powerCut : .unknown
      }
  }
}
