import OrderedCollections
import StoreActor
import StoreState

extension ReplicaServer {
  /// The root store reduced an action: notes what it changed in the scopes that someone follows.
  func committed(revision: UInt64, old: Root, new: Root) {
    var changed = 0
    for scope in followedScopes {
      let mark = scratch.mark
      guard scope.source.encodeDelta(from: old, to: new, into: &scratch) else { continue }
      scope.changed()
      counters.deltas += 1
      changed += scratch.bytes.count
      for placement in scope.placements {
        if !placement.view.hasParts { touchedViews.append(placement.view) }
        placement.view.add(scratch.bytes[...], index: placement.index)
      }
      scratch.truncate(to: mark)
    }
    counters.deltaBytes += UInt64(changed)
    versions.append(new, revision: revision, changed: changed)
    for view in touchedViews where view.closeStep(revision: revision) { dirtyViews.append(view) }
    touchedViews.removeAll(keepingCapacity: true)
  }

  /// Publishes all closed steps, and the bookmarks that so many deltas make due.
  func flush() {
    guard !dirtyViews.isEmpty else { return }
    for view in dirtyViews {
      guard let run = view.takeRun(now: now.instant, limits: limits, timing: timing) else {
        continue
      }
      outgoing.append(.publish(topic: view.topicBytes, run))
      if let due = view.bookmarkDue { wake(at: due) }
    }
    dirtyViews.removeAll(keepingCapacity: true)
  }

  func sendDueBookmarks() {
    for view in views.values {
      guard let due = view.bookmarkDue, due <= now.instant else { continue }
      let bookmark = view.takeBookmark(
        revision: root.revision,
        durableRevision: nil,
        digests: view.names.compactMap { activeScopes[$0]?.digest(of: root.state) },
      )
      outgoing.append(.publish(topic: view.topicBytes, bookmark))
    }
  }
}
