/// What a main loop turns for: sockets, and deadlines.
@MainActor
package protocol LoopParticipant: AnyObject {
  /// The open sockets to wait for; asked for again when ``socketGeneration`` has changed.
  var sockets: [Socket] { get }

  /// Whether messages resume work on the main queue, which is then done in the same turn.
  var resumesMainQueue: Bool { get }

  /// Whether something was asked for of which it is known that an answer comes: what becomes of an
  /// action, or that a change is on the disk.
  var awaitsAnswer: Bool { get }

  /// Takes what has come, at most so much that others get their turn.
  ///
  /// - Returns: Whether there may be more.
  func receiveMessages() throws(ZeroMQError) -> Bool

  /// Does what is due and sends what the turn has brought.
  func endTurn() throws(ZeroMQError)

  /// When ``endTurn()`` is next needed without a message, on ``LoopClock``; nil for never.
  var nextDeadline: Int64? { get }

  /// Counts how often ``sockets`` has changed.
  var socketGeneration: Int { get }
}
