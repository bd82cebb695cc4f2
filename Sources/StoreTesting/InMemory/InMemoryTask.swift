import StoreActor
import StoreReplication
import StoreState
import Synchronization

/// The task of an action that has travelled.
///
/// The ticket belongs to the main actor; the flags may be read from anywhere.
final class InMemoryTask: StoreTaskHandle {
  private let ticket: ActionTicket
  private let cancelTicket: @MainActor @Sendable () -> Void
  private let finishedFlag = Atomic(false)
  private let cancelledFlag = Atomic(false)

  @MainActor
  init(_ ticket: ActionTicket, cancel: @escaping @MainActor @Sendable () -> Void) {
    self.ticket = ticket
    cancelTicket = cancel
    ticket.whenFinished { [weak self] in
      self?.finishedFlag.store(true, ordering: .releasing)
    }
  }

  var isFinished: Bool { finishedFlag.load(ordering: .acquiring) }
  var isCancelled: Bool { cancelledFlag.load(ordering: .acquiring) }

  func cancel() {
    cancelledFlag.store(true, ordering: .releasing)
    Task { @MainActor in cancelTicket() }
  }

  func finish() async {
    await withTaskCancellationHandler {
      await awaitFinish()
    } onCancel: {
      cancel()
    }
  }

  @MainActor
  private func awaitFinish() async {
    await withCheckedContinuation { continuation in
      ticket.whenFinished { continuation.resume() }
    }
  }

  @MainActor
  func whenFinished(_ body: @escaping @MainActor @Sendable () -> Void) {
    ticket.whenFinished(body)
  }

  func applied() async throws -> UInt64 {
    switch await awaitOutcome() {
    case .applied(let revision, _): return revision
    case .failed(let failure):
      throw ActionFailure(
        code: .rejected,
        message: failure.message,
        remedy: "The daemon did not reduce it (\(failure.code)).",
      )
    }
  }

  @MainActor
  private func awaitOutcome() async -> Outcome {
    await withCheckedContinuation { continuation in
      ticket.whenSettled { continuation.resume(returning: $0) }
    }
  }
}

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
