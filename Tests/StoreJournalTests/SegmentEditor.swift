import Foundation

@testable import StoreJournal

/// A segment's bytes, to be changed behind the journal's back.
struct SegmentEditor {
  private let path: String
  /// Written again where it was changed.
  var header: LogHeader
  var bytes: [UInt8]
  /// Where its entries are.
  let entries: [Range<Int>]

  init(_ path: String) throws {
    self.path = path
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    header = try LogHeader(bytes, path: path)
    self.bytes = bytes
    var (entries, place) = ([Range<Int>](), header.bytes)
    let length = header.format == 3 ? LogEntry.Head.earlierBytes : LogEntry.Head.bytes
    while place + length <= bytes.count, bytes[place] != 0 {
      let size = (length + Int(LogHeader.number(bytes[place + 8..<place + 16])) + 7) & ~7
      entries.append(place..<place + size)
      place += size
    }
    self.entries = entries
  }

  /// Changes it, and writes it in its place.
  func write(_ change: (inout SegmentEditor) throws -> Void = { _ in }) throws {
    var changed = self
    try change(&changed)
    if changed.header != header {
      var encoded = changed.header.encode()
      encoded += Array(repeating: 0, count: max(0, header.bytes - encoded.count))
      changed.bytes.replaceSubrange(..<header.bytes, with: encoded)
    }
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: changed.bytes)
    try handle.close()
  }

  /// Makes an entry what it was before it was written.
  mutating func wipe(entry: Int) {
    bytes.replaceSubrange(entries[entry], with: Array(repeating: 0, count: entries[entry].count))
  }

  /// Says that it has another format, as a program of that format would.
  mutating func set(format: UInt8) {
    bytes[16] = format
    let count = Int(LogHeader.number(bytes[20..<24]))
    let sum = LogHeader.sum(bytes[16..<24], bytes[32..<32 + count])
    bytes.replaceSubrange(24..<32, with: LogHeader.littleEndian(sum, 8))
  }

  /// The checksum that an entry follows.
  func before(entry: Int) -> UInt64 {
    LogHeader.number(bytes[entries[entry].lowerBound + 40..<entries[entry].lowerBound + 48])
  }

  /// The checksum of an entry.
  func sum(entry: Int) -> UInt64 {
    LogHeader.number(bytes[entries[entry].lowerBound + 48..<entries[entry].lowerBound + 56])
  }

  /// Puts another entry of the same size in the place of one.
  mutating func replace(entry: Int, with head: LogEntry.Head, _ records: [UInt8]) {
    var head = head
    bytes.replaceSubrange(entries[entry], with: LogEntry.encode(&head, records, key: header.key))
  }
}
