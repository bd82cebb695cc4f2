import Foundation
import StoreActor
import StoreState

@testable import StoreJournal

/// A segment of format 3, as written by earlier releases.
struct EarlierSegment {
  var header: LogHeader
  private(set) var bytes: [UInt8]
  private var sum: UInt64

  /// Begins a segment.
  init(_ header: LogHeader) {
    self.header = header
    sum = header.before
    var encoder = CBOREncoder()
    encoder.arrayHeader(12)
    encoder.encode(text: header.root)
    for number in [
      header.epoch, header.term, header.first, header.before, header.total,
      header.wallMilliseconds, header.key,
    ] {
      encoder.encode(unsigned: number)
    }
    for text in [header.durability.rawValue, header.boot, header.file] {
      encoder.encode(text: text)
    }
    encoder.encode(bytes: header.schema)
    let fields = encoder.bytes
    bytes = LogHeader.magic + Array(repeating: 0, count: 8)
    bytes += LogHeader.littleEndian(3, 4) + LogHeader.littleEndian(fields.count, 4)
    bytes += LogHeader.littleEndian(LogHeader.sum(bytes[16..<24], fields[...]), 8) + fields
    bytes += Array(repeating: 0, count: -bytes.count & 7)
  }

  /// Appends an entry.
  mutating func append(_ revisions: ClosedRange<UInt64>, _ records: [UInt8]) {
    var head = LogEntry.Head(
      length: LogEntry.Head.earlierBytes,
      kind: .records,
      count: records.count,
      first: revisions.lowerBound,
      last: revisions.upperBound,
      sessionNumbers: 3,
      before: sum,
    )
    bytes += LogEntry.encode(&head, records, key: header.key)
    sum = head.sum
  }

  /// Replaces a segment's contents, in the same file.
  func write(to path: String) throws {
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: bytes)
    try handle.close()
  }
}
