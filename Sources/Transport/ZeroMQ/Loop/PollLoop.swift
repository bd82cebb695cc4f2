#if os(Linux)
import Glibc

/// The main loop of a program that keeps the main thread: sockets, the main queue and deadlines, in
/// one thread and one order.
@MainActor
package final class PollLoop {
  private let participant: any LoopParticipant
  private var poller: Poller
  private var generation: Int
  private var isStopped = false
  private var polling = AdaptivePolling.messages
  private var answerPolling = AdaptivePolling.answers
  private var pause = PollingPause()

  /// Creates a loop for a participant whose sockets are open.
  package init(_ participant: any LoopParticipant) {
    self.participant = participant
    poller = Self.poller(for: participant)
    generation = participant.socketGeneration
  }

  private static func poller(for participant: any LoopParticipant) -> Poller {
    Poller([.descriptor(MainQueue.descriptor)] + participant.sockets.map { .socket($0) })
  }

  /// Ends ``run()`` after the turn in progress.
  package func stop() { isStopped = true }

  /// Runs turns until ``stop()`` is called.
  ///
  /// Must be called on the main thread, and not from an asynchronous `main`: there the main actor
  /// has moved to a worker thread after its first suspension, and a loop would starve it.
  package func run() throws(ZeroMQError) {
    precondition(MainThread.isCurrent, "the main loop needs the main thread")
    // Does the work that was queued before the loop began, and sends the messages of the start.
    MainQueue.drain()
    try participant.endTurn()
    var hasMore = false
    while !isStopped {
      if generation != participant.socketGeneration {
        generation = participant.socketGeneration
        poller = Self.poller(for: participant)
      }
      if hasMore { _ = try poller.wait(timeout: .zero) } else { try wait() }
      if poller.isReady(0) { MainQueue.drain() }
      hasMore = try participant.receiveMessages()
      if participant.resumesMainQueue { MainQueue.drain() }
      try participant.endTurn()
    }
  }

  /// Waits for work or for the next deadline.
  private func wait() throws(ZeroMQError) {
    if participant.awaitsAnswer { try wait(&answerPolling) } else { try wait(&polling) }
  }

  private func wait(_ polling: inout AdaptivePolling) throws(ZeroMQError) {
    let start = LoopClock.nanoseconds
    if try !isFound(by: polling, since: start) {
      let timeout = participant.nextDeadline.map {
        Duration.nanoseconds(max(0, $0 - LoopClock.nanoseconds))
      }
      _ = try poller.wait(timeout: timeout)
    }
    polling.waited(LoopClock.nanoseconds - start)
  }

  /// Polls for a moment, if that is worthwhile and no other program needs the core; other threads
  /// may run between two polls.
  private func isFound(by polling: AdaptivePolling, since start: Int64) throws(ZeroMQError) -> Bool
  {
    guard polling.isWorthwhile, pause.isOver(at: start) else { return false }
    let end = min(start + polling.limit, participant.nextDeadline ?? .max)
    var last = start
    repeat {
      if try poller.wait(timeout: .zero) > 0 { return true }
      sched_yield()
      let now = LoopClock.nanoseconds
      if pause.begins(after: now - last, at: now) { return false }
      last = now
    } while last < end
    return false
  }
}
#endif
