import StoreState

/// UUIDs as 36 characters.
enum UUIDText {
  private static let marks: Set<Int> = [4, 6, 8, 10]

  /// The text of 16 bytes, in upper case.
  static func text(of bytes: [UInt8]) -> String {
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if marks.contains(index) { text += "-" }
      text += byte < 0x10 ? "0" : ""
      text += String(byte, radix: 16, uppercase: true)
    }
    return text
  }

  /// The 16 bytes of a text in any case; `nil` when it is no UUID.
  static func bytes(of text: String) -> [UInt8]? {
    let input = Array(text.utf8)
    guard input.count == 36 else { return nil }
    var bytes: [UInt8] = []
    var position = 0
    while position < 36 {
      if marks.contains(bytes.count), position > 0, input[position] == UInt8(ascii: "-") {
        position += 1
      }
      guard position + 1 < 36, let high = digit(input[position]),
        let low = digit(input[position + 1])
      else { return nil }
      bytes.append(high << 4 | low)
      position += 2
    }
    return bytes.count == 16 ? bytes : nil
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
  }
}
