/// Checks UTF-8 without building a string.
@usableFromInline
package enum UTF8Validation {
  /// Whether the bytes are UTF-8.
  ///
  /// ASCII, the usual case, is checked eight bytes at a time; the last eight may overlap.
  @inlinable
  @inline(__always)
  package static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress, bytes.count >= 8 else { return isShortText(bytes) }
    let last = bytes.count - 8
    var bits: UInt64 = start.loadUnaligned(fromByteOffset: last, as: UInt64.self)
    var place = 0
    while place < last {
      bits |= start.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      place += 8
    }
    return bits & 0x8080_8080_8080_8080 == 0 || isShortText(bytes)
  }

  @usableFromInline
  static func isShortText(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.withMemoryRebound(to: UInt8.self) { firstError(in: $0) == nil }
  }

  /// The index of the first invalid byte, or nil if all bytes are valid.
  static func firstError(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    let memory = UnsafeRawBufferPointer(bytes)
    var index = 0
    while index < bytes.count {
      // Eight ASCII characters at a time.
      while bytes.count - index >= 8,
        memory.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
      {
        index += 8
      }
      guard index < bytes.count else { return nil }
      if bytes[index] < 0x80 {
        index += 1
        continue
      }
      guard let length = sequenceLength(in: bytes, at: index) else { return index }
      index += length
    }
    return nil
  }

  /// The length of the sequence of two to four bytes at `index`, or nil if it is invalid.
  private static func sequenceLength(in bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int? {
    let first = bytes[index]
    let length: Int
    // The range of the second byte excludes overlong forms, surrogates and scalars over U+10FFFF.
    let second: ClosedRange<UInt8>
    switch first {
    case 0xc2...0xdf: (length, second) = (2, 0x80...0xbf)
    case 0xe0: (length, second) = (3, 0xa0...0xbf)
    case 0xed: (length, second) = (3, 0x80...0x9f)
    case 0xe1...0xef: (length, second) = (3, 0x80...0xbf)
    case 0xf0: (length, second) = (4, 0x90...0xbf)
    case 0xf1...0xf3: (length, second) = (4, 0x80...0xbf)
    case 0xf4: (length, second) = (4, 0x80...0x8f)
    default: return nil
    }
    guard bytes.count - index >= length, second.contains(bytes[index + 1]) else { return nil }
    for place in 2..<max(2, length) where bytes[index + place] & 0xc0 != 0x80 { return nil }
    return length
  }
}

extension UTF8Validation {
  /// Whether the bytes do not end inside a sequence; the bytes before its first byte are valid.
  static func endsWithWholeScalar(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var first = bytes.count - 1
    while first > 0, bytes[first] & 0xc0 == 0x80 { first -= 1 }
    guard first >= 0, bytes[first] >= 0x80 else { return true }
    return sequenceLength(in: bytes, at: first) == bytes.count - first
  }
}
