package import StoreProtocol

/// Moves a client's bytes and supplies the time: sockets and clocks, or a simulated network.
@MainActor
package protocol ClientTransport: AnyObject {
  associatedtype Failure: Error

  /// The current time, on both clocks.
  var now: Moment { get }

  /// Whether the control connection that there was has ended, and there is no new one.
  ///
  /// A frame of a new one is not taken before this is false.
  var isCut: Bool { get throws(Failure) }

  /// Takes the next control frame; an empty one is the greeting of a new connection.
  ///
  /// - Returns: False when there is none now.
  func receiveControl(_ take: (ArraySlice<UInt8>) -> Void) throws(Failure) -> Bool

  /// Takes the next published message: topic and body, or the welcome, which has no body.
  ///
  /// - Returns: False when there is none now.
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

/// A client's turn: it receives, does what is due, and sends, in the order that the protocol
/// requires.
///
/// The only one there is: programs, tests and the simulator differ in the transport alone. Whoever
/// drives it calls ``receive()`` and then ``end()``, when something has come, when
/// ``nextDeadline`` has, or when the client asks for it.
@MainActor
package final class ClientTurn<Transport: ClientTransport> {
  package let client: ReplicaClient
  package let transport: Transport
  /// Called for each event of the connection, at the end of its turn.
  package var onEvent: @MainActor (ClientEvent) -> Void = { _ in }
  /// When the turn began to receive; what arrived later may be unread.
  private var heardUntil: Moment

  /// Messages taken from one socket in one turn.
  private static var messagesPerTurn: Int { 1024 }
  /// After how many messages the clock is read again.
  private static var messagesPerLook: Int { 16 }
  /// How long a turn takes messages of a socket: pings have to go out, however long it takes the
  /// replicas to apply what comes.
  private static var timePerTurn: Duration { .milliseconds(10) }

  package init(_ client: ReplicaClient, _ transport: Transport) {
    self.client = client
    self.transport = transport
    heardUntil = transport.now
  }

  /// Receives what has arrived, with a limit so that the rest of the turn gets its time.
  ///
  /// - Returns: Whether more may have arrived.
  package func receive() throws(Transport.Failure) -> Bool {
    let moment = transport.now
    let moreControl = try receiveControl(moment)
    let morePublished = try receivePublished(moment)
    // Whoever left something for the next turn was heard in this one, so it moves on either way:
    // a daemon that never pauses must not keep us from pinging it.
    heardUntil = moment
    return moreControl || morePublished
  }

  private func receiveControl(_ moment: Moment) throws(Transport.Failure) -> Bool {
    let wasCut = try transport.isCut
    let end = moment.instant.advanced(by: Self.timePerTurn)
    for number in 1...Self.messagesPerTurn {
      let hasCome = try transport.receiveControl { client.receive(control: $0, at: moment) }
      guard hasCome else {
        // What came before the end is taken by now, and no greeting of a new connection was.
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

  /// Does what is due, sends what the turn has produced, and reports events.
  package func end() throws(Transport.Failure) {
    // The daemon is not silent because we were slow to listen.
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

  /// When ``end()`` has something to do even without a message; nil for never.
  package var nextDeadline: Instant? { client.nextDeadline }

  /// Ends the session and all waits, and says goodbye.
  ///
  /// - Parameter reason: Why, as those are told who wait.
  /// - Throws: What the transport throws; everybody was told all the same.
  package func close(_ reason: String) throws(Transport.Failure) {
    client.close(reason, at: transport.now)
    try flush()
  }
}
