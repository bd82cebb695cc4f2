import StoreReplica
import ZeroMQ

/// Runs a client's turn in an event loop.
///
/// A callback during a turn may close the connection. Then all waits end at once, and the sockets
/// are closed when the turn no longer uses them.
@MainActor
final class ConnectionService: LoopParticipant {
  let turn: ClientTurn<ClientSockets>
  /// Called when the daemon no longer serves this client.
  var onRefusal: @MainActor () -> Void = {}
  private(set) var isClosed = false
  /// Whether a turn is using the sockets.
  private var isTurning = false

  init(_ client: ReplicaClient, _ sockets: ClientSockets) { turn = ClientTurn(client, sockets) }

  private var link: ClientSockets { turn.transport }
  var sockets: [Socket] { link.isClosed ? [] : [link.control, link.publishing] }
  var socketGeneration: Int { link.generation }
  /// Code that awaits an outcome continues in the turn that receives it.
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

  /// Ends the session and all waits, and closes the sockets.
  ///
  /// - Parameter reason: The reason, which the waiters receive.
  /// - Throws: ``ZeroMQError`` if the goodbye cannot be sent.
  func close(_ reason: String) throws(ZeroMQError) {
    guard !isClosed else { return }
    isClosed = true
    defer { if !isTurning { link.close() } }
    try turn.close(reason)
  }
}
