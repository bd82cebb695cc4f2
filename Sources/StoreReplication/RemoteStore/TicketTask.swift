import Foundation
package import StoreActor
import Synchronization

/// The task of an action that is sent to a daemon: its outcome, and its effects there.
///
/// The ticket belongs to the main actor; the flags may be read from anywhere.
package final class TicketTask: SentTaskHandle {
  private let ticket: ActionTicket
  private let client: ReplicaClient
  private let finishedFlag = Atomic(false)
  private let canceledFlag = Atomic(false)

  @MainActor
  package init(_ ticket: ActionTicket, of client: ReplicaClient) {
    self.ticket = ticket
    self.client = client
    ticket.whenFinished { [weak self] in
      self?.finishedFlag.store(true, ordering: .releasing)
    }
  }

  package var isFinished: Bool { finishedFlag.load(ordering: .acquiring) }
  package var isCancelled: Bool { canceledFlag.load(ordering: .acquiring) }

  package func cancel() {
    canceledFlag.store(true, ordering: .releasing)
    if Thread.isMainThread {
      // Before whatever is sent next.
      MainActor.assumeIsolated { client.cancel(ticket) }
    } else {
      Task { @MainActor in client.cancel(ticket) }
    }
  }

  /// Waits until the effects have ended; when the waiting task is cancelled they are cancelled, and
  /// their end is waited for all the same.
  @MainActor
  package func finish() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        ticket.whenFinished { continuation.resume() }
      }
    } onCancel: {
      cancel()
    }
  }

  @MainActor
  package func whenFinished(_ body: @escaping @MainActor @Sendable () -> Void) {
    ticket.whenFinished(body)
  }

  @MainActor
  package func whenSettled(_ body: @escaping @MainActor @Sendable () -> Void) {
    ticket.whenSettled { _ in body() }
  }

  @MainActor
  package func applied() async throws -> UInt64 {
    let outcome = try await Resumption<Outcome>().value { resumption in
      ticket.whenSettled { resumption.resume(with: .success($0)) }
    }
    switch outcome {
    case .applied(let revision, _): return revision
    case .failed(let failure): throw ActionFailure(failure)
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
      (code, remedy) = (.expired, "It was not applied. Send it again if it is still wanted.")
    // Whoever refuses it says when to try again.
    case Outcome.overloaded: (code, remedy) = (.overloaded, "It was not applied.")
    case Outcome.absent: (code, remedy) = (.absent, "It was not applied.")
    case Outcome.conflict:
      (code, remedy) = (.conflict, "It was not applied. Change the value that there is now.")
    case Outcome.notSent: (code, remedy) = (.notSent, "It was not applied. Connect again.")
    case Outcome.outcomeUnknown, Outcome.forgotten:
      (code, remedy) = (.outcomeUnknown, "Look at the state to see whether it was applied.")
    case Outcome.appliedNotShown:
      (code, remedy) = (.appliedNotShown, "Look at the state to see what it changed.")
    case "unauthorised":
      (code, remedy) = (.unauthorized, "It was not applied. Ask for the right to send it.")
    default: (code, remedy) = (.rejected, "Correct the action; it was not applied.")
    }
    self.init(
      code: code,
      message: failure.message,
      remedy: remedy,
      revision: failure.revision,
    )
  }
}
