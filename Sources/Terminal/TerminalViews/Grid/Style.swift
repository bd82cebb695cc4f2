/// A colour of text.
///
/// The terminal's user chooses its exact shade.
public enum Color: Hashable, Sendable {
  /// The terminal's default colour.
  case primary
  /// A less conspicuous colour.
  case secondary
  /// The palette's red.
  case red
  /// The palette's green.
  case green
  /// The palette's yellow.
  case yellow
  /// The palette's blue.
  case blue
  /// The palette's magenta.
  case magenta
  /// The palette's cyan.
  case cyan
}

/// The colours and attributes of text.
public struct Style: Hashable, Sendable {
  /// The colour of the text.
  public var foreground: Color
  /// The background colour; nil for the terminal's own.
  public var background: Color?
  /// Whether the text is bold.
  public var isBold: Bool
  /// Whether the text is underlined.
  public var isUnderlined: Bool
  /// Whether the two colours are swapped.
  public var isReversed: Bool

  /// Creates a style.
  ///
  /// - Parameters:
  ///   - foreground: The colour of the text.
  ///   - background: The background colour; nil for the terminal's own.
  ///   - isBold: Whether the text is bold.
  ///   - isUnderlined: Whether the text is underlined.
  ///   - isReversed: Whether the two colours are swapped.
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

  /// The default colours without attributes.
  public static let plain = Style()

  /// Returns the style combined with an outer one, which supplies unset properties.
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
