import Logging
import StoreActor
import StoreReplication
import ZeroMQ

/// The daemon's turn: frames from the sockets into the server, and what it says back out.
@MainActor
final class HostService<State, Action>: LoopParticipant {
  let server: ReplicaServer<State, Action>
  private let link: HostSockets
  private let logger: Logger
  private var isStopping = false
  private var isClosed = false
  var onStop: () -> Void = {}

  init(server: ReplicaServer<State, Action>, sockets: HostSockets, logger: Logger) {
    self.server = server
    link = sockets
    self.logger = logger
  }

  var sockets: [Socket] { [link.publishing, link.control] }
  var socketGeneration: Int { 0 }
  /// Effects send from tasks of their own; what they enqueue wakes the loop.
  var resumesMainQueue: Bool { false }
  var nextDeadline: Int64? { server.nextDeadline?.nanoseconds }

  func receiveMessages() throws(ZeroMQError) -> Bool {
    let moment = Moment.current
    // Upstream first: a fence must never wait behind newer joins.
    let moreUpstream = try link.receiveUpstream { frame in
      server.receive(upstream: frame, at: moment)
    }
    let moreControl = try link.receiveControl { peer, frame, address in
      if let frame {
        server.receive(control: frame, from: peer, address: address(), at: moment)
      } else {
        server.malformed(from: peer, "a message of several frames", at: moment)
      }
    }
    return moreUpstream || moreControl
  }

  func endTurn() throws(ZeroMQError) {
    let moment = Moment.current
    if let deadline = server.nextDeadline, deadline <= moment.instant {
      server.tick(moment)
    } else {
      server.endTurn(moment)
    }
    if isStopping { server.shutDown(moment) }
    try deliver()
    for notice in server.takeNotices() {
      logger.warning("\(notice.text)", metadata: ["peer": "\(notice.peer)"])
    }
    if isStopping { onStop() }
  }

  private func deliver() throws(ZeroMQError) {
    for frame in server.takeOutgoing() {
      switch frame {
      case .publish(let topic, let body): try link.publish(topic: topic, body)
      case .control(let peer, let body):
        if try !link.send(body, to: peer) { server.blocked(peer) }
      }
    }
  }

  /// Finishes the turn, says goodbye, and stops.
  func stop() { isStopping = true }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    link.close()
  }
}

extension Moment {
  /// This moment, on both clocks.
  static var current: Moment {
    Moment(
      instant: Instant(nanoseconds: LoopClock.nanoseconds),
      wallMilliseconds: LoopClock.wallMilliseconds,
    )
  }
}
