import OrderedCollections
import StoreActor
import StoreState

extension ReplicaServer {
  /// The root store reduced an action: notes what it changed in the scopes that someone follows.
  func committed(revision: UInt64, old: Root, new: Root) {
    versions.append(new, revision: revision)
    var touched: [View<Root, RootAction>] = []
    for scope in activeScopes.values {
      let mark = scratch.mark
      guard scope.source.encodeDelta(from: old, to: new, into: &scratch) else { continue }
      counters.deltas += 1
      counters.deltaBytes += UInt64(scratch.bytes.count)
      for (view, index) in scope.views {
        if !view.hasParts { touched.append(view) }
        view.add(scratch.bytes[...], index: index)
      }
      scratch.truncate(to: mark)
    }
    for view in touched where view.closeStep(revision: revision) { dirtyViews.append(view) }
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
        root: root.state,
        durableRevision: nil,
      )
      outgoing.append(.publish(topic: view.topicBytes, bookmark))
    }
  }
}
