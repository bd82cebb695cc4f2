/// Keys in their readable form.
package enum KeyText {
  /// The number of bytes of a key.
  package static let keyBytes = 32
  /// The most bytes that a key's name has.
  private static let nameBytes = 64

  /// A key's 64 hexadecimal digits.
  package static func text(_ key: [UInt8]) -> String {
    key.map { byte in byte < 16 ? "0\(String(byte, radix: 16))" : String(byte, radix: 16) }
      .joined()
  }

  /// The key of 64 hexadecimal digits; nil for any other text.
  package static func key(_ text: some StringProtocol) -> [UInt8]? {
    let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count == 2 * keyBytes else { return nil }
    var key: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[place], let low = digits[place + 1] else { return nil }
      key.append(UInt8(high << 4 | low))
    }
    return key
  }

  /// Whether a key can have a name: letters, digits, and between them `-`, `_` and `.`.
  package static func isName(_ name: some StringProtocol) -> Bool {
    func isWord(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: false
      }
    }
    guard let first = name.utf8.first, isWord(first), name.utf8.count <= nameBytes else {
      return false
    }
    return name.utf8.allSatisfy { isWord($0) || "-_.".utf8.contains($0) }
  }

  /// The error text for a name that no key can have.
  package static func problem(withName name: String) -> String? {
    isName(name)
      ? nil
      : "\"\(name)\" is no name for a key. Use up to \(nameBytes) letters, digits, \"-\", \"_\" "
        + "and \".\", of which the first is a letter or a digit."
  }
}

/// The ticket that admitted a connection: it only serves to submit a key.
package struct KeyTicket: Hashable, Sendable {
  private static let prefix = "ticket:"

  /// The ticket's public key.
  package let key: [UInt8]

  /// The ticket with a public key.
  package init(key: [UInt8]) { self.key = key }

  /// The ticket that ``identity`` names; nil for any other word.
  package init?(word: String) {
    guard word.hasPrefix(Self.prefix), let key = KeyText.key(word.dropFirst(Self.prefix.count))
    else { return nil }
    self.key = key
  }

  /// The ticket's identity: no key has such a name, so no grant applies to it.
  package var identity: String { Self.prefix + KeyText.text(key) }
}
