package import StoreProtocol

/// Moves a client's bytes and supplies the time: sockets and clocks, or a simulated network.
@MainActor
package protocol ClientTransport: AnyObject {
  associatedtype Failure: Error

  /// The current time, on both clocks.
  var now: Moment { get }

  /// Whether the control connection has ended and no new one exists.
  ///
  /// Frames of a new connection are not taken until this is false.
  var isCut: Bool { get throws(Failure) }

  /// Takes the next control frame; an empty one is the greeting of a new connection.
  ///
  /// - Returns: False when no message has arrived.
  func receiveControl(_ take: (ArraySlice<UInt8>) -> Void) throws(Failure) -> Bool

  /// Takes the next published message: topic and body, or the welcome, which has no body.
  ///
  /// - Returns: False when no message has arrived.
  func receivePublished(
    _ take: (_ topic: ArraySlice<UInt8>, _ body: ArraySlice<UInt8>?) -> Void
  ) throws(Failure) -> Bool

  /// Sends a control frame; without a connection it is dropped.
  func send(control frame: consuming [UInt8]) throws(Failure)

  /// Sends a frame upstream: a subscription, an unsubscription or a fence.
  func send(upstream frame: [UInt8]) throws(Failure)

  /// Closes both connections and opens new ones.
  func reconnect() throws(Failure)
}

/// A client's turn: it receives, performs due work and sends, in the order that the
/// protocol requires.
///
/// This is the only driver: programs, tests and the simulator differ in the transport alone. The
/// caller calls ``receive()`` and then ``end()`` when a message has arrived, when ``nextDeadline``
/// has passed, or when the client asks for a turn.
@MainActor
package final class ClientTurn<Transport: ClientTransport> {
  package let client: ReplicaClient
  package let transport: Transport
  /// Called for each event of the connection, at the end of its turn.
  package var onEvent: @MainActor (ClientEvent) -> Void = { _ in }
  /// When the turn began to receive; later messages may be unread.
  private var heardUntil: Moment

  /// Messages taken from one socket in one turn.
  private static var messagesPerTurn: Int { 1024 }
  /// The number of messages between two readings of the clock.
  private static var messagesPerLook: Int { 16 }
  /// The time limit for one socket's messages in a turn: pings must be sent, however long the
  /// replicas take to apply messages.
  private static var timePerTurn: Duration { .milliseconds(10) }

  package init(_ client: ReplicaClient, _ transport: Transport) {
    self.client = client
    self.transport = transport
    heardUntil = transport.now
  }

  /// Receives messages that have arrived, with a limit so that the rest of the turn gets its time.
  ///
  /// - Returns: Whether more may have arrived.
  package func receive() throws(Transport.Failure) -> Bool {
    let moment = transport.now
    let moreControl = try receiveControl(moment)
    let morePublished = try receivePublished(moment)
    // Unread messages still prove that the daemon was heard in this turn, so the time moves on in
    // both cases: a daemon that never pauses must not keep the client from pinging it.
    heardUntil = moment
    return moreControl || morePublished
  }

  private func receiveControl(_ moment: Moment) throws(Transport.Failure) -> Bool {
    let wasCut = try transport.isCut
    let end = moment.instant.advanced(by: Self.timePerTurn)
    for number in 1...Self.messagesPerTurn {
      let hasCome = try transport.receiveControl { client.receive(control: $0, at: moment) }
      guard hasCome else {
        // All messages before the end are taken by now, and no greeting of a new connection was.
        if wasCut, try transport.isCut { client.disconnected(at: moment) }
        return false
      }
      if client.isTurnFull || isLate(after: number, end) { break }
    }
    return true
  }

  private func receivePublished(_ moment: Moment) throws(Transport.Failure) -> Bool {
    let end = transport.now.instant.advanced(by: Self.timePerTurn)
    for number in 1...Self.messagesPerTurn {
      let hasCome = try transport.receivePublished { topic, body in
        if let body {
          client.receive(topic: topic, body: body, at: moment)
        } else {
          client.receive(welcome: topic, at: moment)
        }
      }
      guard hasCome else { return false }
      if client.isTurnFull || isLate(after: number, end) { break }
    }
    return true
  }

  /// Whether the time for one socket's messages is used up, as of the last reading of the clock.
  private func isLate(after number: Int, _ end: Instant) -> Bool {
    number.isMultiple(of: Self.messagesPerLook) && transport.now.instant >= end
  }

  /// Performs due work, sends the frames that the turn has produced, and reports events.
  package func end() throws(Transport.Failure) {
    // The client's own delay does not count as the daemon's silence.
    if let deadline = client.nextDeadline, deadline <= heardUntil.instant {
      client.tick(heardUntil)
    } else {
      client.endTurn(transport.now)
    }
    try flush()
  }

  private func flush() throws(Transport.Failure) {
    while let outgoing = client.nextOutgoing() {
      switch outgoing {
      case .control(let frame): try transport.send(control: frame)
      case .subscribe(let topic): try transport.send(upstream: [1] + topic.bytes)
      case .unsubscribe(let topic): try transport.send(upstream: [0] + topic.bytes)
      case .upstream(let frame): try transport.send(upstream: frame)
      case .reconnect: try transport.reconnect()
      }
    }
    for event in client.takeEvents() { onEvent(event) }
  }

  /// When ``end()`` has work to do even without a message; nil for never.
  package var nextDeadline: Instant? { client.nextDeadline }

  /// Ends the session and all waits, and sends a goodbye.
  ///
  /// - Parameter reason: The reason, for the waiters.
  /// - Throws: The transport's errors; all waiters are notified in any case.
  package func close(_ reason: String) throws(Transport.Failure) {
    client.close(reason, at: transport.now)
    try flush()
  }
}
