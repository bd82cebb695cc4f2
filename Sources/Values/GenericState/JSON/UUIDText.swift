import StoreState

/// UUIDs as 36 characters.
///
/// A join writes a thousand rows' UUIDs, so both directions avoid a text for each byte.
package enum UUIDText {
  private static let mark = UInt8(ascii: "-")

  /// Whether a hyphen precedes a byte.
  private static func isMarked(_ index: Int) -> Bool {
    switch index {
    case 4, 6, 8, 10: true
    default: false
    }
  }

  /// The text of 16 bytes, in upper case.
  package static func text(of bytes: some Collection<UInt8>) -> String {
    precondition(bytes.count == 16, "A UUID has 16 bytes, and not \(bytes.count)")
    return String(unsafeUninitializedCapacity: 36) { text in
      var position = 0
      func append(_ character: UInt8) {
        text[position] = character
        position += 1
      }
      for (index, byte) in bytes.enumerated() {
        if isMarked(index) { append(mark) }
        append(digit(byte >> 4))
        append(digit(byte & 15))
      }
      return position
    }
  }

  /// The 16 bytes of a text in any case; `nil` if it is not a UUID.
  package static func bytes(of text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { input in
      guard input.count == 36 else { return nil }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(16)
      var position = 0
      for index in 0..<16 {
        if isMarked(index) {
          guard input[position] == mark else { return nil }
          position += 1
        }
        guard let high = value(input[position]), let low = value(input[position + 1]) else {
          return nil
        }
        bytes.append(high << 4 | low)
        position += 2
      }
      return bytes
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
