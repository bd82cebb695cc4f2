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
///
/// `@CasePathable` writes them, with the names of their cases.
public struct AnyCasePath<Root, Value>:
  // Sound: both functions are `@Sendable`, or generated ones that capture nothing but types.
  @unchecked Sendable
{
  @usableFromInline let embedValue: (Value) -> Root
  @usableFromInline let extractValue: (Root) -> Value?
  package let name: CasePathName

  /// Creates a case path of its two functions.
  ///
  /// - Parameters:
  ///   - embed: Makes a root of a value. Must be the inverse of `extract`.
  ///   - extract: Takes the value out of a root; nil when the root is of another case.
  public init(
    embed: @escaping @Sendable (Value) -> Root,
    extract: @escaping @Sendable (Root) -> Value?,
  ) {
    self.init(name: .unknown, embed: embed, extract: extract)
  }

  /// Creates a case path that knows its case's name; for generated code.
  ///
  /// - Parameters:
  ///   - name: What the case is called in the source.
  ///   - embed: Makes a root of a value. Must be the inverse of `extract`, and capture nothing.
  ///   - extract: Takes the value out of a root; nil when the root is of another case. Must capture
  ///     nothing.
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

  /// Makes a root of a value.
  @inlinable
  public func embed(_ value: Value) -> Root {
    embedValue(value)
  }

  /// Takes the value out of a root, or returns nil when the root is of another case.
  @inlinable
  public func extract(from root: Root) -> Value? {
    extractValue(root)
  }

  /// A case path that goes on, from this path's value, along another one.
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
  /// The path's two types.
  public var debugDescription: String {
    "AnyCasePath<\(Root.self), \(Value.self)>"
  }
}
