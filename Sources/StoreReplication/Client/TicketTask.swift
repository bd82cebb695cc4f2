package import StoreActor
import Synchronization

/// The task of an action that travels: its outcome, and its effects in the daemon.
///
/// The ticket belongs to the main actor; the flags may be read from anywhere.
package final class TicketTask: StoreTaskHandle {
  private let ticket: ActionTicket
  private let cancelTicket: @Sendable () -> Void
  private let finishedFlag = Atomic(false)
  private let cancelledFlag = Atomic(false)

  /// Creates the task of a ticket.
  ///
  /// - Parameters:
  ///   - ticket: The ticket.
  ///   - cancel: Tells the daemon to cancel the action's effects; called in any isolation.
  @MainActor
  package init(_ ticket: ActionTicket, cancel: @escaping @Sendable () -> Void) {
    self.ticket = ticket
    cancelTicket = cancel
    ticket.whenFinished { [weak self] in
      self?.finishedFlag.store(true, ordering: .releasing)
    }
  }

  package var isFinished: Bool { finishedFlag.load(ordering: .acquiring) }
  package var isCancelled: Bool { cancelledFlag.load(ordering: .acquiring) }

  package func cancel() {
    cancelledFlag.store(true, ordering: .releasing)
    cancelTicket()
  }

  package func finish() async {
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
  package func whenFinished(_ body: @escaping @MainActor @Sendable () -> Void) {
    ticket.whenFinished(body)
  }

  package func applied() async throws -> UInt64 {
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
  /// The failure that an outcome tells, with what to do.
  package init(_ failure: Outcome.Failure) {
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
