/// The root and the target of a ``CaseKeyPath``: one case of an enum, or the whole enum.
///
/// Every case of an enum is a member by dynamic lookup, so that `\User.Cases.home` and
/// `\.child.tapped` are ordinary key paths, checked by the compiler. Its own members begin with
/// `_$` if an enum's case could have the same name.
@dynamicMemberLookup
public struct Case<Value>: Sendable {
  /// The path from the root; nil for the root itself.
  private let link: (any CaseLink<Value>)?

  private init(link: (any CaseLink<Value>)?) {
    self.link = link
  }

  /// The root itself.
  public init() {
    self.init(link: nil)
  }

  /// Creates one case of an enum from its two functions.
  public init<Root>(
    embed: @escaping @Sendable (Value) -> Root,
    extract: @escaping @Sendable (Root) -> Value?,
  ) {
    self.init(link: AnyCasePath(embed: embed, extract: extract))
  }

  /// Creates the case that a key path leads to.
  public init<Root>(_ keyPath: CaseKeyPath<Root, Value>) {
    self = Case<Root>()[keyPath: keyPath]
  }

  /// A member of this case's value, if that is an enum with case paths.
  public subscript<Member>(
    dynamicMember keyPath: any KeyPath<Value.AllCasePaths, AnyCasePath<Value, Member>> & Sendable
  ) -> Case<Member> where Value: CasePathable {
    _$appending(Value.allCasePaths[keyPath: keyPath])
  }

  /// A member of this case's optional value, unwrapped.
  @_disfavoredOverload
  public subscript<Member>(
    dynamicMember keyPath: any KeyPath<Value.AllCasePaths, AnyCasePath<Value, Member?>> & Sendable
  ) -> Case<Member> where Value: CasePathable {
    _$appending(Value.allCasePaths[keyPath: keyPath])._$appending(Member?.allCasePaths.some)
  }

  /// Makes a root from a value; the result's type is the root from which this case was reached.
  public func _$embed(_ value: Value) -> Any {
    link?.embedAny(value) ?? value
  }

  /// Extracts the value from a root; nil if the root is of another case or another type.
  public func _$extract(from root: Any) -> Value? {
    guard let link else { return root as? Value }
    return link.extractAny(from: root)
  }

  package func _$appending<Member>(_ path: AnyCasePath<Value, Member>) -> Case<Member> {
    guard let link else { return Case<Member>(link: path) }
    return Case<Member>(link: link.linking(path))
  }

  /// Returns the typed functions from the root to this case, which do not use `Any`.
  package func _$path<Root>(from root: Root.Type) -> AnyCasePath<Root, Value> {
    if let path = link as? AnyCasePath<Root, Value> { return path }
    if link == nil, let path = AnyCasePath<Value, Value>() as? AnyCasePath<Root, Value> {
      return path
    }
    preconditionFailure("A case of \(Value.self) was asked for a root that it lacks: \(root).")
  }
}

extension Case {
  /// The names of the cases along the path, `child.tapped`; nil if one of them is unknown.
  package var _$name: String? {
    guard let link else { return "" }
    return link.name.text
  }
}

/// A path from some root to a value, without the root's type.
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

/// A case without the type of its value: the target of a ``PartialCaseKeyPath``.
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
