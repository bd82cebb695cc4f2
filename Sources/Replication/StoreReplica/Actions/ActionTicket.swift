package import StoreProtocol
import StoreState

/// An action that was sent: accepted here, decided by the daemon, then included in the local state.
///
/// Its outcome is never guessed. While it is unknown whether the action ran, waiters are notified
/// that the outcome is unknown. Later waiters get the daemon's outcome.
///
/// Its properties are not checked for overlapping accesses, because the check would cost a tenth of
/// the time of an action. No property is passed `inout`.
@MainActor
package final class ActionTicket {
  let scope: ClientScope
  private let action: [UInt8]
  /// How long it may wait to be reduced; nil for no limit.
  let timeToLive: Duration?
  /// Its deadline; nil before its first turn, and without a limit.
  @exclusivity(unchecked) private(set) var end: Instant?
  /// Set when the action is first sent.
  @exclusivity(unchecked) var sequence: UInt64?
  /// The epoch of the daemon that it was first sent to.
  @exclusivity(unchecked) private var firstEpoch: UInt64?

  /// The daemon's outcome, kept back until the local state includes it.
  @exclusivity(unchecked) private(set) var decided: Outcome?
  @exclusivity(unchecked) private var isSettled = false
  /// The outcome for waiters after the deadline while the daemon's outcome is unknown.
  private var givenUp: Outcome?
  /// Whether its effects have ended, or it has none.
  @exclusivity(unchecked) package private(set) var isFinished = false
  @exclusivity(unchecked) package private(set) var isCancelled = false
  @exclusivity(unchecked) private(set) var effectsEnded = false

  // Nearly every action has one waiter, and an array of one would need an allocation.
  @exclusivity(unchecked) private var onSettled: (@MainActor (Outcome) -> Void)?
  @exclusivity(unchecked) private var onFinished: (@MainActor () -> Void)?
  /// Properties that few actions need.
  @exclusivity(unchecked) private var rest: Rest?

  private struct Translation {
    let by: ScopeTranslation
    let result: Result<[UInt8], Outcome.Failure>
  }

  /// Rarely used properties, kept apart to make other tickets small.
  @MainActor
  private final class Rest {
    var onSettled: [@MainActor (Outcome) -> Void] = []
    var onFinished: [@MainActor () -> Void] = []
    /// Its encoding for a daemon of another build, or why it cannot be translated.
    var translation: Translation?
    /// Why the empty action was sent in its place.
    var replaced: Outcome.Failure?
    /// The span that it belongs to.
    var trace: String?
    /// The digest that the scope's state must have; nil for any state.
    var condition: Digest?
  }

  init(
    scope: ClientScope,
    action: [UInt8],
    timeToLive: Duration?,
    trace: String? = nil,
    condition: Digest? = nil,
  ) {
    self.scope = scope
    self.action = action
    self.timeToLive = timeToLive
    if let trace { ensureRest().trace = trace }
    if let condition { ensureRest().condition = condition }
  }

  /// Its outcome, once the local state includes it or it was refused.
  package var outcome: Outcome? { isSettled ? decided : nil }

  /// Whether the daemon has decided its outcome.
  var isDecided: Bool { decided != nil }

  /// Whether its waiters already have an outcome, so that its deadline has no effect on them.
  var isGivenUp: Bool { givenUp != nil || isSettled }

  /// Starts its time limit.
  func beginLife(at now: Instant) {
    if let timeToLive, end == nil { end = now.advanced(by: timeToLive) }
  }

  /// Records the daemon's outcome.
  ///
  /// Waiters that were notified at the deadline are not notified again.
  func decide(_ outcome: Outcome) { if !isSettled { decided = outcome } }

  /// Runs `body` with the outcome, at once if it is known or the deadline has passed.
  package func whenSettled(_ body: @escaping @MainActor (Outcome) -> Void) {
    if let outcome = outcome ?? givenUp { return body(outcome) }
    if onSettled == nil { onSettled = body } else { ensureRest().onSettled.append(body) }
  }

  /// Runs `body` when the action's effects have ended, at once if they already have.
  package func whenFinished(_ body: @escaping @MainActor () -> Void) {
    if isFinished { return body() }
    if onFinished == nil { onFinished = body } else { ensureRest().onFinished.append(body) }
  }

  private func ensureRest() -> Rest {
    if let rest { return rest }
    let new = Rest()
    rest = new
    return new
  }

  func settle(_ outcome: Outcome) {
    guard !isSettled else { return }
    decided = outcome
    isSettled = true
    tellSettled(outcome)
    if outcome.applied?.hasEffects == true, !effectsEnded { return }
    finish()
  }

  private func tellSettled(_ outcome: Outcome) {
    if let first = onSettled {
      onSettled = nil
      first(outcome)
    }
    if let rest, !rest.onSettled.isEmpty {
      let others = rest.onSettled
      rest.onSettled = []
      for body in others { body(outcome) }
    }
  }

  /// Settles it as failed.
  func fail(_ code: String, _ message: String) {
    settle(.failed(Outcome.Failure(code: code, message: message)))
  }

  /// Notifies waiters of the known outcome after the deadline, given the epoch of the daemon.
  func giveUp(_ reason: String, epoch: UInt64?) {
    guard !isSettled, givenUp == nil else { return }
    let outcome = known(reason, epoch: epoch)
    givenUp = outcome
    tellSettled(outcome)
  }

  /// Withdraws the action before its deadline: notifies waiters of the known outcome.
  func withdraw(_ reason: String, at now: Instant, epoch: UInt64?) {
    end = min(end ?? now, now)
    giveUp(reason, epoch: epoch)
  }

  /// Settles the action with the known outcome, because no other will arrive: the connection, which
  /// had reached a daemon of that epoch, is closed permanently, or the epoch is over.
  func close(_ reason: String, epoch: UInt64?) {
    settle(known(reason, epoch: epoch))
    endEffects()
  }

  /// The known outcome of an action whose outcome is no longer awaited.
  private func known(_ reason: String, epoch: UInt64?) -> Outcome {
    if case .failed? = decided, let decided { return explained(decided, epoch: epoch) }
    if let revision = decided?.applied?.revision {
      let message = "It was applied as revision \(revision), which is not shown here. \(reason)"
      return .failed(
        Outcome.Failure(code: Outcome.appliedNotShown, message: message, revision: revision)
      )
    }
    if sequence == nil {
      return .failed(Outcome.Failure(code: Outcome.notSent, message: "It was not sent. \(reason)"))
    }
    let message = "It was sent, and it is not known whether it was applied. \(reason)"
    return .failed(Outcome.Failure(code: Outcome.outcomeUnknown, message: message))
  }

  /// The daemon reported that the effects ended, or they cannot run any longer.
  func endEffects() {
    effectsEnded = true
    if isSettled { finish() }
  }

  func markCancelled() { isCancelled = true }

  private func finish() {
    guard !isFinished else { return }
    isFinished = true
    if let first = onFinished {
      onFinished = nil
      first()
    }
    if let rest, !rest.onFinished.isEmpty {
      let others = rest.onFinished
      rest.onFinished = []
      for body in others { body() }
    }
  }
}

