import StoreState

extension ReplicaClient {
  func receive(_ message: PublishedMessage, on topic: Topic) {
    switch message {
    case .echo(let echo):
      if topic == session?.privateTopic { receive(echo) }
    case .deltas(let run): receive(run, on: topic)
    case .bookmark(let bookmark): receive(bookmark, on: topic)
    case .outputs(let outputs): receive(outputs, on: topic)
    }
  }

  private func receive(_ run: PublishedMessage.DeltaRun, on topic: Topic) {
    if let join = joining, join.echo != nil {
      // What comes after the echo counts in the new view; the old one has done its part.
      if topic == join.view?.topic { joining?.kept.append(.run(run)) }
      return
    }
    guard topic == view?.topic else { return }
    receive(run)
    settleActions()
  }

  /// Applies the part of a run that is new, all of it in one step for those who watch.
  func receive(_ run: PublishedMessage.DeltaRun) {
    guard var view, view.isIntact else { return }
    guard run.sequence <= view.sequence + 1 else {
      return lost("sequence \(run.sequence) came after \(view.sequence)")
    }
    let known = Int(clamping: view.sequence + 1 - run.sequence)
    guard known < run.count else { return }
    let scopes = view.scopes
    var touched = Array(repeating: false, count: scopes.count)
    for place in run.place(after: known)..<run.parts.count {
      let part = run.parts[place]
      if let problem = apply(part, of: run, to: scopes, touched: &touched) {
        return broken(view, "revision \(part.revision) does not fit: \(problem)")
      }
      view.revision = part.revision
    }
    view.sequence += UInt64(run.count - known)
    self.view = view
    revision = view.revision
    if scopes.count == 1 { return show(scopes[0], revision: revision) }
    show(zip(scopes, touched).flatMap { $1 ? $0 : [] }, revision: revision)
  }

  /// Applies what one revision changed in one scope.
  ///
  /// - Returns: What did not fit; nil when all of it did.
  private func apply(
    _ part: PublishedMessage.DeltaRun.Part,
    of run: PublishedMessage.DeltaRun,
    to scopes: [[ClientScope]],
    touched: inout [Bool],
  ) -> String? {
    guard let index = part.index else { return nil }
    guard scopes.indices.contains(index) else {
      return "it speaks of a scope \(index) of \(scopes.count)"
    }
    touched[index] = true
    for place in scopes[index].indices {
      let scope = scopes[index][place]
      do throws(CodecError) {
        try scope.apply(run.delta(part), revision: part.revision)
      } catch {
        return "\(scope.name): \(error)"
      }
    }
    return nil
  }

  /// Some of a run was applied and some was not: no scope is at a revision that has a number.
  private func broken(_ view: ClientView, _ reason: String) {
    self.view?.isIntact = false
    for scope in view.scopes.joined() { scope.position = nil }
    lost(reason)
  }

  private func receive(_ bookmark: PublishedMessage.Bookmark, on topic: Topic) {
    // While a join is under way its captures are checked by the bookmarks after it.
    guard joining == nil, let view, view.isIntact, topic == view.topic else { return }
    guard bookmark.sequence >= view.sequence else { return }
    guard bookmark.sequence == view.sequence else {
      return lost("the bookmark is at \(bookmark.sequence), we are at \(view.sequence)")
    }
    guard bookmark.digests.count == view.scopes.count else {
      return lost("the bookmark has \(bookmark.digests.count) digests for \(view.scopes.count)")
    }
    self.view?.revision = max(view.revision, bookmark.revision)
    revision = max(revision, bookmark.revision)
    let differing = zip(view.scopes, bookmark.digests).flatMap { scopes, digest in
      scopes.filter { $0.digest != digest }.map { ($0, digest) }
    }
    guard !differing.isEmpty else { return }
    freezePositions()
    self.view?.isIntact = false
    for (scope, digest) in differing {
      let ours = scope.digest?.description ?? "missing"
      doubt(scope, "its digest is \(ours), the daemon's \(digest)")
    }
    rejoin()
  }

  /// The daemon says on the other socket how far our view is.
  ///
  /// When we are behind and nothing has
  /// come by the next time it says so, something is lost; where deltas still come, we are slow.
  /// That shows even a loss after which nothing came any more.
  func compare(_ reach: DaemonMessage.Reach) {
    guard joining == nil, let view, view.isIntact, reach.nonce == view.nonce else {
      announced = nil
      return
    }
    if let announced, announced.reach.nonce == view.nonce,
      view.sequence < announced.reach.sequence, view.sequence == announced.ours
    {
      self.announced = nil
      return lost("the daemon is at \(announced.reach.sequence), we are at \(view.sequence)")
    }
    announced = view.sequence < reach.sequence ? (reach, view.sequence) : nil
  }
}
