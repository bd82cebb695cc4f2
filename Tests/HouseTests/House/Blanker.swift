/// Separates a Swift text into its code and its comments, each with the rest blanked by spaces.
///
/// Newlines stay, so a position has the same line in the text, the code and the comments. The
/// insides of string and regex literals are blank in both; the content of an interpolation is code.
struct Blanker {
  /// The kind of text at the current position.
  private enum Mode {
    /// Code; `parentheses` counts the open ones of an interpolation, nil outside of interpolations.
    case code(parentheses: Int?)
    /// A string literal with the number of `#` around it, on one line or several.
    case string(hashes: Int, isMultiline: Bool)
  }

  private let bytes: [UInt8]
  private var position = 0
  private var modes: [Mode] = [.code(parentheses: nil)]
  /// The last byte of code that is not a space, to distinguish `/` from a regex.
  private var previous: UInt8?
  private(set) var code: [UInt8]
  private(set) var comments: [UInt8]

  init(_ text: String) {
    bytes = Array(text.utf8)
    let blank = bytes.map { $0 == .newline ? UInt8.newline : .space }
    code = blank
    comments = blank
  }

  mutating func run() {
    while position < bytes.count {
      switch modes.last ?? .code(parentheses: nil) {
      case .code(let parentheses): stepInCode(parentheses)
      case .string(let hashes, let isMultiline): stepInString(hashes, isMultiline)
      }
    }
  }

  // MARK: Code

  private mutating func stepInCode(_ parentheses: Int?) {
    if starts("//") { return skipLineComment() }
    if starts("/*") { return skipBlockComment() }
    let hashes = count(of: .hash, from: position)
    switch byte(at: position + hashes) {
    case .quote: return openString(hashes)
    case .slash where hashes > 0 || mayStartRegex:
      if skipRegex(hashes) { return }
    default: break
    }
    if let parentheses {
      switch bytes[position] {
      case .openParenthesis:
        modes[modes.count - 1] = .code(parentheses: parentheses + 1)
      case .closeParenthesis where parentheses == 0:
        modes.removeLast()
      case .closeParenthesis:
        modes[modes.count - 1] = .code(parentheses: parentheses - 1)
      default: break
      }
    }
    keep(1)
  }

  private mutating func keep(_ count: Int) {
    for index in position..<min(position + count, bytes.count) {
      code[index] = bytes[index]
      if bytes[index] != .space, bytes[index] != .newline { previous = bytes[index] }
    }
    position += count
  }

  private mutating func skipLineComment() {
    while position < bytes.count, bytes[position] != .newline {
      comments[position] = bytes[position]
      position += 1
    }
  }

  private mutating func skipBlockComment() {
    var depth = 0
    repeat {
      let opens = starts("/*")
      let closes = starts("*/")
      depth += opens ? 1 : closes ? -1 : 0
      for _ in 0..<(opens || closes ? 2 : 1) where position < bytes.count {
        comments[position] = bytes[position]
        position += 1
      }
    } while depth > 0 && position < bytes.count
  }

  // MARK: Literals

  private mutating func openString(_ hashes: Int) {
    let isMultiline = starts("\"\"\"", at: position + hashes)
    keep(hashes + (isMultiline ? 3 : 1))
    modes.append(.string(hashes: hashes, isMultiline: isMultiline))
  }

  private mutating func stepInString(_ hashes: Int, _ isMultiline: Bool) {
    switch bytes[position] {
    case .backslash where count(of: .hash, from: position + 1) >= hashes:
      position += 1 + hashes
      if byte(at: position) == .openParenthesis {
        keep(1)
        modes.append(.code(parentheses: 0))
      } else if byte(at: position) != .newline {
        position += 1
      }
    case .quote where closes(hashes, isMultiline):
      keep((isMultiline ? 3 : 1) + hashes)
      modes.removeLast()
    case .newline where !isMultiline:
      // An unterminated literal on one line: not Swift, but the next line is code again.
      modes.removeLast()
    default: position += 1
    }
  }

  private func closes(_ hashes: Int, _ isMultiline: Bool) -> Bool {
    let quotes = isMultiline ? 3 : 1
    guard !isMultiline || starts("\"\"\"") else { return false }
    return count(of: .hash, from: position + quotes) >= hashes
  }

  /// A bare `/` begins a regex only if an expression may begin, and not before a space.
  private var mayStartRegex: Bool {
    guard let next = byte(at: position + 1), next != .space, next != .newline else { return false }
    guard let previous else { return true }
    return "(,=:[{".utf8.contains(previous)
  }

  /// Skips the regex literal that begins here, if its end is on the same line (or, with `#`,
  /// anywhere), and returns whether there was one.
  private mutating func skipRegex(_ hashes: Int) -> Bool {
    var end = position + hashes + 1
    while let byte = byte(at: end), hashes > 0 || byte != .newline {
      if byte == .slash, count(of: .hash, from: end + 1) >= hashes {
        previous = .slash
        position = end + 1 + hashes
        return true
      }
      end += byte == .backslash ? 2 : 1
    }
    return false
  }

  // MARK: Bytes

  private func byte(at index: Int) -> UInt8? {
    index < bytes.count ? bytes[index] : nil
  }

  private func count(of byte: UInt8, from start: Int) -> Int {
    var end = start
    while end < bytes.count, bytes[end] == byte { end += 1 }
    return end - start
  }

  private func starts(_ text: StaticString, at start: Int? = nil) -> Bool {
    let start = start ?? position
    guard start + text.utf8CodeUnitCount <= bytes.count else { return false }
    for offset in 0..<text.utf8CodeUnitCount where bytes[start + offset] != text.utf8Start[offset] {
      return false
    }
    return true
  }
}

extension UInt8 {
  static let newline = UInt8(ascii: "\n")
  static let space = UInt8(ascii: " ")
  static let hash = UInt8(ascii: "#")
  static let quote = UInt8(ascii: "\"")
  static let slash = UInt8(ascii: "/")
  static let backslash = UInt8(ascii: "\\")
  static let openParenthesis = UInt8(ascii: "(")
  static let closeParenthesis = UInt8(ascii: ")")

  /// Whether this byte can be part of an identifier (every byte beyond ASCII counts as one).
  var isWord: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 128...:
      true
    default: false
    }
  }
}
