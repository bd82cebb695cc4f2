import StoreHistory

/// The list of a copy's files, in the copy's file `followed`: one line for each file that does not
/// change any more.
///
/// It identifies the history, and proves the content of files that the source no longer has.
struct CopyList {
  /// The start of the first line; the number of the history and the root's name follow.
  private static let magic = "storeactor-copy 1"
  static let name = "followed"

  /// A file of the copy.
  struct File: Hashable {
    let name: String
    /// The checksum of the file, as ``CopyChecksum/text`` has it.
    var sum: String
    /// The newest revision that it contains.
    var last: UInt64
    /// The checksum of a segment's last entry; 0 for a snapshot.
    var entrySum: UInt64 = 0
    /// The time of its newest revision, in milliseconds since 1970; 0 if unknown.
    var wallMilliseconds: UInt64 = 0

    var bytes: Int { CopyChecksum.bytes(in: sum) }

    /// The segment; nil for a snapshot.
    var segment: LogSegment? { LogSegment(copyName: name) }

    /// The revision of a snapshot; nil for a segment.
    var snapshot: UInt64? { SnapshotFile.revision(copyName: name) }

    var line: String {
      "\(sum) \(last) \(String(entrySum, radix: 16)) \(wallMilliseconds) \(name)"
    }
  }

  var history: UInt64
  var root: String
  var files: [String: File] = [:]

  /// Returns whether a line is the first one of a list.
  static func isHeading(_ line: String) -> Bool { line.hasPrefix("\(magic) ") }

  init(history: UInt64, root: String) {
    self.history = history
    self.root = root
  }

  /// Parses a list; lines that are incomplete are skipped.
  ///
  /// - Returns: Nil if the first line is not that of a list.
  init?(lines: [String]) {
    let words = (lines.first ?? "").split(separator: " ", maxSplits: 3).map(String.init)
    guard words.count == 4, words[0...1].joined(separator: " ") == Self.magic,
      let history = UInt64(words[2], radix: 16)
    else { return nil }
    self.init(history: history, root: words[3])
    for line in lines.dropFirst() {
      let parts = line.split(separator: " ").map(String.init)
      guard parts.count == 6, let last = UInt64(parts[2]),
        let entrySum = UInt64(parts[3], radix: 16), let wall = UInt64(parts[4])
      else { continue }
      let file = File(
        name: parts[5],
        sum: "\(parts[0]) \(parts[1])",
        last: last,
        entrySum: entrySum,
        wallMilliseconds: wall,
      )
      files[file.name] = file
    }
  }

  var heading: String { "\(Self.magic) \(String(history, radix: 16)) \(root)" }

  var text: String {
    let ordered = files.values.sorted { ($0.last, $0.name) < ($1.last, $1.name) }
    return ([heading] + ordered.map(\.line)).joined(separator: "\n") + "\n"
  }
}

extension CopyList.File {
  /// Describes a segment.
  init(_ segment: LogSegment, _ part: SegmentPart, _ sum: CopyChecksum) {
    self.init(
      name: segment.copyName,
      sum: sum.text,
      last: part.last,
      entrySum: part.sum,
      wallMilliseconds: part.wallMilliseconds,
    )
  }
}

extension LogSegment {
  var copyName: String { "\(Self.folderName)/\(name)" }

  init?(copyName: String) {
    let prefix = "\(Self.folderName)/"
    guard copyName.hasPrefix(prefix) else { return nil }
    self.init(name: String(copyName.dropFirst(prefix.count)))
  }
}
