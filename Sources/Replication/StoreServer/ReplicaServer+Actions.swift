import StoreActor
import StoreExposures
import StoreHistory
import StoreProtocol
import StoreState

// The actions that clients send to their scopes, and their outcomes (`docs/PROTOCOL.md` §10).
extension ReplicaServer {
  /// Continues the frame that the last turn did not finish, if its session is still open.
  func acceptRest(at moment: Moment) {
    guard let unfinished = rest else { return }
    rest = nil
    now = moment
    guard let session = sessions.session(of: unfinished.peer) else { return }
    accept(unfinished.requests, first: unfinished.first, from: session)
  }

  /// Reduces actions, or repeats their recorded outcomes.
  func accept(
    _ requests: ArraySlice<ClientMessage.ActionRequest>,
    first: UInt64,
    from session: Session,
  ) {
    // The session's join is delivered before its actions, also if it waited for the journal.
    deliverSessionEvents(before: session)
    var goodbye: Goodbye?
    root.batch(as: session.origin) { goodbye = acceptBatch(requests, first: first, from: session) }
    if let goodbye { end(session, code: goodbye.code, message: goodbye.message) }
  }

  /// Reduces actions, or repeats their outcomes.
  ///
  /// - Returns: Why the session ends; nil if it continues.
  private func acceptBatch(
    _ requests: ArraySlice<ClientMessage.ActionRequest>,
    first: UInt64,
    from session: Session,
  ) -> Goodbye? {
    var sequence = first
    for place in requests.indices {
      if place > requests.startIndex, place.isMultiple(of: limits.actionsPerLook), hasToPause() {
        rest = UnfinishedFrame(requests: requests[place...], first: sequence, peer: session.peer)
        return nil
      }
      let request = requests[place]
      let last = session.actions.last
      if sequence > last + 1 {
        outbox.send(.gap(expected: last + 1), to: session.peer)
        return nil
      }
      // A client that respects the window has at most this many actions without an outcome, at any
      // speed of the disk.
      guard session.actions.unsaidCount <= limits.window else {
        let message = "You sent more than \(limits.window) actions that have no outcome yet."
        return Goodbye(code: "protocolError", message: message)
      }
      if sequence <= last {
        // This is not an outcome, since the action has one: the client asks again when it
        // reconnects.
        guard sessions.spendAction(of: session, now: now.instant) else {
          counters.actionsThrottled += 1
          let message = "You may send \(limits.actionsPerSecond) actions a second, repeated or not."
          return Goodbye(code: Outcome.overloaded, message: message)
        }
        outcomes.repeatOutcome(of: sequence, to: session)
      } else {
        reducedInTurn += 1
        outcomes.record(execute(request, sequence, of: session), of: session)
      }
      sequence += 1
    }
    return nil
  }

  /// Reduces one action, or returns why it must not run.
  private func execute(
    _ request: ClientMessage.ActionRequest,
    _ sequence: UInt64,
    of session: Session,
  ) -> Outcome {
    do throws(Outcome.Failure) {
      let task = try send(request, sequence, of: session)
      counters.actionsApplied += 1
      let isFinished = task.isFinished
      if !isFinished {
        outcomes.follow(task, of: sequence, of: session)
        sessions.follow(task, of: session)
      }
      let revision = root.newestRevision
      guard let reply = root.takeReply() else {
        return .applied(revision: revision, hasEffects: !isFinished)
      }
      return .replied(.init(revision: revision, hasEffects: !isFinished, value: reply.value))
    } catch {
      if request.isWithdrawn {
        counters.actionsWithdrawn += 1
      } else {
        counters.actionsFailed += 1
      }
      return .failed(error)
    }
  }

  /// Counts an action, and its bytes, against its holder's rate, for any outcome.
  private func spend(
    _ request: ClientMessage.ActionRequest,
    of session: Session,
  ) throws(Outcome.Failure) {
    if session.rights.isEverything { return }
    let most: String
    if !sessions.spendAction(of: session, now: now.instant) {
      most = "\(limits.actionsPerSecond) actions"
    } else if !sessions.spendActionBytes(cost(of: request), of: session, now: now.instant) {
      most = "\(limits.actionBytesPerSecond >> 20) MiB of actions"
    } else {
      return
    }
    counters.actionsThrottled += 1
    throw Outcome.Failure(
      code: Outcome.overloaded,
      message: "You may send \(most) a second. Try again later.",
    )
  }

  /// The bytes of an action against its holder's rate.
  private func cost(of request: ClientMessage.ActionRequest) -> Int {
    request.action.count + (request.condition == nil ? 0 : limits.conditionCost)
  }

  /// Refuses an action that was meant for another state of its scope.
  private func check(
    _ condition: Digest,
    of target: SessionScopes.Target,
  ) throws(Outcome.Failure) {
    guard root.newestDigest(of: target.scope) != condition else { return }
    throw Outcome.Failure(
      code: Outcome.conflict,
      message: "The state of \(target.name.quoted) is another one by now.",
    )
  }

  /// Refuses an action whose client has too many running effects.
  private func checkEffects(_ session: Session) throws(Outcome.Failure) {
    let most: Int
    if session.actions.runningCount >= limits.effectsPerSession {
      most = limits.effectsPerSession
    } else if !session.rights.isEverything,
      sessions.effects(of: session) + work.count(of: session.holder) >= limits.effectsPerUser
    {
      most = limits.effectsPerUser
    } else {
      return
    }
    counters.actionsThrottled += 1
    throw Outcome.Failure(
      code: Outcome.overloaded,
      message: "Effects of \(most) of your actions run already. Try again when some have ended.",
    )
  }

