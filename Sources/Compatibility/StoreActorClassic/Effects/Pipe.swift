/// Where a running effect puts its outputs and its end.
@MainActor
final class Pipe<Output, Failure: Error> {
  /// How long anybody wants what comes out.
  let lifetime: Lifetime
  let cancellations: CancellationTable
  private(set) var isComplete = false
  /// Whether the effect was over because it was cancelled by its id.
  private(set) var wasCancelled = false
  private let onOutput: @MainActor (Output) -> Void
  private let onCompletion: @MainActor (Failure?) -> Void
  private var stopKey: Int?
  private var onEnd: (@MainActor () -> Void)?

  init(
    lifetime: Lifetime,
    cancellations: CancellationTable,
    onOutput: @escaping @MainActor (Output) -> Void,
    onCompletion: @escaping @MainActor (Failure?) -> Void,
  ) {
    self.lifetime = lifetime
    self.cancellations = cancellations
    self.onOutput = onOutput
    self.onCompletion = onCompletion
  }

  /// Puts an output; nobody hears of it any more once the effect has been cancelled or is complete.
  func send(_ output: Output) {
    guard !isComplete, !lifetime.isOver else { return }
    onOutput(output)
  }

  /// Ends the effect, with a failure or as intended.
  func complete(_ failure: Failure? = nil) {
    guard !isComplete else { return }
    isComplete = true
    if let stopKey { lifetime.forget(stopKey) }
    onEnd?()
    onEnd = nil
    guard !lifetime.isOver else { return }
    onCompletion(failure)
  }

  /// Ends the effect because it was cancelled by its id.
  func completeCancelled() {
    wasCancelled = true
    complete()
  }

  /// Says how to stop the work when the effect is cancelled before it is complete.
  func whenCancelled(_ stop: @escaping @MainActor () -> Void) {
    guard !isComplete else { return }
    stopKey = lifetime.whenOver(stop)
  }

  /// Says how to clean up when the effect is over, whether it is complete or was cancelled.
  func whenOver(_ end: @escaping @MainActor () -> Void) {
    guard !isComplete, !lifetime.isOver else { return end() }
    onEnd = end
    whenCancelled { [self] in complete() }
  }

  /// A pipe that ends in this one, for an effect that this one's is made of.
  func upstream<O, F: Error>(
    lifetime: Lifetime? = nil,
    onOutput: @escaping @MainActor (O) -> Void,
    onCompletion: @escaping @MainActor (F?) -> Void,
  ) -> Pipe<O, F> {
    Pipe<O, F>(
      lifetime: lifetime ?? self.lifetime,
      cancellations: cancellations,
      onOutput: onOutput,
      onCompletion: onCompletion,
    )
  }
}
