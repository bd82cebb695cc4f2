/// A pair of functions that embeds a value in one case of an enum, and extracts it again.
///
/// Each property of a type's `AllCasePaths` is one of these. Operators resolve a ``CaseKeyPath`` to
/// an `AnyCasePath` once, at their creation, and use that on their hot path.
///
/// ```swift
/// var tapped: AnyCasePath<Action, Int> {
///   AnyCasePath(
///     embed: { .tapped($0) },
///     extract: { if case .tapped(let count) = $0 { count } else { nil } }
///   )
/// }
/// ```
///
/// `@CasePathable` generates them, with the names of their cases.
public struct AnyCasePath<Root, Value>:
  // Sound: both functions are `@Sendable`, or generated ones that capture only types.
  @unchecked Sendable
{
  @usableFromInline let embedValue: (Value) -> Root
  @usableFromInline let extractValue: (Root) -> Value?
  package let name: CasePathName

  /// Creates a case path from its two functions.
  ///
  /// - Parameters:
  ///   - embed: Makes a root from a value. Must be the inverse of `extract`.
  ///   - extract: Extracts the value from a root; nil if the root is of another case.
  public init(
    embed: @escaping @Sendable (Value) -> Root,
    extract: @escaping @Sendable (Root) -> Value?,
  ) {
    self.init(name: .unknown, embed: embed, extract: extract)
  }

  /// Creates a case path that knows its case's name; for generated code.
  ///
  /// - Parameters:
  ///   - name: The name of the case in the source.
  ///   - embed: Makes a root from a value. Must be the inverse of `extract`, and capture no value.
  ///   - extract: Extracts the value from a root; nil if the root is of another case. Must capture
  ///     no value.
  public init(
    _$name name: String,
    embed: @escaping (Value) -> Root,
    extract: @escaping (Root) -> Value?,
  ) {
    embedValue = embed
    extractValue = extract
    self.name = .named(name)
  }

  package init(
    name: CasePathName,
    embed: @escaping @Sendable (Value) -> Root,
    extract: @escaping @Sendable (Root) -> Value?,
  ) {
    embedValue = embed
    extractValue = extract
    self.name = name
  }

  /// Resolves a case key path, once: using the result costs two closure calls and no key path.
  public init(_ keyPath: CaseKeyPath<Root, Value>) {
    self = Case(keyPath)._$path(from: Root.self)
  }

  /// Makes a root from a value.
  @inlinable
  public func embed(_ value: Value) -> Root {
    embedValue(value)
  }

  /// Extracts the value from a root, or returns nil if the root is of another case.
  @inlinable
  public func extract(from root: Root) -> Value? {
    extractValue(root)
  }

  /// Returns a case path that continues from this path's value along another one.
  public func appending<Member>(_ path: AnyCasePath<Value, Member>) -> AnyCasePath<Root, Member> {
    AnyCasePath<Root, Member>(
      name: name.appending(path.name),
      embed: { embed(path.embed($0)) },
      extract: { root in
        guard let value = extract(from: root) else { return nil }
        return path.extract(from: value)
      },
    )
  }
}

extension AnyCasePath where Root == Value {
  /// The path from a value to itself.
  public init() {
    self.init(name: .root, embed: { $0 }, extract: { $0 })
  }
}

extension AnyCasePath where Value == Void {
  /// Makes a root of a case without a value.
  @inlinable
  public func embed() -> Root {
    embed(())
  }
}

extension AnyCasePath: CustomDebugStringConvertible {
  /// The names of the path's two types.
  public var debugDescription: String {
    "AnyCasePath<\(Root.self), \(Value.self)>"
  }
}
