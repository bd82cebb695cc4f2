/// The receiver of a running effect's outputs and its end.
@MainActor
final class Pipe<Output, Failure: Error> {
  /// The lifetime of the outputs' receiver.
  let lifetime: Lifetime
  let cancellations: CancellationTable
  private(set) var isComplete = false
  /// Whether the effect was cancelled by its id.
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

  /// Sends an output; after cancellation or completion of the effect it is dropped.
  func send(_ output: Output) {
    guard !isComplete, !lifetime.isOver else { return }
    onOutput(output)
  }

  /// Ends the effect, with a failure or success.
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

  /// Registers a closure that stops the work if the effect is cancelled before it is complete.
  func whenCancelled(_ stop: @escaping @MainActor () -> Void) {
    guard !isComplete else { return }
    stopKey = lifetime.whenOver(stop)
  }

  /// Registers a closure that cleans up when the effect is complete or cancelled.
  func whenOver(_ end: @escaping @MainActor () -> Void) {
    guard !isComplete, !lifetime.isOver else { return end() }
    onEnd = end
    whenCancelled { [self] in complete() }
  }

  /// Returns a pipe into this one, for a part of this pipe's effect.
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
