import GenericState
import StoreProtocol
import StoreState

extension ReplicaClient {
  func receive(_ message: PublishedMessage, on topic: Topic, bytes: Int) {
    switch message {
    case .echo(let echo):
      if topic == session?.privateTopic { receive(echo) }
    case .deltas(let run): receive(run, on: topic, bytes: bytes)
    case .bookmark(let bookmark): receive(bookmark, on: topic)
    case .outputs(let outputs): receive(outputs, on: topic, bytes: bytes)
    case .marker(let marker): receive(marker, on: topic, bytes: bytes)
    }
  }

  /// Takes a message of a view on the control socket; the last echo there identifies the view.
  func receive(unicast message: PublishedMessage, bytes: Int) {
    bytesSincePing += bytes
    if case .echo(let echo) = message {
      // The echo of a join that was given up may lead to another view than the current one.
      unicastTopic = unicastTopics[echo.nonce]
      unicastTopics = unicastTopics.filter { $0.key > echo.nonce }
      if joining?.view?.isUnicast == true { receive(echo) }
      return
    }
    // Remaining messages of a former view arrive before the echo of the next.
    let view = joining?.echo == nil ? view : joining?.view
    if let view, view.topic == unicastTopic { receive(message, on: view.topic, bytes: bytes) }
  }

  private func receive(_ run: PublishedMessage.DeltaRun, on topic: Topic, bytes: Int) {
    if let join = joining, join.echo != nil {
      // Deltas after the echo belong to the new view; the old one is complete.
      if topic == join.view?.topic { keep(.run(run), bytes: bytes, in: join) }
      return
    }
    guard topic == view?.topic else { return }
    receive(run)
    settleActions()
  }

  /// Applies the new part of a run, in one step for observers.
  func receive(_ run: PublishedMessage.DeltaRun) {
    guard var view, view.isIntact else { return }
    guard run.sequence <= view.sequence + 1 else {
      return gapDetected("sequence \(run.sequence) came after \(view.sequence)")
    }
    let known = Int(clamping: view.sequence + 1 - run.sequence)
    guard known < run.count else { return }
    let scopes = view.scopes
    runs += 1
    // The indices of the scopes that change, so that the others cost no time.
    var touched: [Int] = []
    for place in run.place(after: known)..<run.parts.count {
      let part = run.parts[place]
      if let problem = apply(part, of: run, to: scopes, touched: &touched) {
        return broken(view, "revision \(part.revision) does not fit: \(problem)")
      }
      view.revision = part.revision
    }
    view.sequence += UInt64(run.count - known)
    self.view = view
    hear(view.revision)
    guard view.isShown else { return }
    revision = view.revision
    if touched.count == 1 { return show(scopes[touched[0]], revision: revision) }
    // Lists are shown before their rows, in the order of their names.
    touched.sort()
    show(touched.flatMap { scopes[$0] }, revision: revision)
  }

  /// Applies one revision's changes in one scope.
  ///
  /// - Returns: The fault; nil when all changes fit.
  private func apply(
    _ part: PublishedMessage.DeltaRun.Part,
    of run: PublishedMessage.DeltaRun,
    to scopes: [[ClientScope]],
    touched: inout [Int],
  ) -> String? {
    guard let index = part.index else { return nil }
    guard scopes.indices.contains(index) else {
      return "it speaks of a scope \(index) of \(scopes.count)"
    }
    for place in scopes[index].indices {
      let scope = scopes[index][place]
      if place == 0, scope.isFirstChange(inRun: runs) { touched.append(index) }
      do throws(CodecError) {
        try scope.apply(run.delta(part), revision: part.revision)
      } catch {
        return "\(scope.name): \(error)"
      }
    }
    return nil
  }

  /// Joins again after a run was partly applied: no scope is at a numbered revision.
  private func broken(_ view: ClientView, _ reason: String) {
    self.view?.isIntact = false
    for scope in view.scopes.joined() { scope.position = nil }
    gapDetected(reason)
  }

  private func receive(_ marker: PublishedMessage.Marker, on topic: Topic, bytes: Int) {
    if let join = joining, join.echo != nil {
      if topic == join.view?.topic { keep(.marker(marker), bytes: bytes, in: join) }
      return
    }
    guard topic == view?.topic else { return }
    receive(marker)
  }

  /// A revision was too large to be published: its changes are fetched from our position.
  func receive(_ marker: PublishedMessage.Marker) {
    guard let view, view.isIntact, marker.sequence > view.sequence else { return }
    guard marker.sequence == view.sequence + 1 else {
      return gapDetected("sequence \(marker.sequence) came after \(view.sequence)")
    }
    hear(marker.revision)
    freezePositions()
    self.view?.suspend()
    canKeep = false
    // The result of a join under way is not shown, and the next join continues from it.
    if joining == nil { startJoin() }
  }

