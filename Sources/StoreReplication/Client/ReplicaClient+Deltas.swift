import StoreState

extension ReplicaClient {
  func receive(_ message: PublishedMessage, on topic: Topic) {
    switch message {
    case .echo(let echo):
      if topic == session?.privateTopic { receive(echo) }
    case .deltas(let run): receive(run, on: topic)
    case .bookmark(let bookmark): receive(bookmark, on: topic)
    }
  }

  private func receive(_ run: PublishedMessage.DeltaRun, on topic: Topic) {
    if let join = joining, join.echo != nil {
      // What comes after the echo counts in the new view; the old one has done its part.
      if topic == join.view?.topic { joining?.kept.append(run) }
      return
    }
    guard topic == view?.topic else { return }
    receive(run)
    settleActions()
  }

  /// Applies the part of a run that is new, all of it in one step for those who watch.
  func receive(_ run: PublishedMessage.DeltaRun) {
    guard var view, let session else { return }
    guard run.sequence <= view.sequence + 1 else {
      return lost("sequence \(run.sequence) came after \(view.sequence)")
    }
    var touched: [Bool] = []
    for (offset, step) in run.steps.enumerated() where run.sequence + UInt64(offset) > view.sequence
    {
      if touched.isEmpty { touched = Array(repeating: false, count: view.scopes.count) }
      guard apply(step, in: view, touched: &touched) else { return }
      view.sequence += 1
      revision = step.revision
    }
    self.view = view
    for scope in view.scopes {
      scope.position = ClientMessage.Position(epoch: session.epoch, revision: revision)
    }
    for (index, isTouched) in touched.enumerated() where isTouched {
      view.scopes[index].replica?.settled(revision: revision)
    }
  }

  private func apply(
    _ step: PublishedMessage.Step,
    in view: ClientView,
    touched: inout [Bool],
  ) -> Bool {
    for change in step.changes {
      guard view.scopes.indices.contains(change.index) else {
        lost("revision \(step.revision) speaks of a scope \(change.index) of \(view.scopes.count)")
        return false
      }
      let scope = view.scopes[change.index]
      do throws(CodecError) {
        try scope.replica?.apply(change.delta, revision: step.revision)
        touched[change.index] = true
      } catch {
        for other in view.scopes { other.position = nil }
        doubt(scope, "revision \(step.revision) does not fit: \(error)")
        rejoin()
        return false
      }
    }
    return true
  }

  private func receive(_ bookmark: PublishedMessage.Bookmark, on topic: Topic) {
    // While a join is under way its captures are checked by the bookmarks after it.
    guard joining == nil, let view, topic == view.topic, let session else { return }
    guard bookmark.sequence >= view.sequence else { return }
    guard bookmark.sequence == view.sequence else {
      return lost("the bookmark is at \(bookmark.sequence), we are at \(view.sequence)")
    }
    guard bookmark.digests.count == view.scopes.count else {
      return lost("the bookmark has \(bookmark.digests.count) digests for \(view.scopes.count)")
    }
    var isSame = true
    for (scope, digest) in zip(view.scopes, bookmark.digests) {
      if let replica = scope.replica, replica.digest != digest {
        isSame = false
        doubt(scope, "its digest is \(replica.digest), the daemon's \(digest)")
      } else {
        scope.position = ClientMessage.Position(
          epoch: session.epoch,
          revision: bookmark.revision,
        )
      }
    }
    guard isSame else { return rejoin() }
    revision = max(revision, bookmark.revision)
  }

  /// Something is missing; what the replicas have is right as far as it goes.
  private func lost(_ reason: String) {
    resyncs += 1
    events.append(
      .resynchronising(
        scope: (view?.scopes.map(\.name) ?? []).joined(separator: ", "),
        reason: reason,
      )
    )
    rejoin()
  }
}
