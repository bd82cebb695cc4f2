import StoreActor
import StoreReplication
import Synchronization

/// A remote action's task: its outcome, and its effects in the daemon.
///
/// The ticket and the client belong to the main actor; the flags may be read from anywhere.
final class RemoteTask: StoreTaskHandle {
  private let ticket: ActionTicket
  private let client: ReplicaClient
  private let wakeUp: @MainActor @Sendable () -> Void
  private let finishedFlag = Atomic(false)
  private let cancelledFlag = Atomic(false)

  @MainActor
  init(
    _ ticket: ActionTicket,
    client: ReplicaClient,
    wakeUp: @escaping @MainActor @Sendable () -> Void,
  ) {
    self.ticket = ticket
    self.client = client
    self.wakeUp = wakeUp
    ticket.whenFinished { [weak self] in
      self?.finishedFlag.store(true, ordering: .releasing)
    }
  }

  var isFinished: Bool { finishedFlag.load(ordering: .acquiring) }
  var isCancelled: Bool { cancelledFlag.load(ordering: .acquiring) }

  func cancel() {
    cancelledFlag.store(true, ordering: .releasing)
    Task { @MainActor in
      client.cancel(ticket)
      wakeUp()
    }
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
    case .failed(let failure): throw ActionFailure(failure)
    }
  }

  @MainActor
  private func awaitOutcome() async -> Outcome {
    await withCheckedContinuation { continuation in
      ticket.whenSettled { continuation.resume(returning: $0) }
    }
  }
}

extension ActionFailure {
  init(_ failure: Outcome.Failure) {
    let code: Code
    let remedy: String
    switch failure.code {
    case Outcome.expired:
      (code, remedy) = (.expired, "Send it again if it is still wanted.")
    case Outcome.overloaded: (code, remedy) = (.overloaded, "Try again later.")
    case Outcome.forgotten:
      (code, remedy) = (.forgotten, "Look at the state to see whether it was applied.")
    case "unauthorised": (code, remedy) = (.unauthorized, "Ask for the right to send it.")
    case "disconnected": (code, remedy) = (.disconnected, "Connect again.")
    default: (code, remedy) = (.rejected, "Correct the action; it was not applied.")
    }
    self.init(code: code, message: failure.message, remedy: remedy)
  }
}
