import StoreExposures
import StoreState

/// A scope that at least one session follows.
@MainActor
final class FollowedScope {
  /// The position of a scope in a view.
  struct Placement {
    unowned let view: View
    let index: Int
  }

  let root: RootScope
  /// The views that show it.
  ///
  /// Bounded by ``Limits/sessions``: a view has a follower.
  private(set) var placements: [Placement] = []
  /// The only view that shows it, if that view shows no other scope: the common case.
  @exclusivity(unchecked) private(set) unowned var onlyView: View?
  /// The revision that changed it last, or at which it was followed first.
  @exclusivity(unchecked) private(set) var changedAt: UInt64
  /// Its digest, if it is known; nil after a change.
  @exclusivity(unchecked) private(set) var digest: Digest?
  /// Whether its digest was ever computed; the next one then costs only as much as the changes.
  private(set) var hadDigest = false
  /// The captures that are being encoded or sent, oldest first.
  ///
  /// Bounded by ``Limits/capturedBytes``.
  @exclusivity(unchecked) var captures: [Capture] = []

  init(_ root: RootScope, revision: UInt64) {
    self.root = root
    changedAt = revision
  }

  /// A view shows it from now on.
  func show(in view: View, at index: Int) {
    view.slots[index] = placements.count
    placements.append(Placement(view: view, index: index))
    findOnlyView()
  }

  /// A view no longer shows it.
  func hide(from view: View, at index: Int) {
    let slot = view.slots[index]
    let last = placements.removeLast()
    // The last placement fills the gap, so that no other has to move.
    if slot < placements.count {
      placements[slot] = last
      last.view.slots[last.index] = slot
    }
    findOnlyView()
  }

  private func findOnlyView() {
    let view = placements.count == 1 ? placements[0].view : nil
    onlyView = view?.scopes.count == 1 ? view : nil
  }

  /// Notes a change at a revision, and forgets the digest of the former state.
  func changed(at revision: UInt64) {
    changedAt = revision
    digest = nil
    guard !captures.isEmpty else { return }
    for capture in captures where capture.until == nil { capture.until = revision - 1 }
  }

  /// Ends the scope, which no session follows any more.
  func end() {
    for capture in captures { capture.leaveScope() }
  }

  /// Notes the digest of its newest state, or of an earlier one.
  func know(_ digest: Digest, isNewest: Bool) {
    if isNewest { self.digest = digest }
    hadDigest = true
  }

  /// Whether another thread is to compute its first digest, which takes long.
  var awaitsDigest: Bool { !hadDigest && captures.contains { $0.content == nil } }
}
