/// The bytes after the last whole entry of the newest segment, up to the last that is not zero.
struct LogTail: Hashable {
  let place: Range<Int>
  /// The head that it begins with; nil where that is not as it was written.
  let head: LogEntry.Head?
  /// The number of bytes of the segment.
  let fileBytes: Int

  /// Whether it is more than the one entry that was being written, so that acknowledged entries
  /// are missing.
  ///
  /// - Parameter circumstance: How the program that wrote it may have ended.
  /// - Returns: False for what such a program leaves of one entry.
  func isDamage(_ circumstance: LogCircumstance) -> Bool {
    switch circumstance {
    case .unknown: return false
    case .powerCut:
      // Every entry before the last one was synced. Without the size any byte may be the last
      // one's, since no later head was found.
      guard let head else { return false }
      return place.upperBound > place.lowerBound + head.size
    case .killed:
      // A write that was cut short has a beginning, up to the end of a sector, and nothing else.
      let sector = LogCircumstance.sectorBytes
      let end = (place.upperBound + sector - 1) / sector * sector
      let size = head?.size ?? LogEntry.Head.bytes
      return end >= place.lowerBound + size && place.lowerBound + size <= fileBytes
    }
  }
}

/// How the program that wrote a segment may have ended, as far as its header tells.
enum LogCircumstance: Hashable {
  /// The machine has not gone down since, and this is the very file: every byte is as the program
  /// wrote it.
  case killed
  /// The machine went down, and each entry was synced before the next one was written.
  case powerCut
  /// It is another file, which may have been copied while it was written; or its entries were not
  /// promised to survive the machine; or its format does not say.
  case unknown

  /// No write ends within as many bytes, unless the file ends there.
  static let sectorBytes = 512

  /// Looks which file is at a path, and which start of the machine this is.
  ///
  /// - Throws: ``JournalError``, where that file cannot be looked at now.
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
