/// The checksum that the command `cksum` of POSIX prints: any machine computes it without this
/// project's programs.
///
/// Source: IEEE Std 1003.1, `cksum`: the polynomial 0x04C11DB7, the highest bit first, followed by
/// the number of bytes. It finds faults of a transfer or a disk, and no intended change.
struct CopyChecksum: Hashable {
  /// Tables for eight bytes at a time: the remainder of a byte that is followed by 0 to 7 others.
  private static let tables: [[UInt32]] = {
    var first = [UInt32](repeating: 0, count: 256)
    for byte in 0..<256 {
      var rest = UInt32(byte) << 24
      for _ in 0..<8 { rest = rest & 0x8000_0000 == 0 ? rest << 1 : rest << 1 ^ 0x04C1_1DB7 }
      first[byte] = rest
    }
    var tables = [first]
    for _ in 1..<8 {
      tables.append(tables[tables.count - 1].map { $0 << 8 ^ first[Int($0 >> 24)] })
    }
    return tables
  }()

  private var rest: UInt32 = 0
  /// The number of bytes.
  private(set) var count = 0

  init() {}

  /// Computes the checksum of bytes.
  init(_ bytes: ArraySlice<UInt8>) { append(bytes) }

  /// Adds bytes.
  ///
  /// - Complexity: O(n), where n is the number of bytes.
  mutating func append(_ bytes: ArraySlice<UInt8>) {
    count += bytes.count
    rest = bytes.withUnsafeBytes { bytes in
      let whole = bytes.count & ~7
      let rest = Self.eights(UnsafeRawBufferPointer(rebasing: bytes[..<whole]), rest)
      return bytes[whole...].reduce(rest, Self.step)
    }
  }

  private static func step(_ rest: UInt32, _ byte: UInt8) -> UInt32 {
    rest << 8 ^ tables[0][Int(UInt8(rest >> 24) ^ byte)]
  }

  private static func eights(_ bytes: UnsafeRawBufferPointer, _ start: UInt32) -> UInt32 {
    var rest = start
    let all = tables
    for place in stride(from: 0, to: bytes.count, by: 8) {
      let word = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      let both = word ^ UInt64(rest) << 32
      rest = 0
      for number in 0..<8 {
        rest ^= all[number][Int(truncatingIfNeeded: both >> (8 * UInt64(number)) & 0xFF)]
      }
    }
    return rest
  }

  /// The checksum and the number of bytes, as `cksum` prints them.
  var text: String {
    var (all, left) = (rest, count)
    while left > 0 {
      all = Self.step(all, UInt8(left & 0xFF))
      left >>= 8
    }
    return "\(~all) \(count)"
  }

  /// The number of bytes in such a text.
  static func bytes(in text: String) -> Int {
    text.split(separator: " ").last.flatMap { Int($0) } ?? 0
  }
}
