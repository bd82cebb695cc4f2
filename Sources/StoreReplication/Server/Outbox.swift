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
///
/// Each frame names the revision that it depends on: nothing is said of a revision before that is
/// safe. In memory a revision is safe at once.
@MainActor
final class Outbox {
  private var frames: Deque<(frame: OutgoingFrame, revision: UInt64)> = []
  private let root: any RootPort

  init(_ root: any RootPort) { self.root = root }

  /// Frames that depend on this revision, or on earlier ones, may leave.
  var released: UInt64 { root.revision }

  /// Whether a frame may leave now.
  var hasReleased: Bool { frames.first.map { $0.revision <= released } ?? false }

  func send(_ message: DaemonMessage, to peer: PeerID) {
    frames.append((.control(peer, message.encoded()), root.revision))
  }

  func publish(_ topic: [UInt8], _ body: [UInt8]) {
    frames.append((.publish(topic: topic, body), root.revision))
  }

  /// The next frame, once what it depends on is safe.
  func next() -> OutgoingFrame? {
    guard let first = frames.first, first.revision <= released else { return nil }
    frames.removeFirst()
    return first.frame
  }

  func checkInvariants() {
    let revisions = frames.map(\.revision)
    precondition(
      zip(revisions, revisions.dropFirst()).allSatisfy { $0 <= $1 },
      "Frames wait for \(revisions), which is out of order",
    )
  }
}
