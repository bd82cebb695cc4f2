package import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The main loop of a program whose main queue is run by Dispatch or an application framework.
///
/// Tests and applications with a user interface are such programs. The main queue does all the
/// work; libdispatch watches the sockets.
///
/// libzmq signals a socket's descriptor on the edge, and any call on the socket may consume the
/// edge. So at the end of every turn the loop asks the sockets themselves for more messages.
@MainActor
package final class QueueLoop {
  private let participant: any LoopParticipant
  private var sources: [any DispatchSourceRead] = []
  private var timer: (any DispatchSourceTimer)?
  private var generation = -1
  private var isTurning = false
  private var isStopped = false
  private let onFailure: @MainActor (ZeroMQError) -> Void

  /// Creates a loop for a participant whose sockets are open; ``start()`` begins its turns.
  package init(
    _ participant: any LoopParticipant,
    onFailure: @escaping @MainActor (ZeroMQError) -> Void,
  ) {
    self.participant = participant
    self.onFailure = onFailure
  }

  /// Requests the first turn; later turns follow when messages arrive.
  package func start() { wakeUp() }

  /// Stops the loop: no further turn runs.
  package func stop() {
    isStopped = true
    for source in sources { source.cancel() }
    sources = []
    timer?.cancel()
    timer = nil
  }

  /// Requests a turn: to be called after the participant has received work outside a turn.
  package func wakeUp() {
    guard !isTurning, !isStopped else { return }
    isTurning = true
    DispatchQueue.main.async { [weak self] in
      MainActor.assumeIsolated { self?.turn() }
    }
  }

  private func turn() {
    isTurning = false
    guard !isStopped else { return }
    do throws(ZeroMQError) {
      try watchSockets()
      var hasMore = try participant.receiveMessages()
      // The messages, or their effects, may have ended the loop and closed the sockets.
      guard !isStopped else { return }
      try participant.endTurn()
      guard !isStopped else { return }
      // A participant that has reconnected has new sockets, which must be watched.
      try watchSockets()
      // Sending may have consumed the edge of messages that arrived meanwhile.
      for socket in participant.sockets where try socket.events.contains(.readable) {
        hasMore = true
      }
      if hasMore { wakeUp() }
      scheduleTimer()
    } catch {
      stop()
      onFailure(error)
    }
  }

  private func watchSockets() throws(ZeroMQError) {
    guard generation != participant.socketGeneration else { return }
    generation = participant.socketGeneration
    for source in sources { source.cancel() }
    sources = []
    for socket in participant.sockets {
      sources.append(try socket.watch { [weak self] in self?.wakeUp() })
    }
  }

  private func scheduleTimer() {
    timer?.cancel()
    timer = nil
    guard let deadline = participant.nextDeadline else { return }
    let timer = DispatchSource.makeTimerSource(queue: .main)
    let wait = max(0, deadline - LoopClock.nanoseconds)
    timer.schedule(deadline: .now() + .nanoseconds(Int(wait)))
    timer.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.wakeUp() } }
    timer.resume()
    self.timer = timer
  }
}

extension Socket {
  /// Calls `body` on the main queue when messages may have arrived, until the source is canceled.
  ///
  /// Watches a duplicate of the socket's descriptor: the duplicate stays open until the
  /// cancellation, even if the socket is closed before.
  @MainActor
  package func watch(
    _ body: @escaping @MainActor () -> Void
  ) throws(ZeroMQError) -> any DispatchSourceRead {
    let descriptor = dup(try fileDescriptor)
    guard descriptor >= 0 else {
      throw ZeroMQError(code: errno, operation: "watch", subject: "a socket")
    }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    source.setEventHandler { MainActor.assumeIsolated(body) }
    source.setCancelHandler { Self.close(descriptor) }
    source.resume()
    return source
  }

  private nonisolated static func close(_ descriptor: Int32) {
    #if canImport(Glibc)
    _ = Glibc.close(descriptor)
    #elseif canImport(Darwin)
    _ = Darwin.close(descriptor)
    #endif
  }
}
