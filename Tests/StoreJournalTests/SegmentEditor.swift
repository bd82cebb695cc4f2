import Foundation

@testable import StoreJournal

/// A segment's bytes, for changes without the journal's knowledge.
struct SegmentEditor {
  private let path: String
  /// Encoded again if it was changed.
  var header: LogHeader
  var bytes: [UInt8]
  /// The ranges of its entries.
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

  /// Applies a change, and writes the file in place.
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

  /// Replaces an entry with zeros, as before it was written.
  mutating func wipe(entry: Int) {
    bytes.replaceSubrange(entries[entry], with: Array(repeating: 0, count: entries[entry].count))
  }

  /// Sets another format, with the checksum that a program of that format would write.
  mutating func set(format: UInt8) {
    bytes[16] = format
    let count = Int(LogHeader.number(bytes[20..<24]))
    let sum = LogHeader.sum(bytes[16..<24], bytes[32..<32 + count])
    bytes.replaceSubrange(24..<32, with: LogHeader.littleEndian(sum, 8))
  }

  /// Returns the checksum that an entry has for the one before it.
  func before(entry: Int) -> UInt64 {
    LogHeader.number(bytes[entries[entry].lowerBound + 40..<entries[entry].lowerBound + 48])
  }

  /// Returns the checksum of an entry.
  func sum(entry: Int) -> UInt64 {
    LogHeader.number(bytes[entries[entry].lowerBound + 48..<entries[entry].lowerBound + 56])
  }

  /// Replaces an entry with another one of the same size.
  mutating func replace(entry: Int, with head: LogEntry.Head, _ records: [UInt8]) {
    var head = head
    bytes.replaceSubrange(entries[entry], with: LogEntry.encode(&head, records, key: header.key))
  }
}
