import StoreReplication
import ZeroMQ

/// A client's turn in a main loop.
@MainActor
final class ConnectionService: LoopParticipant {
  let turn: ClientTurn<ClientSockets>
  private(set) var isClosed = false

  init(_ client: ReplicaClient, _ sockets: ClientSockets) { turn = ClientTurn(client, sockets) }

  private var link: ClientSockets { turn.transport }
  var sockets: [Socket] { [link.control, link.publishing] }
  var socketGeneration: Int { link.generation }
  /// What awaits an outcome goes on in the turn that brings it.
  var resumesMainQueue: Bool { true }
  var nextDeadline: Int64? { isClosed ? nil : turn.nextDeadline?.nanoseconds }

  func receiveMessages() throws(ZeroMQError) -> Bool { isClosed ? false : try turn.receive() }

  func endTurn() throws(ZeroMQError) { if !isClosed { try turn.end() } }

  /// Ends the session and everything that waits, and closes the sockets.
  ///
  /// - Parameter reason: Why, as those are told who wait.
  /// - Throws: ``ZeroMQError`` when the goodbye cannot be sent.
  func close(_ reason: String) throws(ZeroMQError) {
    guard !isClosed else { return }
    isClosed = true
    defer { link.close() }
    try turn.close(reason)
  }
}
