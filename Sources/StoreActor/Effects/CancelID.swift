/// An id that effects are cancelled by, qualified by the feature that used it.
@usableFromInline
package final class CancelID: Sendable {
  let path: NavigationIDPath?
  private let type: ObjectIdentifier
  private let id: ChildID
  private let isChild: Bool

  /// An id that a feature chose, in the place of the feature that is being reduced.
  package init(_ id: some Hashable & Sendable) {
    path = NavigationIDPath.current
    // Two types' ids are never the same one, even where `AnyHashable` finds them equal.
    type = ObjectIdentifier(Swift.type(of: id))
    self.id = ChildID(id)
    isChild = false
  }

  /// The id of everything that a child has running.
  init(child path: NavigationIDPath) {
    self.path = path
    type = ObjectIdentifier(CancelID.self)
    id = path.id
    isChild = true
  }

  /// The place that the child stands at, when this is a child's id.
  var childScope: NavigationIDPath.Scope? {
    isChild ? path?.scope : nil
  }
}

extension CancelID: Hashable {
  @usableFromInline
  package static func == (lhs: CancelID, rhs: CancelID) -> Bool {
    lhs === rhs
      || (lhs.type == rhs.type && lhs.id == rhs.id && lhs.path == rhs.path
        && lhs.isChild == rhs.isChild)
  }

  @usableFromInline
  package func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    hasher.combine(id)
    hasher.combine(path)
  }
}
