import DequeModule

/// A frame that the daemon sends.
package enum OutgoingFrame: Hashable, Sendable {
  case control(PeerID, [UInt8])
  case publish(topic: [UInt8], [UInt8])
}

/// Whom a frame on the control socket came from or goes to, as the transport names it.
package struct PeerID: Hashable, Sendable, CustomStringConvertible {
  package var bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }

  package var description: String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}

/// What waits to be sent, in the order in which it was said.
@MainActor
final class Outbox {
  private var frames: Deque<OutgoingFrame> = []

  var isEmpty: Bool { frames.isEmpty }

  func send(_ message: DaemonMessage, to peer: PeerID) {
    send(message.encoded(), to: peer)
  }

  func send(_ frame: [UInt8], to peer: PeerID) { frames.append(.control(peer, frame)) }

  func publish(_ topic: [UInt8], _ body: [UInt8]) {
    frames.append(.publish(topic: topic, body))
  }

  /// The next frame.
  func next() -> OutgoingFrame? { frames.popFirst() }
}
