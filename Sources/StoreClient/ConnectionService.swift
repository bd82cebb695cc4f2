import StoreReplication
import ZeroMQ

/// A client's turn in a main loop.
///
/// Whoever is told of something in a turn may close the connection. Then everybody who waits is
/// told at once; the sockets are closed when the turn has done with them.
@MainActor
final class ConnectionService: LoopParticipant {
  let turn: ClientTurn<ClientSockets>
  /// Is told that the daemon serves this client no more.
  var onRefusal: @MainActor () -> Void = {}
  private(set) var isClosed = false
  /// Whether something is done with the sockets.
  private var isTurning = false

  init(_ client: ReplicaClient, _ sockets: ClientSockets) { turn = ClientTurn(client, sockets) }

  private var link: ClientSockets { turn.transport }
  var sockets: [Socket] { link.isClosed ? [] : [link.control, link.publishing] }
  var socketGeneration: Int { link.generation }
  /// What awaits an outcome goes on in the turn that brings it.
  var resumesMainQueue: Bool { true }
  var awaitsAnswer: Bool { turn.client.pendingActions > 0 }
  var nextDeadline: Int64? { isClosed ? nil : turn.nextDeadline?.nanoseconds }

  func receiveMessages() throws(ZeroMQError) -> Bool {
    guard !isClosed else { return false }
    isTurning = true
    defer { endTurning() }
    return try turn.receive() && !isClosed
  }

  func endTurn() throws(ZeroMQError) {
    guard !isClosed else { return }
    isTurning = true
    defer { endTurning() }
    try turn.end()
    guard turn.client.isClosed, !isClosed else { return }
    isClosed = true
    onRefusal()
  }

  private func endTurning() {
    isTurning = false
    if isClosed { link.close() }
  }

  /// Ends the session and everything that waits, and closes the sockets.
  ///
  /// - Parameter reason: Why, as those are told who wait.
  /// - Throws: ``ZeroMQError`` when the goodbye cannot be sent.
  func close(_ reason: String) throws(ZeroMQError) {
    guard !isClosed else { return }
    isClosed = true
    defer { if !isTurning { link.close() } }
    try turn.close(reason)
  }
}
