package import StoreActor

/// The task of an action that could not even be written down.
package final class FailedTask: StoreTaskHandle {
  private let failure: ActionFailure

  package init(failure: ActionFailure) { self.failure = failure }

  package var isCancelled: Bool { false }
  package var isFinished: Bool { true }

  package func cancel() {}

  package func finish() async {}

  @MainActor
  package func whenFinished(_ body: @escaping @MainActor @Sendable () -> Void) { body() }

  package func applied() async throws -> UInt64 { throw failure }
}
