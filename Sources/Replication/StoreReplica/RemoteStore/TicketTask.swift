import Foundation
package import StoreActor
import StoreProtocol
import Synchronization

/// The task of an action that is sent to a daemon: its outcome, and its effects there.
///
/// The ticket belongs to the main actor; any thread may read the flags.
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
      // At once, before the next message is sent.
      MainActor.assumeIsolated { client.cancel(ticket) }
    } else {
      Task { @MainActor in client.cancel(ticket) }
    }
  }

  /// Waits until the effects have ended.
  ///
  /// Cancellation of the waiting task cancels the effects, and their end is still awaited.
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
  package func applied() async throws -> AppliedAction {
    let outcome = try await Resumption<Outcome>().value { resumption in
      ticket.whenSettled { resumption.resume(with: .success($0)) }
    }
    switch outcome {
    case .applied(let revision, _): return AppliedAction(revision: revision)
    case .replied(let reply):
      guard let value = reply.value else {
        return AppliedAction(revision: reply.revision, reply: .forgotten)
      }
      let encoded = EncodedOutput(
        bytes: value.bytes[...],
        schema: value.schema,
        origin: ticket.scope,
      )
      return AppliedAction(revision: reply.revision, reply: .value(encoded))
    case .failed(let failure): throw ActionFailure(failure)
    }
  }
}
