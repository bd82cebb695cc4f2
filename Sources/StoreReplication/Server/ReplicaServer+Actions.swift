import StoreActor
import StoreState

extension ReplicaServer {
  func perform(_ session: Client, first: UInt64, _ requests: [ClientMessage.ActionRequest]) {
    root.surround { reduce(session, first: first, requests) }
  }

  private func reduce(
    _ session: Client,
    first: UInt64,
    _ requests: [ClientMessage.ActionRequest],
  ) {
    var sequence = first
    for request in requests {
      let last = session.record.last
      if sequence > last + 1 {
        return send(.gap(expected: last + 1), to: session.peer)
      }
      if sequence <= last {
        counters.duplicates += 1
        answer(session, sequence, recordedOutcome(session, sequence))
      } else {
        reducedInTurn += 1
        let outcome = perform(session, sequence, request)
        session.record.record(outcome, now: now.instant)
        answer(session, sequence, outcome)
      }
      sequence += 1
    }
  }

  /// What was said of an action before; its effects run on only where they still do.
  private func recordedOutcome(_ session: Client, _ sequence: UInt64) -> Outcome {
    switch session.record.outcome(of: sequence) {
    case .applied(let revision, hasEffects: true) where session.tasks[sequence] == nil:
      // They ended, if only with an earlier session; no `finished` will follow.
      return .applied(revision: revision, hasEffects: false)
    case let outcome?: return outcome
    case nil:
      let message = "The outcome of action \(sequence) is no longer kept."
      return .failed(Outcome.Failure(code: Outcome.forgotten, message: message))
    }
  }

  private func perform(
    _ session: Client,
    _ sequence: UInt64,
    _ request: ClientMessage.ActionRequest,
  ) -> Outcome {
    do throws(Outcome.Failure) {
      let action = try pullBack(session, request)
      let task = root.send(action)
      counters.actionsApplied += 1
      guard !task.isFinished else {
        return .applied(revision: root.revision, hasEffects: false)
      }
      session.tasks[sequence] = task
      task.whenFinished { [weak self, weak session] in
        guard let self, let session else { return }
        self.effectsFinished(session, sequence)
      }
      return .applied(revision: root.revision, hasEffects: true)
    } catch {
      counters.actionsFailed += 1
      return .failed(error)
    }
  }

  /// Decodes a child's action and embeds it in the root's, or says why it must not run.
  private func pullBack(
    _ session: Client,
    _ request: ClientMessage.ActionRequest,
  ) throws(Outcome.Failure) -> RootAction {
    if let deadline = request.deadline, now.wallMilliseconds > deadline {
      throw Outcome.Failure(
        code: Outcome.expired,
        message: "The action came \(now.wallMilliseconds - deadline) ms after its deadline.",
      )
    }
    guard let target = session.target(request.handle) else {
      throw Outcome.Failure(
        code: Outcome.rejected,
        message: "No scope of this session has the handle \(request.handle). Join it first.",
      )
    }
    guard !target.isOptional || root.withState(target.source.isPresent) else {
      throw Outcome.Failure(
        code: Outcome.absent,
        message: "The scope \"\(target.name)\" is absent now.",
      )
    }
    do throws(CodecError) {
      var decoder = CBORDecoder(request.action)
      let action = try target.source.rootAction(from: &decoder)
      try decoder.finish()
      return action
    } catch {
      throw Outcome.Failure(
        code: Outcome.rejected,
        message: "Not an action of \"\(target.name)\": \(error)",
      )
    }
  }

  /// Adds an outcome to those that the end of the turn sends.
  private func answer(_ session: Client, _ sequence: UInt64, _ outcome: Outcome) {
    if !session.outcomes.isEmpty,
      session.firstOutcome + UInt64(session.outcomes.count) != sequence
    {
      flush()
      sendUnsent(session)
    }
    if session.outcomes.isEmpty { session.firstOutcome = sequence }
    session.outcomes.append(outcome)
    markUnsent(session)
  }

  private func effectsFinished(_ session: Client, _ sequence: UInt64) {
    guard session.tasks.removeValue(forKey: sequence) != nil else { return }
    session.finished.append(sequence)
    markUnsent(session)
  }

  private func markUnsent(_ session: Client) {
    guard !session.hasUnsent else { return }
    session.hasUnsent = true
    if let lastUnsent { lastUnsent.nextUnsent = session } else { firstUnsent = session }
    lastUnsent = session
    onUnsent?()
  }

  /// Sends outcomes and finished effects to all; the turn's deltas have been published.
  func sendUnsent() {
    while let session = firstUnsent {
      firstUnsent = session.nextUnsent
      session.nextUnsent = nil
      session.hasUnsent = false
      sendUnsent(session)
    }
    lastUnsent = nil
  }

  private func sendUnsent(_ session: Client) {
    if !session.outcomes.isEmpty {
      send(
        .acks(
          DaemonMessage.Acks(
            first: session.firstOutcome,
            outcomes: session.outcomes,
            reach: session.reach,
          )
        ),
        to: session.peer,
      )
      session.outcomes.removeAll(keepingCapacity: true)
    }
    if !session.finished.isEmpty {
      send(.finished(session.finished, reach: session.reach), to: session.peer)
      session.finished.removeAll()
    }
  }
}

extension Outcome.Failure: Error {}
