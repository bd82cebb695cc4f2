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
  var frameBytes: Int { Self.frameBytes(action) }

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
