/// Where in a tree of features an action is being reduced: one element for each child that has an
/// identity of its own (of `ifLet`, `ifCaseLet`, `forEach`), innermost first.
///
/// It qualifies cancellation ids, so that two rows of a list that use the same id do not cancel
/// each other's effects, and it is itself the id by which all effects of a child are cancelled when
/// the child goes.
///
/// One is made for each action of a child, so making one has to be cheap; comparing and hashing is
/// only done where there are effects.
// Sound: there are only constants, here and in the one subclass; what can be inherited from is not
// checked.
@usableFromInline
package class NavigationIDPath: @unchecked Sendable {
  /// The path of the feature that is being reduced, or whose effect is running.
  package static var current: NavigationIDPath? { EffectScope.current.path }

  let scope: Scope

  /// How effects of the child end its presentation; nil for a child that is not presented.
  let dismissal: DismissRoute?

  /// The nearest feature from here outwards that is presented.
  var nearestPresented: NavigationIDPath? {
    var path: NavigationIDPath? = self
    while let here = path, here.dismissal == nil { path = here.scope.parent }
    return path
  }

  /// A place that children come and go at: an operator's key path in a parent.
  struct Scope: Hashable, Sendable {
    let parent: NavigationIDPath?
    // Sound: a key path cannot be changed, and it is only compared and hashed here.
    nonisolated(unsafe) let keyPath: AnyKeyPath

    /// A place in the feature that is being reduced.
    init(_ keyPath: AnyKeyPath) {
      parent = NavigationIDPath.current
      self.keyPath = keyPath
    }
  }

  fileprivate init(scope: Scope, dismissal: DismissRoute?) {
    self.scope = scope
    self.dismissal = dismissal
  }

  fileprivate func hasSameID(as _: NavigationIDPath) -> Bool {
    preconditionFailure("A path without an id: every path is a ChildPath.")
  }

  fileprivate func hashID(into _: inout Hasher) {
    preconditionFailure("A path without an id: every path is a ChildPath.")
  }

  /// Runs an operation as a part of the child.
  @usableFromInline
  final func run(_ operation: () -> Void) {
    let scope = EffectScope(registry: EffectScope.current.registry, path: self)
    EffectScope.$current.withValue(scope) { operation() }
  }
}

/// The path of a child with an id.
// Sound: ids are values; a `Hashable` that could change under its hash would be broken anywhere.
@usableFromInline
final class ChildPath<ID: Hashable>: NavigationIDPath, @unchecked Sendable {
  let id: ID

  /// The path to a child of the feature that is being reduced.
  @usableFromInline
  init(at keyPath: AnyKeyPath, id: ID) {
    self.id = id
    super.init(scope: Scope(keyPath), dismissal: nil)
  }

  /// The path to a child of the feature that is being reduced, which presents it.
  init(presentedAt keyPath: AnyKeyPath, id: ID) {
    self.id = id
    super.init(scope: Scope(keyPath), dismissal: DismissRoute())
  }

  override fileprivate func hasSameID(as other: NavigationIDPath) -> Bool {
    (other as? ChildPath<ID>)?.id == id
  }

  override fileprivate func hashID(into hasher: inout Hasher) {
    hasher.combine(id)
  }
}

extension NavigationIDPath: Hashable {
  @usableFromInline
  package static func == (lhs: NavigationIDPath, rhs: NavigationIDPath) -> Bool {
    lhs === rhs || (lhs.hasSameID(as: rhs) && lhs.scope == rhs.scope)
  }

  @usableFromInline
  package final func hash(into hasher: inout Hasher) {
    hasher.combine(scope)
    hashID(into: &hasher)
  }
}
