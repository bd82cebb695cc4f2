/// A hashable value of any type that can be shared between tasks: `AnyHashable`, but Sendable.
public struct AnyHashableSendable: Hashable, Sendable {
  /// The value.
  public let base: any Hashable & Sendable

  /// Erases the type of a value; an erased one is not erased twice.
  public init(_ base: any Hashable & Sendable) {
    self.base = (base as? AnyHashableSendable)?.base ?? base
  }

  /// Erases the type of a value; an erased one is not erased twice.
  @_disfavoredOverload
  public init(_ base: some Hashable & Sendable) {
    self.init(base as any Hashable & Sendable)
  }

  /// Returns whether two values are equal, as `AnyHashable` defines equality.
  public static func == (lhs: AnyHashableSendable, rhs: AnyHashableSendable) -> Bool {
    AnyHashable(lhs.base) == AnyHashable(rhs.base)
  }

  /// Hashes the value.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(AnyHashable(base))
  }
}

extension AnyHashableSendable: _HasCustomAnyHashableRepresentation {
  /// Returns the value, so that its `AnyHashable` equals that of the bare value.
  public func _toCustomAnyHashable() -> AnyHashable? { AnyHashable(base) }
}

extension AnyHashableSendable: CustomStringConvertible, CustomDebugStringConvertible {
  /// The value's description.
  public var description: String { String(describing: base) }

  /// The value's debug description.
  public var debugDescription: String { "AnyHashableSendable(\(String(reflecting: base)))" }
}

extension AnyHashableSendable: CustomReflectable {
  /// The value's mirror.
  public var customMirror: Mirror { Mirror(self, children: ["value": base]) }
}

extension AnyHashableSendable: ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByStringLiteral
{
  /// Erases a boolean.
  public init(booleanLiteral value: Bool) { self.init(value) }

  /// Erases a number.
  public init(floatLiteral value: Double) { self.init(value) }

  /// Erases a whole number.
  public init(integerLiteral value: Int) { self.init(value) }

  /// Erases a text.
  public init(stringLiteral value: String) { self.init(value) }
}
