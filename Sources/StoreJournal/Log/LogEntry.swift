import StoreBytes

/// A batch of records as the log has it: what it is about, then its bytes.
///
/// Numbers are little-endian, and an entry begins at a multiple of eight bytes. It says itself
/// whether it is as it was written, so that it is also recognized behind damage. Its checksum has
/// the segment's key, which nobody knows who has sent what is in the records: no action looks like
/// an entry.
enum LogEntry {
  enum Kind: UInt32 {
    case records = 1
    /// The daemon has ended behind all of it.
    case end = 2
    /// A copy ends here, of what a daemon had not ended.
    case copied = 3
  }

  /// What an entry begins with.
  struct Head: Hashable {
    static let bytes = 56
    static let magic: UInt32 = 0x7972_746e

    var kind: Kind
    /// How many bytes its records have.
    var count: Int
    var first: UInt64
    var last: UInt64
    /// No session had a number beyond this one.
    var sessionNumbers: UInt64
    /// The checksum of the entry before.
    var before: UInt64
    var sum: UInt64 = 0

    /// The bytes up to the next entry.
    var size: Int { (Self.bytes + count + 7) & ~7 }
  }

  /// The bytes of an entry, with its checksum.
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
      records.withUnsafeBytes { bytes[Head.bytes...].copyBytes(from: $0) }
      bytes[(Head.bytes + head.count)...].initializeMemory(as: UInt8.self, repeating: 0)
      head.sum = sum(UnsafeRawBufferPointer(bytes), head.count, key)
      bytes.storeBytes(of: head.sum.littleEndian, toByteOffset: Head.bytes - 8, as: UInt64.self)
      count = head.size
    }
  }

  /// The bytes of what says that all ends behind a revision.
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

  /// The checksum of an entry that begins with the bytes: of all but itself.
  static func sum(
    _ bytes: UnsafeRawBufferPointer,
    _ count: Int,
    _ key: UInt64,
  ) -> UInt64 {
    var hasher = SipHash24(key: key)
    hasher.append(UnsafeRawBufferPointer(rebasing: bytes[..<(Head.bytes - 8)]))
    hasher.append(UnsafeRawBufferPointer(rebasing: bytes[Head.bytes..<(Head.bytes + count)]))
    return hasher.finish()
  }
}
