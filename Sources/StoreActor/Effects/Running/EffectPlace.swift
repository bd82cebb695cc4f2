/// A position in a root's tree of features, for a reduced action or a running effect: the path
/// of navigation.
///
/// It has one element for each child with an identity (of `ifLet`, `ifCaseLet`, `forEach`), no
/// element for a `Scope`, and ends at the root's ``EffectRegistry``. Work is found by its ids at
/// its place and at each place around it. Work ends when the child at its place, or at a place
/// around it, is removed.
///
/// Each action of a child creates a place, so creation must be cheap. Costly steps happen only
/// for effects.
// Sound: `site` is guarded by the registry's mutex, `dismissal` belongs to the main actor, and the
// id of a `ChildPlace` changes before the place is shared. All else is constant.
@usableFromInline
package class EffectPlace: @unchecked Sendable {
  /// The place of the current reducer or effect; outside of any store, a root of the process.
  @TaskLocal package static var current: EffectPlace = EffectRegistry()

  /// The place around this one; nil for a root.
  let parent: EffectPlace?
  /// The path of the child in its parent; nil for a root.
  let path: ChildrenPath?
  let isPresented: Bool
  /// The site that the last lookup found.
  var site: EffectSite?
  /// Sends the action that ends the presentation, on behalf of the action of this place.
  @MainActor var dismissal: (@MainActor () -> Void)?

  init(parent: EffectPlace?, path: ChildrenPath?, isPresented: Bool) {
    self.parent = parent
    self.path = path
    self.isPresented = isPresented
  }

  /// The root of this place.
  var registry: EffectRegistry {
    guard let parent else { preconditionFailure("A place without a parent that is no root.") }
    return parent.registry
  }

  /// Distinguishes a child from others that its parent has, or had, at the same path.
  var id: AnyHashable {
    preconditionFailure("A place without an id: every place but a root is a ChildPlace.")
  }

  /// The number of children with an identity from the root to this place.
  final var depth: Int { parent.map { $0.depth + 1 } ?? 0 }

  /// The nearest presented feature, from this place outwards.
  final var nearestPresented: EffectPlace? {
    isPresented ? self : parent?.nearestPresented
  }

  /// Runs an operation as a part of the child.
  @usableFromInline
  final func run(_ operation: () -> Void) {
    EffectPlace.$current.withValue(self) { operation() }
  }

  /// Whether this place and another one are the same.
  final func isSame(as other: EffectPlace) -> Bool {
    if self === other { return true }
    guard let parent, let otherParent = other.parent else { return false }
    return path == other.path && id == other.id && parent.isSame(as: otherParent)
  }
}

/// The place of a child.
// Sound: see above; ids are values: a `Hashable` whose hash changes is an error in any use.
@usableFromInline
final class ChildPlace<ID: Hashable>: EffectPlace, @unchecked Sendable {
  private var childID: ID

  /// The place of a child of the feature that is being reduced.
  @usableFromInline
  init(at path: ChildrenPath, id: ID) {
    childID = id
    super.init(parent: .current, path: path, isPresented: false)
  }

  /// The place of a child that the feature that is being reduced presents.
  init(presentedAt path: ChildrenPath, id: ID) {
    childID = id
    super.init(parent: .current, path: path, isPresented: true)
  }

  override var id: AnyHashable { AnyHashable(childID) }

  /// Called when the child has changed its own identity.
  ///
  /// It remains the same child.
  @usableFromInline
  func follow(_ id: ID) {
    if id == childID { return }
    registry.move(self, to: AnyHashable(id))
    childID = id
  }

  /// Called when the child has replaced itself.
  ///
  /// The running work belongs to the new child.
  func become(_ id: ID) {
    childID = id
  }
}

// MARK: - Dismissal

extension EffectPlace {
  /// Ends the presentation, unless it has ended already.
  ///
  /// The presentation decides, not its effects: these may have been cancelled while the feature is
  /// still presented.
  @MainActor
  func dismiss(at location: IssueLocation) {
    guard let site = registry.site(of: self), let dismissal else {
      return reportNoEffect(at: location)
    }
    if !registry.isOver(site) { dismissal() }
  }

  private func reportNoEffect(at location: IssueLocation) {
    location.report(
      """
      A feature wanted to be dismissed at "\(location.fileID):\(location.line)", but none of the \
      effects of the action that led there was running.

      "dismiss" was kept by something that outlives the effect, or called in a reducer.

      To fix, call it inside of an "Effect.run" that the presented feature returned, before the \
      effect ends.
      """
    )
  }
}
