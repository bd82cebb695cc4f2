import Dispatch

/// Repeats a check, off the main thread, for as long as it lives.
@MainActor
final class RepeatedLook<Finding: Sendable> {
  private let timer: any DispatchSourceTimer

  /// Starts checking.
  ///
  /// - Parameters:
  ///   - seconds: How long it waits between two looks, and before the first.
  ///   - queue: Where it checks.
  ///   - look: What is new; nil for nothing. It may take its time.
  ///   - onFinding: Is called with what is new.
  init(
    every seconds: Double,
    on queue: DispatchQueue = .global(qos: .utility),
    _ look: @escaping @Sendable () -> Finding?,
    onFinding: @escaping @MainActor (Finding) -> Void,
  ) {
    timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + seconds, repeating: seconds, leeway: .milliseconds(100))
    timer.setEventHandler(handler: Self.handler(look, onFinding))
    timer.resume()
  }

  isolated deinit { timer.cancel() }

  /// Made where no actor is, or it would be the main actor's.
  private nonisolated static func handler(
    _ look: @escaping @Sendable () -> Finding?,
    _ onFinding: @escaping @MainActor (Finding) -> Void,
  ) -> @Sendable () -> Void {
    {
      guard let finding = look() else { return }
      DispatchQueue.main.async { MainActor.assumeIsolated { onFinding(finding) } }
    }
  }
}
