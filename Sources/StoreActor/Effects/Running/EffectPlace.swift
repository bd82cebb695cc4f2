/// Where in a root's tree of features an action is being reduced, or an effect runs: the path of
/// navigation.
///
/// It has one element for each child with an identity of its own (of `ifLet`, `ifCaseLet`,
/// `forEach`), none for a `Scope`, and ends at the root's ``EffectRegistry``. Work is found by its
/// ids at its place and at each place around that, and it ends when a child goes at whose place or
/// below whose place it runs.
///
/// One is made for each action of a child, so making one has to be cheap; what costs is done where
/// there are effects.
// Sound: `site` is guarded by the registry's mutex, `dismissal` belongs to the main actor, and the
// id of a `ChildPlace` changes before anybody else knows of the place. All else is constant.
@usableFromInline
package class EffectPlace: @unchecked Sendable {
  /// The place of the reducer, or of the effect, that asks; outside of any store a root of the
  /// process.
  @TaskLocal package static var current: EffectPlace = EffectRegistry()

  /// The place around this one; nil for a root.
  let parent: EffectPlace?
  /// Where the parent has the child; nil for a root.
  let path: ChildrenPath?
  let isPresented: Bool
  /// What was last found to run here.
  var site: EffectSite?
  /// Sends the action that ends the presentation, on behalf of the action that this place is of.
  @MainActor var dismissal: (@MainActor () -> Void)?

  init(parent: EffectPlace?, path: ChildrenPath?, isPresented: Bool) {
    self.parent = parent
    self.path = path
    self.isPresented = isPresented
  }

  /// The root that this is a place of.
  var registry: EffectRegistry {
    guard let parent else { preconditionFailure("A place without a parent that is no root.") }
    return parent.registry
  }

  /// What tells a child from others that its parent has, or had, at the same path.
  var id: AnyHashable {
    preconditionFailure("A place without an id: every place but a root is a ChildPlace.")
  }

  /// The nearest feature from here outwards that is presented.
  final var nearestPresented: EffectPlace? {
    isPresented ? self : parent?.nearestPresented
  }

  /// Runs an operation as a part of the child.
  @usableFromInline
  final func run(_ operation: () -> Void) {
    EffectPlace.$current.withValue(self) { operation() }
  }

  /// Whether this and another one are the same place.
  final func isSame(as other: EffectPlace) -> Bool {
    if self === other { return true }
    guard let parent, let otherParent = other.parent else { return false }
    return path == other.path && id == other.id && parent.isSame(as: otherParent)
  }
}

/// The place of a child.
// Sound: see above; ids are values, as a `Hashable` that changes under its hash is broken anywhere.
@usableFromInline
final class ChildPlace<ID: Hashable>: EffectPlace, @unchecked Sendable {
  private var childID: ID

  /// The place of a child of the feature that is being reduced.
  @usableFromInline
  init(at path: ChildrenPath, id: ID) {
    childID = id
    super.init(parent: .current, path: path, isPresented: false)
  }

  /// The place of a child of the feature that is being reduced, which presents it.
  init(presentedAt path: ChildrenPath, id: ID) {
    childID = id
    super.init(parent: .current, path: path, isPresented: true)
  }

  override var id: AnyHashable { AnyHashable(childID) }

  /// Is called when the child has changed its own identity: it is the same child all the same.
  @usableFromInline
  func follow(_ id: ID) {
    if id == childID { return }
    registry.move(self, to: AnyHashable(id))
    childID = id
  }

  /// Is called when the child has become another one by itself: what it has begun is the new one's.
  func become(_ id: ID) {
    childID = id
  }
}

// MARK: - Dismissal

extension EffectPlace {
  /// Ends the presentation, unless it is over.
  ///
  /// It is the presentation that knows, and not any effect of it: those may have been cancelled
  /// while the feature is still there.
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