// MARK: - Encoding for the daemon

extension ActionTicket {
  /// Returns the most bytes that it needs in a frame, with its handle and its deadline.
  ///
  /// - Parameter most: The most bytes of an action that the daemon accepts.
  /// - Returns: The bytes; nil if the daemon is known not to accept it.
  func frameBytes(mostBytes most: Int) -> Int? {
    guard scope.handle != nil else { return Self.frameBytes(Self.nothing) }
    let trace = rest?.trace.map(Self.frameBytes(of:)) ?? 0
    let extras = rest?.condition == nil ? trace : trace + Self.conditionBytes
    if fits(most) { return Self.frameBytes(action) + extras }
    guard case .success(let bytes) = form(mostBytes: most) else { return nil }
    return Self.frameBytes(bytes) + extras
  }

  static func frameBytes(_ action: [UInt8]) -> Int { action.count + 18 }

  /// The most bytes that a condition needs in a frame.
  private static let conditionBytes = 12

  /// The most bytes that it may have beside its condition.
  ///
  /// - Parameter most: The most bytes of an action that the daemon accepts.
  /// - Returns: The bytes.
  private func room(_ most: Int) -> Int {
    rest?.condition == nil ? most : most - Self.conditionBytes
  }

  /// The most bytes that a span needs in a frame.
  private static func frameBytes(of trace: String) -> Int { trace.utf8.count + 4 }

  /// Returns why the daemon does not accept it.
  ///
  /// - Parameter most: The most bytes of an action that the daemon accepts.
  /// - Returns: The failure; nil if the daemon accepts it, or if that is unknown.
  func obstacle(mostBytes most: Int) -> Outcome.Failure? {
    guard scope.handle != nil, !fits(most), case .failure(let failure) = form(mostBytes: most)
    else { return nil }
    return failure
  }

  /// Whether the daemon accepts it unchanged, which is the usual case.
  private func fits(_ most: Int) -> Bool { scope.translation == nil && action.count <= room(most) }

  /// The action in the daemon's form, or why it is not accepted.
  private func form(mostBytes most: Int) -> Result<[UInt8], Outcome.Failure> {
    if fits(most) { return .success(action) }
    let result = translated()
    guard case .success(let bytes) = result, bytes.count > room(most) else { return result }
    return .failure(Self.tooLarge(bytes.count, room(most)))
  }

  /// The failure of an action that is larger than the daemon accepts.
  static func tooLarge(_ count: Int, _ most: Int) -> Outcome.Failure {
    let message = "The action has \(count) bytes, and the daemon takes \(most) at most."
    return Outcome.Failure(code: Outcome.rejected, message: message)
  }

