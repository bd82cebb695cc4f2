/// An id that effects are cancelled by, qualified by the feature that used it.
@usableFromInline
package final class CancelID: Sendable {
  private enum Kind: Hashable {
    /// An id that a feature chose. Two types' ids are never the same one, even where `AnyHashable`
    /// finds them equal.
    case chosen(ObjectIdentifier, AnyHashableSendable)
    /// Everything that a child has running.
    case child
  }

  let path: NavigationIDPath?
  private let kind: Kind

  /// An id that a feature chose, in the place of the feature that is being reduced.
  package init(_ id: some Hashable & Sendable) {
    path = NavigationIDPath.current
    kind = .chosen(ObjectIdentifier(type(of: id)), AnyHashableSendable(id))
  }

  /// The id of everything that a child has running.
  @usableFromInline
  init(child path: NavigationIDPath) {
    self.path = path
    kind = .child
  }

  /// The place that the child stands at, when this is a child's id.
  var childScope: NavigationIDPath.Scope? {
    kind == .child ? path?.scope : nil
  }
}

extension CancelID: Hashable {
  @usableFromInline
  package static func == (lhs: CancelID, rhs: CancelID) -> Bool {
    lhs === rhs || (lhs.kind == rhs.kind && lhs.path == rhs.path)
  }

  @usableFromInline
  package func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(path)
  }
}
