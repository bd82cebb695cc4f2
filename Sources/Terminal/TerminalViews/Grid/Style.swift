/// A colour of text, as the terminal's user has chosen it.
public enum Color: Hashable, Sendable {
  /// The usual colour.
  case primary
  /// A less conspicuous colour.
  case secondary
  /// Red.
  case red
  /// Green.
  case green
  /// Yellow.
  case yellow
  /// Blue.
  case blue
  /// Magenta.
  case magenta
  /// Cyan.
  case cyan
}

/// How text looks.
public struct Style: Hashable, Sendable {
  /// The colour of the text.
  public var foreground: Color
  /// The colour behind it; nil for the terminal's own.
  public var background: Color?
  /// Whether it is bold.
  public var isBold: Bool
  /// Whether it is underlined.
  public var isUnderlined: Bool
  /// Whether both colours are exchanged.
  public var isReversed: Bool

  /// Creates a style.
  ///
  /// - Parameters:
  ///   - foreground: The colour of the text.
  ///   - background: The colour behind it; nil for the terminal's own.
  ///   - isBold: Whether it is bold.
  ///   - isUnderlined: Whether it is underlined.
  ///   - isReversed: Whether both colours are exchanged.
  public init(
    _ foreground: Color = .primary,
    background: Color? = nil,
    isBold: Bool = false,
    isUnderlined: Bool = false,
    isReversed: Bool = false,
  ) {
    self.foreground = foreground
    self.background = background
    self.isBold = isBold
    self.isUnderlined = isUnderlined
    self.isReversed = isReversed
  }

  /// Nothing special.
  public static let plain = Style()

  /// The style of text of one style within something of another.
  func within(_ outer: Style) -> Style {
    Style(
      foreground == .primary ? outer.foreground : foreground,
      background: background ?? outer.background,
      isBold: isBold || outer.isBold,
      isUnderlined: isUnderlined || outer.isUnderlined,
      isReversed: isReversed || outer.isReversed,
    )
  }
}
