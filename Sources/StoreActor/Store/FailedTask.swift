/// The task of an action that could not be sent.
package final class FailedTask: SentTaskHandle {
  private let failure: ActionFailure

  package init(failure: ActionFailure) { self.failure = failure }

  package var isCancelled: Bool { false }
  package var isFinished: Bool { true }

  package func cancel() {}

  package func finish() async {}

  @MainActor
  package func whenFinished(_ body: @escaping @MainActor @Sendable () -> Void) { body() }

  @MainActor
  package func whenSettled(_ body: @escaping @MainActor @Sendable () -> Void) { body() }

  package func applied() async throws -> AppliedAction { throw failure }
}

extension StoreTask {
  /// The task of an action that was sent to a store after its part had become absent.
  package static var forNobody: StoreTask {
    let failure = ActionFailure(
      code: .absent,
      message: "The action was sent to a store after what it shows had gone.",
      remedy: "It was not applied.",
    )
    return StoreTask(handle: FailedTask(failure: failure))
  }
}
