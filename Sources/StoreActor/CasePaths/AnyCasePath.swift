/// A pair of functions that puts a value into one case of an enum, and takes it out again.
///
/// Each property of a type's `AllCasePaths` is one of these. Operators resolve a ``CaseKeyPath``
/// to an `AnyCasePath` once, when they are made, and use that on their hot path.
///
/// ```swift
/// var tapped: AnyCasePath<Action, Int> {
///   AnyCasePath(
///     embed: { .tapped($0) },
///     extract: { if case .tapped(let count) = $0 { count } else { nil } }
///   )
/// }
/// ```
public struct AnyCasePath<Root, Value>: Sendable {
  private let embedValue: @Sendable (Value) -> Root
  private let extractValue: @Sendable (Root) -> Value?

  /// Creates a case path of its two functions.
  ///
  /// - Parameters:
  ///   - embed: Makes a root of a value. Must be the inverse of `extract`.
  ///   - extract: Takes the value out of a root; nil when the root is of another case.
  public init(
    embed: @escaping @Sendable (Value) -> Root,
    extract: @escaping @Sendable (Root) -> Value?,
  ) {
    embedValue = embed
    extractValue = extract
  }

  /// Resolves a case key path, once: using the result costs two closure calls and no key path.
  public init(_ keyPath: CaseKeyPath<Root, Value>) {
    self = Case(keyPath).path(from: Root.self)
  }

  /// Makes a root of a value.
  public func embed(_ value: Value) -> Root {
    embedValue(value)
  }

  /// Takes the value out of a root, or returns nil when the root is of another case.
  public func extract(from root: Root) -> Value? {
    extractValue(root)
  }

  /// A case path that goes on, from this path's value, along another one.
  public func appending<Member>(_ path: AnyCasePath<Value, Member>) -> AnyCasePath<Root, Member> {
    AnyCasePath<Root, Member>(
      embed: { [embedValue] in embedValue(path.embedValue($0)) },
      extract: { [extractValue] root in
        guard let value = extractValue(root) else { return nil }
        return path.extractValue(value)
      },
    )
  }
}

extension AnyCasePath where Root == Value {
  /// The path from a value to itself.
  public init() {
    self.init(embed: { $0 }, extract: { $0 })
  }
}

extension AnyCasePath where Value == Void {
  /// Makes a root of a case without a value.
  public func embed() -> Root {
    embed(())
  }
}

extension AnyCasePath: CustomDebugStringConvertible {
  /// The path's two types.
  public var debugDescription: String {
    "AnyCasePath<\(Root.self), \(Value.self)>"
  }
}
