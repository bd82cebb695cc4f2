/// The sockets and deadlines that a main loop serves.
@MainActor
package protocol LoopParticipant: AnyObject {
  /// The open sockets to wait for; the loop reads them again when ``socketGeneration`` has changed.
  var sockets: [Socket] { get }

  /// Whether messages resume work on the main queue, which then runs in the same turn.
  var resumesMainQueue: Bool { get }

  /// Whether an answer is certain to arrive: an action's outcome, or a change's durability.
  var awaitsAnswer: Bool { get }

  /// Takes messages that have arrived, up to a limit that leaves time for other work.
  ///
  /// - Returns: Whether more messages may wait.
  func receiveMessages() throws(ZeroMQError) -> Bool

  /// Does the work that is due, and sends the turn's messages.
  func endTurn() throws(ZeroMQError)

  /// The time, on ``LoopClock``, at which ``endTurn()`` is needed without a message; nil for never.
  var nextDeadline: Int64? { get }

  /// The number of changes of ``sockets``.
  var socketGeneration: Int { get }
}
