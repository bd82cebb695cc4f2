public import StoreActor

extension AnyCasePath {
  /// The case path of a case, of which only the function is known that puts a value in:
  /// `AnyCasePath(unsafe: Action.counter)`, what `/Action.counter` stands for.
  public init(unsafe embed: @escaping (Value) -> Root) {
    self = /embed
  }

  /// The case path of a case: `AnyCasePath(Action.counter)`.
  public init(_ embed: @escaping (Value) -> Root) {
    self = /embed
  }

  /// The case path of a case: `.case(Action.counter)`.
  public static func `case`(_ embed: @escaping (Value) -> Root) -> Self {
    /embed
  }

  /// A case path that goes on, from this path's value, along another one.
  public func appending<Member>(
    path: AnyCasePath<Value, Member>
  ) -> AnyCasePath<Root, Member> {
    appending(path)
  }

  /// Whether a value is of the case, for `case /Action.counter:` in a switch.
  public static func ~= (path: AnyCasePath, root: Root) -> Bool {
    path.extract(from: root) != nil
  }
}

extension AnyCasePath where Value == Void {
  /// The case path of a case without a value: `AnyCasePath(unsafe: Action.onAppear)`.
  @_disfavoredOverload
  public init(unsafe root: Root) {
    self = /root
  }

  /// The case path of a case without a value: `AnyCasePath(Action.onAppear)`.
  @_disfavoredOverload
  public init(_ root: Root) {
    self = /root
  }

  /// The case path of a case without a value: `.case(Action.onAppear)`.
  @_disfavoredOverload
  public static func `case`(_ root: Root) -> Self {
    /root
  }
}

extension AnyCasePath where Root == Value {
  /// The path from a value of a type to itself: `AnyCasePath(Action.self)`.
  public init(_: Root.Type) {
    self.init()
  }
}

extension AnyCasePath where Root == Value? {
  /// The path from an optional to what it wraps.
  public static var some: Self { Self(embed: { $0 }, extract: { $0 }) }
}

extension AnyCasePath where Root == Void {
  /// The path from nothing to a value that is always there.
  public static func constant(_ value: @autoclosure @escaping @Sendable () -> Value) -> Self {
    Self(embed: { _ in }, extract: { value() })
  }
}

extension AnyCasePath where Value == Never {
  /// The path to a value that there never is.
  public static var never: Self {
    Self(embed: absurd, extract: { _ in nil })
  }
}

/// Anything, from a value that cannot be.
@Sendable
private func absurd<Root>(_: Never) -> Root {}

extension AnyCasePath where Value: RawRepresentable & SendableMetatype, Root == Value.RawValue {
  /// The path from a raw value to what it represents.
  public static var rawValue: Self {
    Self(embed: { $0.rawValue }, extract: { Value(rawValue: $0) })
  }
}

extension AnyCasePath where Value: LosslessStringConvertible & SendableMetatype, Root == String {
  /// The path from a description to what it describes.
  public static var description: Self {
    Self(embed: { $0.description }, extract: { Value($0) })
  }
}

precedencegroup CasePathCompositionPrecedence {
  associativity: left
}

infix operator .. : CasePathCompositionPrecedence

extension AnyCasePath {
  /// A case path that goes on along another one: `/Result.success .. /Answer.number`.
  public static func .. <Member>(
    path: AnyCasePath,
    next: AnyCasePath<Value, Member>,
  ) -> AnyCasePath<Root, Member> {
    path.appending(next)
  }

  /// A case path that goes on along a case: `/Result.success .. Answer.number`.
  public static func .. <Member>(
    path: AnyCasePath,
    next: @escaping (Member) -> Value,
  ) -> AnyCasePath<Root, Member> {
    path.appending(/next)
  }
}

/// A function that takes a value out of a case of what another function takes out:
/// `results.compactMap(/Result.success .. Optional.some)`.
public func .. <Root, Value, Member>(
  extract: @escaping (Root) -> Value?,
  next: @escaping (Member) -> Value,
) -> (Root) -> Member? {
  let path: AnyCasePath<Value, Member> = /next
  return { root in extract(root).flatMap { path.extract(from: $0) } }
}
