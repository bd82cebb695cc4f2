package import StoreHistory
package import StoreProtocol

/// Moves a daemon's bytes and supplies the time: sockets, a simulated network, or a test.
@MainActor
package protocol DaemonTransport: AnyObject {
  /// The error after which the transport no longer works.
  associatedtype Failure: Error

  /// The current time, on both clocks.
  var now: Moment { get }

  /// The current time on the monotonic clock, which is read often.
  var instant: Instant { get }

  /// The sender of the last control frame.
  var caller: Caller { get }

  /// Takes the next message that arrived upstream on the publishing socket.
  ///
  /// - Returns: The message; nil if no message waits.
  func nextUpstream() throws(Failure) -> IncomingFrame?

  /// Takes the next control frame.
  ///
  /// - Parameter waiting: The holders whose frames wait for a later turn.
  /// - Returns: The frame; nil if no frame waits.
  /// - Throws: The transport's failure.
  func nextControl(besides waiting: Set<Holder>) throws(Failure) -> IncomingFrame?

  /// Whether a peer's messages may still be unread although this turn found no more of them.
  var isBehind: Bool { get }

  /// Takes the next peer whose connection has ended; a peer may be reported more than once.
  ///
  /// Its messages may still be taken afterwards; then it is reported again.
  func nextLost() -> PeerID?

  /// Ends a connection of either socket.
  func shutDown(_ peer: PeerID, reason: String)

  /// Publishes a message to the subscribers of its topic.
  func publish(_ topic: [UInt8], _ body: [UInt8]) throws(Failure)

  /// Sends a control frame.
  ///
  /// - Returns: False if the peer's queue is full. A frame for a peer that has left counts as sent.
  func send(_ frame: [UInt8], to peer: PeerID) throws(Failure) -> Bool

  /// Runs a job on another thread, and hands its result to ``DaemonTurn/finish(_:)``.
  func start(_ job: CaptureJob)

  /// Schedules a turn if no other is due; never runs it within this call.
  func wakeUp()

  /// Sets the first message for peers that connect to the publishing socket from now on.
  func welcome(with message: [UInt8])

  /// Reports something to the daemon's operator.
  func report(_ notice: ServerNotice)
}

/// A frame from a peer, whose ids on the two sockets are unrelated.
package struct IncomingFrame: Sendable {
  package var peer: PeerID
  /// Its bytes; nil if it is not a frame of this protocol.
  package var bytes: ArraySlice<UInt8>?

  package init(peer: PeerID, bytes: ArraySlice<UInt8>?) {
    self.peer = peer
    self.bytes = bytes
  }
}
