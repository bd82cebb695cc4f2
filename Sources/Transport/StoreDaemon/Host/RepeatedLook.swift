import Dispatch

/// Repeats a check, off the main thread, for as long as it lives.
@MainActor
final class RepeatedLook<Finding: Sendable> {
  private let timer: any DispatchSourceTimer

  /// Starts checking.
  ///
  /// - Parameters:
  ///   - seconds: The time between two checks, and before the first.
  ///   - queue: The queue on which it checks.
  ///   - look: Returns a new finding, or nil. It may block.
  ///   - onFinding: Called with each finding.
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

  /// A nonisolated function, so that the closure is not isolated to the main actor.
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