  private func receive(_ bookmark: PublishedMessage.Bookmark, on topic: Topic) {
    // While a join is under way its captures are checked by the bookmarks after it.
    if let join = joining, join.echo != nil, topic == join.view?.topic {
      join.note(bookmark)
      return completeJoinIfReady()
    }
    guard joining == nil, let view, view.isIntact, topic == view.topic else { return }
    guard bookmark.sequence >= view.sequence else { return }
    guard bookmark.sequence == view.sequence else {
      return gapDetected("the bookmark is at \(bookmark.sequence), we are at \(view.sequence)")
    }
    guard bookmark.digests.count == view.scopes.count else {
      return gapDetected(
        "the bookmark has \(bookmark.digests.count) digests for \(view.scopes.count)"
      )
    }
    hear(bookmark.revision)
    self.view?.revision = max(view.revision, bookmark.revision)
    revision = max(revision, bookmark.revision)
    var isFirst = false
    for (scopes, digest) in zip(view.scopes, bookmark.digests) {
      for scope in scopes where scope.isFollowed && !scope.isInDoubt {
        guard scope.digest != digest else {
          scope.mismatches = 0
          continue
        }
        if differed(scope, digest, at: bookmark.revision) { isFirst = true }
      }
    }
    if isFirst { rejoin() }
  }

  /// Handles a scope that differs from the daemon's: a snapshot is fetched.
  ///
  /// The first mismatch in a row is fetched at once; each later one doubles the delay, up to a
  /// bound. Until the snapshot arrives, the scope continues with the deltas.
  ///
  /// - Returns: Whether to fetch it at once.
  private func differed(_ scope: ClientScope, _ digest: Digest, at revision: UInt64) -> Bool {
    let ours = scope.digest?.description ?? "missing"
    scope.mismatches += 1
    scope.differing = (revision, scope.translation == nil ? scope.replica?.encoding ?? [] : [])
    scope.position = nil
    resyncs += 1
    let reason = "its digest is \(ours), the daemon's \(digest)"
    events.append(.resynchronizing(scope: scope.name, reason: reason))
    guard scope.mismatches > 1 else { return true }
    let wait = timing.mismatchBackOff.lowerBound * Int(1 << min(scope.mismatches - 2, 20))
    let due = now.instant.advanced(by: min(wait, timing.mismatchBackOff.upperBound))
    refetchDue = min(refetchDue ?? due, due)
    return false
  }

  /// Fetches the scopes that differ, when it is time.
  func refetchIfDue() {
    guard let due = refetchDue, due <= now.instant, phase == .live, joining == nil else { return }
    refetchDue = nil
    // The differing scopes may have been left meanwhile.
    if scopes.contains(where: \.isInDoubt) { rejoin() }
  }

  /// Reports the place of a scope's difference, once the daemon's snapshot is there.
  func tellDifference(of scope: ClientScope, from snapshot: [UInt8], at revision: UInt64) {
    guard let differing = scope.differing else { return }
    scope.differing = nil
    if !scopes.contains(where: \.isInDoubt) { refetchDue = nil }
    guard !differing.encoding.isEmpty else { return }
    do throws(CodecError) {
      let ours = try GenericValue(encoded: differing.encoding)
      let theirs = try GenericValue(encoded: snapshot)
      guard let difference = ours.firstDifference(from: theirs) else { return }
      let since = differing.revision == revision ? "" : " at revision \(revision)"
      let place = "\(difference.path): here \(difference.ours), there \(difference.theirs)\(since)"
      events.append(.differed(scope: scope.name, place: place))
    } catch {
      // An unreadable snapshot is refused when it is applied.
    }
  }

  /// Compares our view with the sequence that the daemon sends on the control socket.
  ///
  /// A message is lost if our view lags, and no delta arrives until the daemon answers a ping that
  /// was sent after that. If deltas still arrive, the client is slow. This also detects a loss
  /// after which no message arrived.
  func compare(_ watermark: DaemonMessage.Watermark, pong number: UInt64) {
    guard joining == nil, let view, view.isIntact, watermark.nonce == view.nonce else {
      announced = nil
      return
    }
    if let announced, announced.watermark.nonce == view.nonce,
      view.sequence < announced.watermark.sequence, view.sequence == announced.ours
    {
      // After a pause several pongs arrive at once.
      guard number > announced.ping else { return }
      self.announced = nil
      return gapDetected(
        "the daemon is at \(announced.watermark.sequence), we are at \(view.sequence)"
      )
    }
    announced = view.sequence < watermark.sequence ? (watermark, view.sequence, pingNumber) : nil
  }
}