  private func send(
    _ request: ClientMessage.ActionRequest,
    _ sequence: UInt64,
    of session: Session,
  ) throws(Outcome.Failure) -> StoreTask {
    try spend(request, of: session)
    if let deadline = request.deadline, now.wallMilliseconds > deadline {
      throw Outcome.Failure(
        code: Outcome.expired,
        message: "The action arrived \(now.wallMilliseconds - deadline) ms after its deadline.",
      )
    }
    guard let target = session.scopes.target(request.handle) else {
      throw Outcome.Failure(code: Outcome.rejected, message: request.rejection)
    }
    guard target.sends.allows(request.action) else {
      throw Outcome.Failure(
        code: Outcome.unauthorised,
        message: "You may not send this to \(target.name.quoted).",
      )
    }
    try checkEffects(session)
    try begin(request, sequence, to: target.name, of: session)
    defer { crashNotes.end() }
    if let condition = request.condition { try check(condition, of: target) }
    if let recorder {
      if let refusal = recorder.refusal(now.instant, of: session.holder) { throw refusal }
      recorder.beginAction(of: session.recorded, sequence, to: target.name, request.action)
    }
    defer { recorder?.endAction() }
    let task: StoreTask?
    do throws(CodecError) {
      task = try reduce(request, in: target.scope)
    } catch {
      throw Outcome.Failure(
        code: Outcome.rejected,
        message: "Not an action of \(target.name.quoted): \(error)",
      )
    }
    if let task {
      if task.isRefused { throw refused(task, request, sequence, to: target.name, of: session) }
      return task
    }
    if target.scope.source.isShared {
      throw Outcome.Failure(
        code: Outcome.conflict,
        message: "The value of \(target.name.quoted) is another one by now.",
      )
    }
    throw Outcome.Failure(
      code: Outcome.absent,
      message: "The target of the action in \(target.name.quoted) is absent now.",
    )
  }
}

extension ReplicaServer {
  /// Records a reducer's refusal of an action, and returns its outcome.
  private func refused(
    _ task: StoreTask,
    _ request: ClientMessage.ActionRequest,
    _ sequence: UInt64,
    to scope: String,
    of session: Session,
  ) -> Outcome.Failure {
    guard let refusal = task.refusal else { preconditionFailure("A refused action has a refusal.") }
    let failure = Outcome.Failure(refusal)
    note(failure, request, sequence, to: scope, of: session)
    return failure
  }

  /// Notes a reduction, so that the next daemon learns whether this one ended in it.
  private func begin(
    _ request: ClientMessage.ActionRequest,
    _ sequence: UInt64,
    to scope: String,
    of session: Session,
  ) throws(Outcome.Failure) {
    do throws(Outcome.Failure) {
      try crashNotes.begin(
        request.action,
        of: session.clientID,
        sequence,
        to: scope,
        at: now.wallMilliseconds,
      )
    } catch {
      note(error, request, sequence, to: scope, of: session)
      let text = "Action \(sequence) to \(scope.quoted) is not reduced. \(error.message)"
      notice(session.peer, text, of: session.holder)
      throw error
    }
  }

  /// Notes, for the next record, an outcome that must stay the same after a restart.
  private func note(
    _ failure: Outcome.Failure,
    _ request: ClientMessage.ActionRequest,
    _ sequence: UInt64,
    to scope: String,
    of session: Session,
  ) {
    let action = JournalRecord.RefusedAction(
      client: session.clientID,
      session: session.info.id,
      sequence: sequence,
      scope: scope,
      action: request.action,
      identity: session.origin.identity,
      failure: failure,
    )
    recorder?.refused(action, of: session.holder)
  }

  /// Reports the refused actions that no client has sent.
  func reportRefusals() {
    guard let refusals = root.takeRefusals(), let last = refusals.last else { return }
    let text =
      "\(refusals.count) actions of effects or sessions were refused. The last one: \(last)"
    notices.add(
      ServerNotice(kind: .warning, peer: "reducer", text: text),
      of: .unknown,
      at: now.instant,
    )
  }
}

extension Outcome.Failure {
  /// The failure of an action that a reducer has refused.
  init(_ refusal: Refusal) {
    let hasDetails = refusal.code != nil || refusal.encodedValue != nil
    self.init(
      code: Outcome.refused,
      message: refusal.reason,
      details: hasDetails
        ? Outcome.RefusalDetails(code: refusal.code, value: refusal.encodedValue) : nil,
    )
  }
}

/// The actions of one frame that a turn has not reduced.
struct UnfinishedFrame {
  let requests: ArraySlice<ClientMessage.ActionRequest>
  /// The sequence of the first action.
  let first: UInt64
  let peer: PeerID
}

extension ReplicaServer {
  /// Reduces an action in the root, within its client's trace span if it has one.
  private func reduce(
    _ request: ClientMessage.ActionRequest,
    in scope: RootScope,
  ) throws(CodecError) -> StoreTask? {
    guard let trace = request.trace else { return try root.send(request.action, to: scope) }
    return try TraceParent.with(trace) { () throws(CodecError) in
      try root.send(request.action, to: scope)
    }
  }
}

extension ClientMessage.ActionRequest {
  /// Whether it replaces an action that its client has withdrawn.
  fileprivate var isWithdrawn: Bool { handle == 0 && action.elementsEqual([0xf6]) }

  /// Why an action with an unknown handle is rejected.
  fileprivate var rejection: String {
    isWithdrawn
      ? "The client withdrew it."
      : "No scope of this session has the handle \(handle). Join it first."
  }
}
