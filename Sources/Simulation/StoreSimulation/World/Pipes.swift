import StoreProtocol

/// One connection of a control socket: frames arrive in order, as long as it lasts.
@MainActor
final class ControlPipe {
  let peer: PeerID
  /// The daemon at its other end; nil after its end.
  private(set) weak var daemon: SimulatedDaemon?
  var isOpen = true
  /// When the last frame of each direction arrives; none may overtake it.
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

/// One connection of a publishing socket, with what is subscribed to at its daemon's end.
@MainActor
final class PublishingPipe {
  let peer: PeerID
  /// Who is at its other end; nil when that is gone.
  private(set) weak var daemon: SimulatedDaemon?
  var isOpen = true
  /// Whether everything that is sent is lost, though both ends think that it is open.
  var isSilent = false
  var lastAtDaemon: Int64 = 0
  var lastAtClient: Int64 = 0
  /// Topics at the daemon's end.
  var topics: Set<[UInt8]> = []

  init(number: UInt64, to daemon: SimulatedDaemon) {
    peer = PeerID(pipe: number)
    self.daemon = daemon
  }
}