  /// The action in the daemon's form.
  private func translated() -> Result<[UInt8], Outcome.Failure> {
    guard let by = scope.translation, let actions = by.action else { return .success(action) }
    let rest = ensureRest()
    if let translation = rest.translation, translation.by === by { return translation.result }
    let result = actions.translate(action)
    rest.translation = Translation(by: by, result: result)
    return result
  }

  /// Writes it into a frame of actions.
  ///
  /// The empty action is sent in its place when it must not run any more, or when the daemon cannot
  /// accept it: its scope is gone, its case is unknown there, or it is too large. The sequence has
  /// to advance in every case.
  func encode(
    to encoder: inout CBOREncoder,
    at now: Moment,
    for session: ReplicaClient.SessionState,
  ) {
    if firstEpoch == nil { firstEpoch = session.epoch }
    if refusal == nil, let handle = scope.handle, !isOver(at: now.instant),
      rest?.condition == nil || session.takesConditions,
      case .success(let bytes) = form(mostBytes: session.actionBytes)
    {
      rest?.replaced = nil
      return encoder.action(
        bytes,
        handle: handle,
        deadline: deadline(at: now),
        trace: trace(beside: bytes, for: session),
        condition: rest?.condition,
      )
    }
    ensureRest().replaced = reasonForNothing(at: now.instant, session)
    encoder.action(Self.nothing, handle: 0, deadline: nil)
  }

  /// The span that is sent with it, if the daemon accepts spans and it fits.
  private func trace(beside action: [UInt8], for session: ReplicaClient.SessionState) -> String? {
    guard let trace = rest?.trace, session.takesTraces,
      action.count + Self.frameBytes(of: trace) <= room(session.actionBytes)
    else { return nil }
    return trace
  }

  private func isOver(at now: Instant) -> Bool { end.map { $0 <= now } ?? false }

  /// Whether its sender was already notified of the refusal, so that only its sequence is sent.
  var isRefused: Bool { refusal != nil }

  /// The refusal of which its sender was notified: the action must not run any more.
  private var refusal: Outcome.Failure? {
    if isSettled, case .failed(let refusal)? = decided { refusal } else { nil }
  }

  /// Why the empty action is sent in its place.
  private func reasonForNothing(
    at now: Instant,
    _ session: ReplicaClient.SessionState,
  ) -> Outcome.Failure {
    if let refusal { return refusal }
    if rest?.condition != nil, !session.takesConditions {
      let message = "The daemon is too old for actions with a condition. Update the daemon."
      return Outcome.Failure(code: Outcome.rejected, message: message)
    }
    if isOver(at: now) {
      let message = "Its time was over before the daemon had it."
      return Outcome.Failure(code: Outcome.expired, message: message)
    }
    return obstacle(mostBytes: session.actionBytes) ?? hopelessness
  }

  /// Its deadline on the wall clock, in milliseconds since 1970.
  private func deadline(at now: Moment) -> UInt64? {
    guard let end else { return nil }
    let left = UInt64(clamping: now.instant.duration(to: end).wholeMilliseconds)
    return now.wallMilliseconds.addingReportingOverflow(left).partialValue
  }

  /// The encoding of null, which is the empty action for the handle 0.
  static let nothing: [UInt8] = [0xf6]

  /// The failure of an action whose scope is refused or left, so that no daemon can accept it.
  var hopelessness: Outcome.Failure {
    let message =
      if case .refused(let failure) = scope.status {
        failure.message
      } else {
        "The scope \"\(scope.name)\" is not joined any more."
      }
    return Outcome.Failure(code: Outcome.rejected, message: message)
  }

  /// Its outcome, with the most specific reason that is known.
  ///
  /// - Parameters:
  ///   - outcome: The daemon's outcome.
  ///   - epoch: The daemon's epoch. If the action was first sent to an earlier epoch, a refusal by
  ///     this one does not mean that it never ran.
  /// - Returns: The outcome for waiters.
  func explained(_ outcome: Outcome, epoch: UInt64?) -> Outcome {
    guard case .failed(var failure) = outcome else { return outcome }
    if failure.code == Outcome.rejected, let replaced = rest?.replaced { failure = replaced }
    let mayHaveRun = epoch != nil && firstEpoch != nil && firstEpoch != epoch
    guard mayHaveRun || failure.code == Outcome.forgotten else { return .failed(failure) }
    if failure.code == Outcome.crashed {
      let message = "\(failure.message) It is not known whether a still earlier daemon applied it."
      return .failed(Outcome.Failure(code: Outcome.crashed, message: message))
    }
    let message = "It was sent, and it is not known whether it was applied. \(failure.message)"
    return .failed(Outcome.Failure(code: Outcome.outcomeUnknown, message: message))
  }
}
