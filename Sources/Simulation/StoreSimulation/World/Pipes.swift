import StoreProtocol

/// A connection of a control socket: frames arrive in order while it is open.
@MainActor
final class ControlPipe {
  let peer: PeerID
  /// The daemon at its other end; nil after its end.
  private(set) weak var daemon: SimulatedDaemon?
  var isOpen = true
  /// The arrival times of the last frames in each direction; no frame may overtake another.
  var lastAtDaemon: Int64 = 0
  var lastAtClient: Int64 = 0

  init(number: UInt64, to daemon: SimulatedDaemon) {
    peer = PeerID(pipe: number)
    self.daemon = daemon
  }
}

extension PeerID {
  /// The peer at the other end of a pipe.
  fileprivate init(pipe number: UInt64) {
    self.init(bytes: [0] + (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
  }
}

/// A connection of a publishing socket, with its subscriptions at the daemon.
@MainActor
final class PublishingPipe {
  let peer: PeerID
  /// The daemon at its other end; nil after its end.
  private(set) weak var daemon: SimulatedDaemon?
  var isOpen = true
  /// Whether all messages are lost although both ends consider the connection open.
  var isSilent = false
  var lastAtDaemon: Int64 = 0
  var lastAtClient: Int64 = 0
  /// The subscribed topics at the daemon.
  var topics: Set<[UInt8]> = []

  init(number: UInt64, to daemon: SimulatedDaemon) {
    peer = PeerID(pipe: number)
    self.daemon = daemon
  }
}
