/// A static string that can be a subscript's argument inside a key path.
public struct _HashableStaticString: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The string.
  public let rawValue: StaticString

  /// Creates it from a literal, such as `#fileID`.
  public init(stringLiteral value: StaticString) {
    rawValue = value
  }

  /// Whether both have the same characters.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.rawValue.description == rhs.rawValue.description
  }

  /// Feeds the characters to a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rawValue.description)
  }
}
