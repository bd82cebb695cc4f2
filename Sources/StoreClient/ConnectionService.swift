import StoreReplication
import ZeroMQ

/// The client's turn: frames from the sockets into the machine, and what it says back out.
@MainActor
final class ConnectionService: LoopParticipant {
  let client: ReplicaClient
  private let link: ClientSockets
  /// When the turn began to listen: what came since is not yet heard.
  private var heardUntil = Moment.current
  private var isClosed = false
  private var deadlines: [(instant: Instant, body: @MainActor () -> Void)] = []
  var onEvent: @MainActor (ClientEvent) -> Void = { _ in }

  init(client: ReplicaClient, sockets: ClientSockets) {
    self.client = client
    link = sockets
  }

  var sockets: [Socket] { [link.control, link.publishing] }
  var socketGeneration: Int { link.generation }
  /// What awaits an outcome goes on in the turn that brings it.
  var resumesMainQueue: Bool { true }

  var nextDeadline: Int64? {
    var deadline = client.nextDeadline
    for entry in deadlines { deadline = min(deadline ?? .distantFuture, entry.instant) }
    return deadline?.nanoseconds
  }

  /// Runs `body` once, at the end of the turn in which so much time is over.
  func after(_ duration: Duration, _ body: @escaping @MainActor () -> Void) {
    deadlines.append((Moment.current.instant.advanced(by: duration), body))
  }

  func receiveMessages() throws(ZeroMQError) -> Bool {
    guard !isClosed else { return false }
    let moment = Moment.current
    let moreControl = try link.receiveControl {
      client.receive(control: $0, at: moment)
      return !client.isTurnFull
    }
    let morePublished = try link.receivePublished { topic, body in
      if let body {
        client.receive(topic: topic, body: body, at: moment)
      } else {
        client.receive(welcome: topic, at: moment)
      }
      return !client.isTurnFull
    }
    // Whoever left something for the next turn was heard in this one, so it moves on either way:
    // a daemon that never pauses must not keep us from pinging it.
    heardUntil = moment
    return moreControl || morePublished
  }

  func endTurn() throws(ZeroMQError) {
    guard !isClosed else { return }
    let moment = Moment.current
    runDeadlines(moment)
    // The daemon is not silent because we were slow to listen.
    if let deadline = client.nextDeadline, deadline <= heardUntil.instant {
      client.tick(heardUntil)
    } else {
      client.endTurn(moment)
    }
    for outgoing in client.takeOutgoing() { try link.perform(outgoing) }
    for event in client.takeEvents() {
      // The daemon waits with closing until it knows that its goodbye was read.
      if case .sessionEnded("goingDown", _) = event {
        try link.perform(.control(ClientMessage.bye.encoded()))
      }
      onEvent(event)
    }
  }

  private func runDeadlines(_ moment: Moment) {
    guard deadlines.contains(where: { $0.instant <= moment.instant }) else { return }
    let due = deadlines.filter { $0.instant <= moment.instant }
    deadlines.removeAll { $0.instant <= moment.instant }
    for entry in due { entry.body() }
  }

  /// Says goodbye and closes the sockets.
  func close() throws(ZeroMQError) {
    guard !isClosed else { return }
    client.close(.current)
    for outgoing in client.takeOutgoing() { try link.perform(outgoing) }
    isClosed = true
    link.close()
  }
}

extension Moment {
  /// This moment, on both clocks.
  static var current: Moment {
    Moment(
      instant: Instant(nanoseconds: LoopClock.nanoseconds),
      wallMilliseconds: LoopClock.wallMilliseconds,
    )
  }
}
