public import CustomDump
public import Foundation

/// Text that a state holds: of an alert, of a button, of a label.
///
/// ```swift
/// let question = TextState("Delete \(count) items?")
/// let title = TextState("Delete ") + TextState(name).bold()
/// ```
///
/// It is plain text with a few styles, so that a feature describes its texts without a user
/// interface. A terminal shows the styles or omits them. Other processes receive only the
/// plain text.
public struct TextState: Hashable, Sendable {
  /// A piece of text in one style.
  public struct Run: Hashable, Sendable {
    /// The text.
    public var text: String

    /// Its style.
    public var style: Style
  }

  /// The style of a piece of text: any combination of a few styles.
  public struct Style: OptionSet, Hashable, Sendable {
    /// One bit for each style.
    public let rawValue: UInt8

    /// Creates a style from its bits.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Bold characters.
    public static let bold = Style(rawValue: 1 << 0)
    /// Italic characters.
    public static let italic = Style(rawValue: 1 << 1)
    /// With a line below it.
    public static let underline = Style(rawValue: 1 << 2)
    /// With a line through it.
    public static let strikethrough = Style(rawValue: 1 << 3)
    /// In a font whose characters are all of one width.
    public static let monospaced = Style(rawValue: 1 << 4)
  }

  /// The pieces; neighbours differ in their style.
  public private(set) var runs: [Run]

  /// Creates text verbatim.
  public init(verbatim content: String) {
    runs = content.isEmpty ? [] : [Run(text: content, style: [])]
  }

  /// Creates text verbatim.
  @_disfavoredOverload
  public init(_ content: some StringProtocol) {
    self.init(verbatim: String(content))
  }

  /// Creates text from a key of a table of translations.
  ///
  /// This platform has no such tables: the key is the text.
  ///
  /// - Parameters:
  ///   - key: The key, and the text.
  ///   - tableName: The table; not used.
  ///   - bundle: The bundle of the table; not used.
  ///   - comment: A note for translators; not used.
  public init(
    _ key: String,
    tableName: String? = nil,
    bundle: Bundle? = nil,
    comment: StaticString? = nil,
  ) {
    self.init(verbatim: key)
  }

  /// The text without its styles.
  public var plainText: String {
    runs.map(\.text).joined()
  }

  /// Concatenates two texts, each in its own style.
  public static func + (lhs: Self, rhs: Self) -> Self {
    var result = lhs
    for run in rhs.runs { result.append(run) }
    return result
  }

  private mutating func append(_ run: Run) {
    if let last = runs.last, last.style == run.style {
      runs[runs.count - 1].text += run.text
    } else {
      runs.append(run)
    }
  }

  private func adding(_ style: Style, _ isActive: Bool) -> Self {
    var result = TextState(verbatim: "")
    for var run in runs {
      if isActive { run.style.insert(style) } else { run.style.remove(style) }
      result.append(run)
    }
    return result
  }
}

extension TextState {
  /// The text in bold.
  public func bold() -> Self { adding(.bold, true) }

  /// The text in bold, or not.
  public func bold(isActive: Bool) -> Self { adding(.bold, isActive) }

  /// The text in italics.
  public func italic() -> Self { adding(.italic, true) }

  /// The text in italics, or not.
  public func italic(isActive: Bool) -> Self { adding(.italic, isActive) }

  /// The text with a line below it, or without.
  public func underline(_ isActive: Bool = true) -> Self { adding(.underline, isActive) }

  /// The text with a line through it, or without.
  public func strikethrough(_ isActive: Bool = true) -> Self { adding(.strikethrough, isActive) }

  /// The text in a font whose characters are all of one width, or not.
  public func monospaced(_ isActive: Bool = true) -> Self { adding(.monospaced, isActive) }
}

extension TextState: CustomStringConvertible {
  /// The text without its styles.
  public var description: String { plainText }
}

extension String {
  /// A text without its styles.
  public init(state: TextState) {
    self = state.plainText
  }

  /// A text without its styles.
  public init(state: TextState, locale _: Locale?) {
    self = state.plainText
  }
}

extension TextState: CustomDumpRepresentable {
  /// The text with its styles as marks: `Delete **all**?`.
  public var customDumpValue: Any {
    runs.map { $0.style.marks.reduce($0.text) { $1 + $0 + $1 } }.joined()
  }
}

extension TextState.Style {
  fileprivate var marks: [String] {
    let marks: [(style: Self, mark: String)] = [
      (.monospaced, "`"), (.underline, "__"), (.strikethrough, "~~"), (.italic, "*"),
      (.bold, "**"),
    ]
    return marks.filter { contains($0.style) }.map(\.mark)
  }
}

extension TextState.Style: Codable {}
extension TextState.Run: Codable {}

/// A text without styles is coded as a string, any other as its pieces.
extension TextState: Codable {
  /// Reads a string or pieces.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self.init(verbatim: text)
    } else {
      self.init(verbatim: "")
      for run in try container.decode([Run].self) { append(run) }
    }
  }

  /// Writes a string or pieces.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if runs.allSatisfy({ $0.style.isEmpty }) {
      try container.encode(plainText)
    } else {
      try container.encode(runs)
    }
  }
}
