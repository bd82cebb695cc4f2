import StoreState

/// An action on its way: accepted here, decided by the daemon, then part of the local state.
@MainActor
package final class ActionTicket {
  let scope: ClientScope
  let action: [UInt8]
  let deadline: UInt64?
  /// Set when the action is first sent.
  var sequence: UInt64?

  /// What became of it, once the local state includes it or it was refused.
  package private(set) var outcome: Outcome?
  /// Whether its effects have ended, or it has none.
  package private(set) var isFinished = false
  package private(set) var isCancelled = false

  // What the daemon said, kept back until the local state has reached it.
  var decided: Outcome?
  private(set) var effectsEnded = false
  /// Its form for a daemon of another build, or why there is none.
  private var translation: (by: ScopeTranslation, result: Result<[UInt8], Outcome.Failure>)?
  /// Why the daemon was sent something in its place that it refuses.
  private var replaced: Outcome.Failure?
  // Nearly always there is one who waits, and an array of one would have to be allocated.
  private var onSettled: (@MainActor (Outcome) -> Void)?
  private var onSettledToo: [@MainActor (Outcome) -> Void] = []
  private var onFinished: [@MainActor () -> Void] = []

  init(scope: ClientScope, action: [UInt8], deadline: UInt64?) {
    self.scope = scope
    self.action = action
    self.deadline = deadline
  }

  /// Runs `body` with the outcome, at once when it is known.
  package func whenSettled(_ body: @escaping @MainActor (Outcome) -> Void) {
    if let outcome { return body(outcome) }
    if onSettled == nil { onSettled = body } else { onSettledToo.append(body) }
  }

  /// Runs `body` when the action's effects have ended, at once when they have.
  package func whenFinished(_ body: @escaping @MainActor () -> Void) {
    if isFinished { body() } else { onFinished.append(body) }
  }

  func settle(_ outcome: Outcome) {
    guard self.outcome == nil else { return }
    self.outcome = outcome
    let (first, others) = (onSettled, onSettledToo)
    onSettled = nil
    if !others.isEmpty { onSettledToo = [] }
    first?(outcome)
    for body in others { body(outcome) }
    if case .applied(_, hasEffects: true) = outcome, !effectsEnded { return }
    finish()
  }

  /// The daemon said that the effects ended, or they cannot run any longer.
  func endEffects() {
    effectsEnded = true
    if outcome != nil { finish() }
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
    guard !onFinished.isEmpty else { return }
    let bodies = onFinished
    onFinished = []
    for body in bodies { body() }
  }
}

// MARK: - What the daemon is sent

extension ActionTicket {
  /// The action as the daemon understands it.
  func translated() -> Result<[UInt8], Outcome.Failure> {
    guard let by = scope.translation, let actions = by.action else { return .success(action) }
    if let translation, translation.by === by { return translation.result }
    let result = actions.translate(action)
    translation = (by, result)
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
        replaced = nil
        return encoder.action(bytes, handle: handle, deadline: deadline)
      case .failure(let failure): replaced = failure
      }
    } else {
      replaced = hopelessness
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
    guard case .failed(let failure) = outcome, failure.code == Outcome.rejected, let replaced else {
      return outcome
    }
    return .failed(replaced)
  }
}
