/// Where in a tree of features an action is being reduced: one element for each child that has an
/// identity of its own (of `ifLet`, `ifCaseLet`, `forEach`), innermost first.
///
/// It qualifies cancellation ids, so that two rows of a list that use the same id do not cancel
/// each other's effects, and it is itself the id by which all effects of a child are cancelled when
/// the child goes.
package final class NavigationIDPath: Sendable {
  /// The path of the feature that is being reduced, or whose effect is running.
  @TaskLocal package static var current: NavigationIDPath?

  let scope: Scope
  let id: ChildID

  /// A place that children come and go at: an operator's key path in a parent.
  struct Scope: Hashable, Sendable {
    let parent: NavigationIDPath?
    // Sound: a key path cannot be changed, and it is only compared and hashed here.
    nonisolated(unsafe) let keyPath: AnyKeyPath
  }

  init(scope: Scope, id: ChildID) {
    self.scope = scope
    self.id = id
  }

  /// The path to a child of the feature that is being reduced.
  static func child(at keyPath: AnyKeyPath, id: ChildID) -> NavigationIDPath {
    NavigationIDPath(scope: Scope(parent: current, keyPath: keyPath), id: id)
  }
}

extension NavigationIDPath: Hashable {
  package static func == (lhs: NavigationIDPath, rhs: NavigationIDPath) -> Bool {
    lhs === rhs || (lhs.id == rhs.id && lhs.scope == rhs.scope)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(scope)
    hasher.combine(id)
  }
}

/// What tells one child at a place from the next one at the same place.
struct ChildID: Hashable, Sendable {
  // Sound: ids are values; a `Hashable` that could change under its hash would be broken anywhere.
  nonisolated(unsafe) private let base: AnyHashable

  init(_ id: some Hashable) {
    base = AnyHashable(id)
  }

  func `as`<ID>(_: ID.Type) -> ID? {
    base.base as? ID
  }
}

/// How children of one type are told apart; chosen once for a type, as asking a type is slow.
///
/// An `Identifiable` child is told by its id, an enum by its case; any other child has no identity
/// beyond being there.
struct ChildIdentity<Child> {
  let id: (Child) -> ChildID

  init() {
    if let type = Child.self as? any Identifiable.Type {
      id = Self.byID(type)
    } else if let type = Child.self as? any CasePathable.Type, let byCase = Self.byCase(type) {
      id = byCase
    } else {
      let only = ChildID(0)
      id = { _ in only }
    }
  }

  /// Tells children by their id alone: one that moves on to another case is still the same.
  init(byIDOnly _: Child.Type) {
    if let type = Child.self as? any Identifiable.Type {
      id = Self.byID(type)
    } else {
      let only = ChildID(0)
      id = { _ in only }
    }
  }

  private static func byID<I: Identifiable>(_: I.Type) -> (Child) -> ChildID {
    { child in ChildID((child as? I)?.id) }
  }

  private static func byCase<C: CasePathable>(_: C.Type) -> ((Child) -> ChildID)? {
    guard let paths = C.allCasePaths as? any CasePathReflectable<C> else { return nil }
    return { child in ChildID((child as? C).map { paths[$0] as AnyKeyPath }) }
  }
}
