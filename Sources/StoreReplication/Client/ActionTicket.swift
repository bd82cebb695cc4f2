import StoreState

/// An action on its way: accepted here, decided by the daemon, then part of the local state.
///
/// Its properties are not checked for overlapping accesses, which would cost a tenth of an action:
/// none is handed on `inout`.
@MainActor
package final class ActionTicket {
  let scope: ClientScope
  let action: [UInt8]
  let deadline: UInt64?
  /// Set when the action is first sent.
  @exclusivity(unchecked) var sequence: UInt64?

  /// What the daemon said, kept back until the local state has reached it; then what became of it.
  @exclusivity(unchecked) private(set) var decided: Outcome?
  @exclusivity(unchecked) private var isSettled = false
  /// Whether its effects have ended, or it has none.
  @exclusivity(unchecked) package private(set) var isFinished = false
  @exclusivity(unchecked) package private(set) var isCancelled = false
  @exclusivity(unchecked) private(set) var effectsEnded = false

  // Nearly always there is one who waits, and an array of one would have to be allocated.
  @exclusivity(unchecked) private var onSettled: (@MainActor (Outcome) -> Void)?
  @exclusivity(unchecked) private var onFinished: (@MainActor () -> Void)?
  /// What few have.
  @exclusivity(unchecked) private var rest: Rest?

  private struct Translation {
    let by: ScopeTranslation
    let result: Result<[UInt8], Outcome.Failure>
  }

  /// Apart, so that those who have none of it are short.
  @MainActor
  private final class Rest {
    var onSettled: [@MainActor (Outcome) -> Void] = []
    var onFinished: [@MainActor () -> Void] = []
    /// Its form for a daemon of another build, or why there is none.
    var translation: Translation?
    /// Why the daemon was sent something in its place that it refuses.
    var replaced: Outcome.Failure?
  }

  init(scope: ClientScope, action: [UInt8], deadline: UInt64?) {
    self.scope = scope
    self.action = action
    self.deadline = deadline
  }

  /// What became of it, once the local state includes it or it was refused.
  package var outcome: Outcome? { isSettled ? decided : nil }

  /// Whether the daemon has said what becomes of it.
  var isDecided: Bool { decided != nil }

  /// Notes what the daemon said.
  func decide(_ outcome: Outcome) { decided = outcome }

  /// Runs `body` with the outcome, at once when it is known.
  package func whenSettled(_ body: @escaping @MainActor (Outcome) -> Void) {
    if let outcome { return body(outcome) }
    if onSettled == nil { onSettled = body } else { ensureRest().onSettled.append(body) }
  }

  /// Runs `body` when the action's effects have ended, at once when they have.
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
    if let first = onSettled {
      onSettled = nil
      first(outcome)
    }
    if let rest, !rest.onSettled.isEmpty {
      let others = rest.onSettled
      rest.onSettled = []
      for body in others { body(outcome) }
    }
    if case .applied(_, hasEffects: true) = outcome, !effectsEnded { return }
    finish()
  }

  /// The daemon said that the effects ended, or they cannot run any longer.
  func endEffects() {
    effectsEnded = true
    if isSettled { finish() }
  }

  /// The most bytes that it takes in a frame: with its handle and its deadline.
  var frameBytes: Int {
    guard scope.translation != nil else { return Self.frameBytes(action) }
    if case .success(let bytes) = translated() { return Self.frameBytes(bytes) }
    return Self.frameBytes([])
  }

  static func frameBytes(_ action: [UInt8]) -> Int { action.count + 18 }

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

// MARK: - What the daemon is sent

extension ActionTicket {
  /// The action as the daemon understands it.
  func translated() -> Result<[UInt8], Outcome.Failure> {
    guard let by = scope.translation, let actions = by.action else { return .success(action) }
    let rest = ensureRest()
    if let translation = rest.translation, translation.by === by { return translation.result }
    let result = actions.translate(action)
    rest.translation = Translation(by: by, result: result)
    return result
  }

  /// Writes it into a frame of actions.
  ///
  /// What cannot be told the daemon, because its scope is gone or its case unknown there, becomes
  /// something that it refuses: the sequence has to advance all the same.
  func encode(to encoder: inout CBOREncoder) {
    if let handle = scope.handle {
      switch translated() {
      case .success(let bytes):
        rest?.replaced = nil
        return encoder.action(bytes, handle: handle, deadline: deadline)
      case .failure(let failure): ensureRest().replaced = failure
      }
    } else {
      ensureRest().replaced = hopelessness
    }
    encoder.action(Self.nothing, handle: 0, deadline: nil)
  }

  /// The encoding of null, which stands for an action of no scope.
  private static let nothing: [UInt8] = [0xf6]

  /// Why there is nobody who could take it.
  var hopelessness: Outcome.Failure {
    let message =
      if case .refused(let failure) = scope.status {
        failure.message
      } else {
        "The scope \"\(scope.name)\" was left before."
      }
    return Outcome.Failure(code: Outcome.rejected, message: message)
  }

  /// What became of it, in the words of whoever knows why.
  func explained(_ outcome: Outcome) -> Outcome {
    guard case .failed(let failure) = outcome, failure.code == Outcome.rejected,
      let replaced = rest?.replaced
    else { return outcome }
    return .failed(replaced)
  }
}
