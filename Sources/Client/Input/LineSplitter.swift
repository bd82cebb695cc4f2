/// Splits bytes into lines, with a limit: an endless line does not fill the memory.
struct LineSplitter {
  enum Line: Hashable, Sendable {
    case text(String)
    /// A line that is not UTF-8.
    case notText
    /// A line of more bytes than the limit.
    case tooLong(limit: Int)
  }

  private let limit: Int
  /// The bytes that were read; those before `start` are consumed.
  private var bytes: [UInt8] = []
  private var start = 0
  /// The index up to which no line ends.
  private var scanned = 0
  private var isSkipping = false
  private var isFirst = true

  /// The byte-order mark with which some programs begin a file in UTF-8.
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  init(limit: Int) {
    precondition(limit > 0, "A line has room for at least 1 byte, not \(limit)")
    self.limit = limit
  }

  /// The number of retained bytes.
  var byteCount: Int { bytes.count }

  mutating func append(_ more: some Sequence<UInt8>) {
    bytes.removeFirst(start)
    scanned -= start
    start = 0
    bytes.append(contentsOf: more)
  }

  /// Returns the next whole line, without its terminator; nil while the line is incomplete.
  mutating func next() -> Line? {
    while scanned < bytes.count {
      guard bytes[scanned] == 0x0A else {
        scanned += 1
        continue
      }
      defer {
        scanned += 1
        start = scanned
        isSkipping = false
      }
      return line(bytes[start..<scanned])
    }
    if scanned - start > limit {
      isSkipping = true
      start = scanned
    }
    return nil
  }

  /// Returns the rest after the last line end, at the end of the input; nil if it is empty.
  mutating func last() -> Line? {
    defer {
      start = bytes.count
      scanned = start
      isSkipping = false
    }
    return start < bytes.count || isSkipping ? line(bytes[start...]) : nil
  }

  private mutating func line(_ line: ArraySlice<UInt8>) -> Line {
    defer { isFirst = false }
    guard !isSkipping, line.count <= limit else { return .tooLong(limit: limit) }
    var text = line.last == 0x0D ? line.dropLast() : line
    if isFirst, text.starts(with: Self.mark) { text = text.dropFirst(Self.mark.count) }
    return String(validating: text, as: UTF8.self).map(Line.text) ?? .notText
  }
}
