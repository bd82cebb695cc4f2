import OrderedCollections
import StoreActor
import StoreState

extension ReplicaServer {
  /// The root store reduced an action: notes what it changed in the scopes that someone follows.
  ///
  /// - Parameters:
  ///   - revision: The step's revision.
  ///   - old: Where the root is as it was before; it is moved out of there.
  ///   - new: Where the root is now.
  func committed(
    revision: UInt64,
    old: UnsafeMutablePointer<Root>,
    new: UnsafePointer<Root>,
  ) {
    var changed = 0
    var next = firstFollowed
    while let scope = next {
      next = scope.next
      if let view = scope.onlyView {
        changed += publish(scope, in: view, revision: revision, from: old, to: new)
      } else {
        changed += publish(scope, from: old, to: new)
      }
    }
    counters.deltaBytes += UInt64(changed)
    versions.append(moving: old, revision: revision - 1, changed: changed)
    guard !touchedViews.isEmpty else { return }
    for view in touchedViews where view.closeStep(revision: revision) { dirtyViews.append(view) }
    touchedViews.removeAll(keepingCapacity: true)
  }

  /// Adds what changed in a scope to the only view that shows it.
  ///
  /// - Returns: How many bytes that is.
  private func publish(
    _ scope: ActiveScope<Root, RootAction>,
    in view: View,
    revision: UInt64,
    from old: UnsafePointer<Root>,
    to new: UnsafePointer<Root>,
  ) -> Int {
    let bytes = view.addOnlyStep(revision: revision) { encoder in
      scope.source.encodeDelta(old, new, &encoder)
    }
    guard let bytes else { return 0 }
    scope.changed()
    counters.deltas += 1
    if view.hasOneStep { dirtyViews.append(view) }
    return bytes
  }

  /// Adds what changed in a scope, encoded once, to each view that shows it.
  ///
  /// - Returns: How many bytes that is.
  private func publish(
    _ scope: ActiveScope<Root, RootAction>,
    from old: UnsafePointer<Root>,
    to new: UnsafePointer<Root>,
  ) -> Int {
    let mark = scratch.mark
    guard scope.source.encodeDelta(old, new, &scratch) else { return 0 }
    scope.changed()
    counters.deltas += 1
    let bytes = scratch.bytes.count
    for placement in scope.placements {
      if !placement.view.hasParts { touchedViews.append(placement.view) }
      placement.view.add(scratch.bytes[...], index: placement.index)
    }
    scratch.truncate(to: mark)
    return bytes
  }

  /// Publishes all closed steps, the outputs behind them, and the bookmarks that so many deltas
  /// make due.
  func flush() {
    guard !dirtyViews.isEmpty else { return }
    for view in dirtyViews {
      if let run = view.takeRun(now: now.instant, limits: limits, timing: timing) {
        outgoing.append(.publish(topic: view.topicBytes, run))
        if let due = view.bookmarkDue { wake(at: due) }
      }
      if let outputs = view.takeOutputs() {
        outgoing.append(.publish(topic: view.topicBytes, outputs))
      }
    }
    dirtyViews.removeAll(keepingCapacity: true)
  }

  func sendDueBookmarks() {
    for view in views.values {
      guard let due = view.bookmarkDue, due <= now.instant else { continue }
      let bookmark = view.takeBookmark(
        revision: root.revision,
        durableRevision: nil,
        digests: view.names.compactMap { activeScopes[$0]?.digest(of: root) },
      )
      outgoing.append(.publish(topic: view.topicBytes, bookmark))
    }
  }
}
