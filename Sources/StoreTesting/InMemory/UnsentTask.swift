import StoreActor
import StoreState

/// The task of an action that no client can send.
final class UnsentTask: StoreTaskHandle {
  private let error: CodecError

  init(error: CodecError) {
    self.error = error
  }

  var isFinished: Bool { true }
  var isCancelled: Bool { false }

  func cancel() {}

  func finish() async {}

  @MainActor
  func whenFinished(_ body: @escaping @MainActor @Sendable () -> Void) {
    body()
  }

  func applied() async throws -> UInt64 {
    throw ActionFailure(
      code: .rejected,
      message: "A client cannot send it: \(error)",
      remedy: "Receive it from the effect that sends it, or make it an action for clients.",
    )
  }
}
