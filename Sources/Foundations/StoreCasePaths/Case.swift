/// What a ``CaseKeyPath`` is a key path of: one case of an enum, or an enum as a whole.
///
/// Every case of an enum is a member by dynamic lookup, so that `\User.Cases.home` and
/// `\.child.tapped` are ordinary key paths, checked by the compiler. What it has of its own begins
/// with `_$` where a case could be called so.
@dynamicMemberLookup
public struct Case<Value>: Sendable {
  /// The way here from the root; nil where the root itself is meant.
  private let link: (any CaseLink<Value>)?

  private init(link: (any CaseLink<Value>)?) {
    self.link = link
  }

  /// The root itself.
  public init() {
    self.init(link: nil)
  }

  /// One case of an enum, by its two functions.
  public init<Root>(
    embed: @escaping @Sendable (Value) -> Root,
    extract: @escaping @Sendable (Root) -> Value?,
  ) {
    self.init(link: AnyCasePath(embed: embed, extract: extract))
  }

  /// The case that a key path leads to.
  public init<Root>(_ keyPath: CaseKeyPath<Root, Value>) {
    self = Case<Root>()[keyPath: keyPath]
  }

  /// A member of this case's value, where that is an enum with case paths.
  public subscript<Member>(
    dynamicMember keyPath: any KeyPath<Value.AllCasePaths, AnyCasePath<Value, Member>> & Sendable
  ) -> Case<Member> where Value: CasePathable {
    _$appending(Value.allCasePaths[keyPath: keyPath])
  }

  /// A member of this case's value that is held as an optional, seen through to what it wraps.
  @_disfavoredOverload
  public subscript<Member>(
    dynamicMember keyPath: any KeyPath<Value.AllCasePaths, AnyCasePath<Value, Member?>> & Sendable
  ) -> Case<Member> where Value: CasePathable {
    _$appending(Value.allCasePaths[keyPath: keyPath])._$appending(Member?.allCasePaths.some)
  }

  /// Makes a root of a value; the result's type is the root that this case was reached from.
  public func _$embed(_ value: Value) -> Any {
    link?.embedAny(value) ?? value
  }

  /// Takes the value out of a root; nil when the root is of another case or another type.
  public func _$extract(from root: Any) -> Value? {
    guard let link else { return root as? Value }
    return link.extractAny(from: root)
  }

  package func _$appending<Member>(_ path: AnyCasePath<Value, Member>) -> Case<Member> {
    guard let link else { return Case<Member>(link: path) }
    return Case<Member>(link: link.linking(path))
  }

  /// The typed functions from the root to here, with no `Any` on the way.
  package func _$path<Root>(from root: Root.Type) -> AnyCasePath<Root, Value> {
    if let path = link as? AnyCasePath<Root, Value> { return path }
    if link == nil, let path = AnyCasePath<Value, Value>() as? AnyCasePath<Root, Value> {
      return path
    }
    preconditionFailure("A case of \(Value.self) was asked for a root that it lacks: \(root).")
  }
}

extension Case {
  /// The names of the cases along the way, `child.tapped`; nil when one of them is not known.
  package var _$name: String? {
    guard let link else { return "" }
    return link.name.text
  }
}

/// A way from some root to a value, without the root's type.
private protocol CaseLink<Value>: Sendable {
  associatedtype Value
  var name: CasePathName { get }
  func linking<Member>(_ path: AnyCasePath<Value, Member>) -> any CaseLink<Member>
  func embedAny(_ value: Value) -> Any
  func extractAny(from root: Any) -> Value?
}

extension AnyCasePath: CaseLink {
  fileprivate func linking<Member>(_ path: AnyCasePath<Value, Member>) -> any CaseLink<Member> {
    appending(path)
  }

  fileprivate func embedAny(_ value: Value) -> Any {
    embed(value)
  }

  fileprivate func extractAny(from root: Any) -> Value? {
    guard let root = root as? Root else { return nil }
    return extract(from: root)
  }
}

/// A case without the type of its value, as a ``PartialCaseKeyPath`` leads to it.
protocol PartialCase {
  var _$name: String? { get }
  func _$embedAny(_ value: Any) -> Any?
  func _$extractAny(from root: Any) -> Any?
}

extension Case: PartialCase {
  func _$embedAny(_ value: Any) -> Any? {
    guard let value = value as? Value else { return nil }
    return _$embed(value)
  }

  func _$extractAny(from root: Any) -> Any? {
    _$extract(from: root)
  }
}
