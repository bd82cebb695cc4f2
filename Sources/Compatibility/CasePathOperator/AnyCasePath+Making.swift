public import StoreActor

extension AnyCasePath {
  /// Creates the case path of a case from its embedding function alone: `AnyCasePath(unsafe:
  /// Action.counter)`, the equivalent of `/Action.counter`.
  public init(unsafe embed: @escaping (Value) -> Root) {
    self = /embed
  }

  /// Creates the case path of a case: `AnyCasePath(Action.counter)`.
  public init(_ embed: @escaping (Value) -> Root) {
    self = /embed
  }

  /// Returns the case path of a case: `.case(Action.counter)`.
  public static func `case`(_ embed: @escaping (Value) -> Root) -> Self {
    /embed
  }

  /// Returns this path extended by a path of its value.
  public func appending<Member>(
    path: AnyCasePath<Value, Member>
  ) -> AnyCasePath<Root, Member> {
    appending(path)
  }

  /// Returns whether a value is of the case, for `case /Action.counter:` in a switch.
  public static func ~= (path: AnyCasePath, root: Root) -> Bool {
    path.extract(from: root) != nil
  }
}

extension AnyCasePath where Value == Void {
  /// Creates the case path of a case without a value: `AnyCasePath(unsafe: Action.onAppear)`.
  @_disfavoredOverload
  public init(unsafe root: Root) {
    self = /root
  }

  /// Creates the case path of a case without a value: `AnyCasePath(Action.onAppear)`.
  @_disfavoredOverload
  public init(_ root: Root) {
    self = /root
  }

  /// Returns the case path of a case without a value: `.case(Action.onAppear)`.
  @_disfavoredOverload
  public static func `case`(_ root: Root) -> Self {
    /root
  }
}

extension AnyCasePath where Root == Value {
  /// Creates the path from a value of a type to itself: `AnyCasePath(Action.self)`.
  public init(_: Root.Type) {
    self.init()
  }
}

extension AnyCasePath where Root == Value? {
  /// The path from an optional to its wrapped value.
  public static var some: Self { Self(embed: { $0 }, extract: { $0 }) }
}

extension AnyCasePath where Root == Void {
  /// Returns the path from `Void` to a constant value, which is always present.
  public static func constant(_ value: @autoclosure @escaping @Sendable () -> Value) -> Self {
    Self(embed: { _ in }, extract: { value() })
  }
}

extension AnyCasePath where Value == Never {
  /// The path to a value that is always absent.
  public static var never: Self {
    Self(embed: absurd, extract: { _ in nil })
  }
}

/// Returns any type, given a value that cannot exist.
@Sendable
private func absurd<Root>(_: Never) -> Root {}

extension AnyCasePath where Value: RawRepresentable & SendableMetatype, Root == Value.RawValue {
  /// The path from a raw value to its value.
  public static var rawValue: Self {
    Self(embed: { $0.rawValue }, extract: { Value(rawValue: $0) })
  }
}

extension AnyCasePath where Value: LosslessStringConvertible & SendableMetatype, Root == String {
  /// The path from a description to its value.
  public static var description: Self {
    Self(embed: { $0.description }, extract: { Value($0) })
  }
}

precedencegroup CasePathCompositionPrecedence {
  associativity: left
}

infix operator .. : CasePathCompositionPrecedence

extension AnyCasePath {
  /// Returns a path extended by another one: `/Result.success .. /Answer.number`.
  public static func .. <Member>(
    path: AnyCasePath,
    next: AnyCasePath<Value, Member>,
  ) -> AnyCasePath<Root, Member> {
    path.appending(next)
  }

  /// Returns a path extended by a case: `/Result.success .. Answer.number`.
  public static func .. <Member>(
    path: AnyCasePath,
    next: @escaping (Member) -> Value,
  ) -> AnyCasePath<Root, Member> {
    path.appending(/next)
  }
}

/// Returns a function that extracts a case's value from another function's result:
/// `results.compactMap(/Result.success .. Optional.some)`.
public func .. <Root, Value, Member>(
  extract: @escaping (Root) -> Value?,
  next: @escaping (Member) -> Value,
) -> (Root) -> Member? {
  let path: AnyCasePath<Value, Member> = /next
  return { root in extract(root).flatMap { path.extract(from: $0) } }
}
