import StoreBytes
import StoreHistory

/// A batch of records in the log: a head, then the records.
///
/// Numbers are little-endian, and an entry begins at a multiple of eight bytes. Its checksum covers
/// head and records; the head also has its own checksum. Both use the segment's key, which no
/// client knows, so no client can send data that looks like an entry. The head alone therefore
/// identifies the start of an entry, whatever precedes it, and a search is linear.
enum LogEntry {
  enum Kind: UInt32 {
    case records = 1
    /// The daemon ended cleanly after all records.
    case end = 2
    /// The end of a copy whose daemon had not ended cleanly.
    case copied = 3
  }

  /// The beginning of an entry.
  struct Head: Hashable {
    static let bytes = 64
    /// The size in format 3, whose heads had no checksum of their own.
    static let earlierBytes = 56
    static let magic: UInt32 = 0x7972_746e

    /// The number of bytes of the head itself.
    var length = Self.bytes
    var kind: Kind
    /// The number of bytes of its records.
    var count: Int
    var first: UInt64
    var last: UInt64
    /// The greatest session number so far.
    var sessionNumbers: UInt64
    /// The checksum of the entry before.
    var before: UInt64
    var sum: UInt64 = 0

    /// The bytes up to the next entry.
    var size: Int { (length + count + 7) & ~7 }
  }

  /// The offset of an entry's checksum in its head; the head's checksum follows.
  private static let sumPlace = 48

  /// Encodes an entry, with its checksums.
  ///
  /// - Complexity: O(n), where n is the number of bytes.
  static func encode(_ head: inout Head, _ records: [UInt8], key: UInt64) -> [UInt8] {
    let fields = [
      UInt64(head.kind.rawValue) << 32 | UInt64(Head.magic), UInt64(head.count), head.first,
      head.last, head.sessionNumbers, head.before,
    ]
    return [UInt8](unsafeUninitializedCapacity: head.size) { buffer, count in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      for (place, field) in fields.enumerated() {
        bytes.storeBytes(of: field.littleEndian, toByteOffset: 8 * place, as: UInt64.self)
      }
      records.withUnsafeBytes { bytes[head.length...].copyBytes(from: $0) }
      bytes[(head.length + head.count)...].initializeMemory(as: UInt8.self, repeating: 0)
      head.sum = sum(UnsafeRawBufferPointer(bytes), head, key)
      bytes.storeBytes(of: head.sum.littleEndian, toByteOffset: sumPlace, as: UInt64.self)
      if head.length > Head.earlierBytes {
        let sum = headSum(UnsafeRawBufferPointer(bytes), key)
        bytes.storeBytes(of: sum.littleEndian, toByteOffset: Head.earlierBytes, as: UInt64.self)
      }
      count = head.size
    }
  }

  /// Encodes an entry that ends the log after a revision.
  static func end(
    _ kind: Kind = .end,
    behind last: UInt64,
    _ sum: UInt64,
    key: UInt64,
  ) -> [UInt8] {
    var head = Head(
      kind: kind,
      count: 0,
      first: last + 1,
      last: last,
      sessionNumbers: 0,
      before: sum,
    )
    return encode(&head, [], key: key)
  }

  /// Returns the checksum of the entry at the start of the bytes: over its head's numbers and
  /// its records.
  static func sum(
    _ bytes: UnsafeRawBufferPointer,
    _ head: Head,
    _ key: UInt64,
  ) -> UInt64 {
    var hasher = SipHash24(key: key)
    hasher.append(UnsafeRawBufferPointer(rebasing: bytes[..<sumPlace]))
    hasher.append(UnsafeRawBufferPointer(rebasing: bytes[head.length..<(head.length + head.count)]))
    return hasher.finish()
  }

  /// Returns the checksum of the head at the start of the bytes.
  private static func headSum(_ bytes: UnsafeRawBufferPointer, _ key: UInt64) -> UInt64 {
    var hasher = SipHash24(key: key)
    hasher.append(UnsafeRawBufferPointer(rebasing: bytes[..<Head.earlierBytes]))
    return hasher.finish()
  }

  /// Reads the head of an entry.
  ///
  /// - Parameters:
  ///   - bytes: All bytes up to the end of the segment.
  ///   - format: The segment's format. A head of format 3 may be anything that looks like one.
  ///   - key: The segment's key.
  /// - Returns: The head; nil if no entry begins with the bytes.
  static func head(
    _ bytes: UnsafeRawBufferPointer,
    format: Int,
    key: UInt64,
  ) -> Head? {
    let length = format == 3 ? Head.earlierBytes : Head.bytes
    guard length <= bytes.count else { return nil }
    func word(_ number: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * number, as: UInt64.self))
    }
    guard UInt32(truncatingIfNeeded: word(0)) == Head.magic,
      let kind = Kind(rawValue: UInt32(word(0) >> 32)),
      word(2) > 0, word(2) - 1 <= KeptHistory.greatestNumber, word(3) <= KeptHistory.greatestNumber,
      kind == .records
        ? word(3) >= word(2) && word(1) > 0 : word(3) == word(2) - 1 && word(1) == 0,
      format == 3
        ? word(1) <= UInt64(bytes.count - length)
        : word(1) <= UInt64(LoadedSegment.largest) && headSum(bytes, key) == word(7)
    else { return nil }
    return Head(
      length: length,
      kind: kind,
      count: Int(word(1)),
      first: word(2),
      last: word(3),
      sessionNumbers: word(4),
      before: word(5),
      sum: word(6),
    )
  }
}
