package import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The main loop of a program that runs the main queue itself.
///
/// Tests are such programs, and applications with a user interface. The main queue does all the
/// work; libdispatch watches the sockets.
///
/// libzmq signals a socket's descriptor on the edge, and any call on the socket may consume the
/// edge. So every turn ends by asking the sockets themselves whether there is more.
@MainActor
package final class QueueLoop {
  private let participant: any LoopParticipant
  private var sources: [any DispatchSourceRead] = []
  private var timer: (any DispatchSourceTimer)?
  private var generation = -1
  private var isTurning = false
  private var isStopped = false
  private let onFailure: @MainActor (ZeroMQError) -> Void

  /// Creates a loop for a participant whose sockets are open; it turns from now on.
  package init(
    _ participant: any LoopParticipant,
    onFailure: @escaping @MainActor (ZeroMQError) -> Void,
  ) {
    self.participant = participant
    self.onFailure = onFailure
  }

  /// Turns once and from then on whenever something comes.
  package func start() { wakeUp() }

  /// Turns no more.
  package func stop() {
    isStopped = true
    for source in sources { source.cancel() }
    sources = []
    timer?.cancel()
    timer = nil
  }

  /// Turns soon: to be called after something was handed to the participant outside a turn.
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
      // What has come, or what it led to, may have ended everything, and closed the sockets.
      guard !isStopped else { return }
      try participant.endTurn()
      guard !isStopped else { return }
      // Who has connected afresh has other sockets by now, which nobody else would look at.
      try watchSockets()
      // Sending may have consumed the edge of what came meanwhile.
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
  /// Calls `body` on the main queue when something may have come, until the source is canceled.
  ///
  /// Watches a copy of the socket's descriptor: it stays open until then, whenever the socket is
  /// closed.
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
