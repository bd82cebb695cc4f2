import Dispatch
import Logging
import StoreActor
import StoreReplication
import ZeroMQ

/// The daemon's turn: frames from the sockets into the server, and what it says back out.
@MainActor
final class HostService<State: Sendable, Action>: LoopParticipant {
  let server: ReplicaServer<State, Action>
  private let link: HostSockets
  private let logger: Logger
  /// Everything that came up to this moment has been taken, or had its chance.
  private var heardUntil = Moment.current
  private var isStopping = false
  /// Those who were told goodbye and have not answered, and until when they are waited for.
  private var farewell: (peers: Set<PeerID>, end: Instant)?
  private var isClosed = false
  /// As many threads as there is work and cores.
  private let captures = DispatchQueue(label: "storeactor.captures", attributes: .concurrent)
  var onStop: () -> Void = {}
  /// Makes the loop turn soon, where it does not do so by itself.
  var wakeUp: () -> Void = {}

  init(server: ReplicaServer<State, Action>, sockets: HostSockets, logger: Logger) {
    self.server = server
    link = sockets
    self.logger = logger
  }

  var sockets: [Socket] { [link.publishing, link.control] }
  var socketGeneration: Int { 0 }
  /// Effects send from tasks of their own; what they enqueue wakes the loop.
  var resumesMainQueue: Bool { false }
  var nextDeadline: Int64? { (farewell?.end ?? server.nextDeadline)?.nanoseconds }

  func receiveMessages() throws(ZeroMQError) -> Bool {
    if farewell != nil { return try receiveFarewells() }
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
      return !server.isTurnFull
    }
    let hasMore = moreUpstream || moreControl
    // Where there is always more, peers get their turns one after the other: none waits for long.
    let horizon = hasMore ? moment.before(.seconds(1)) : moment
    if heardUntil.instant < horizon.instant { heardUntil = horizon }
    return hasMore
  }

  func endTurn() throws(ZeroMQError) {
    let moment = Moment.current
    if let farewell {
      if farewell.peers.isEmpty || farewell.end <= moment.instant { onStop() }
      return
    }
    // Who is silent is judged as of the moment up to which we listened: a client must not lose its
    // session because we were slow.
    if let deadline = server.nextDeadline, deadline <= heardUntil.instant {
      server.tick(heardUntil)
    } else {
      server.endTurn(moment)
    }
    try deliver(server.takeOutgoing())
    for job in server.takeJobs() { perform(job) }
    for notice in server.takeNotices() {
      logger.warning("\(notice.text)", metadata: ["peer": "\(notice.peer)"])
    }
    if isStopping { try sayGoodbye(moment) }
  }

  /// Tells every client that we go, and waits a little for their answers: a client's socket drops
  /// what it has not read when the connection is closed.
  private func sayGoodbye(_ moment: Moment) throws(ZeroMQError) {
    server.shutDown(moment)
    let frames = server.takeOutgoing()
    var peers: Set<PeerID> = []
    for case .control(let peer, _) in frames { peers.insert(peer) }
    try deliver(frames)
    farewell = (peers, moment.instant.advanced(by: .milliseconds(200)))
    if peers.isEmpty { onStop() }
  }

  /// Nothing is accepted any more; only answers to our goodbye count.
  private func receiveFarewells() throws(ZeroMQError) -> Bool {
    _ = try link.receiveUpstream { _ in }
    return try link.receiveControl { peer, frame, _ in
      if let frame, frame.elementsEqual(ClientMessage.bye.encoded()) {
        farewell?.peers.remove(peer)
      }
      return true
    }
  }

  /// Lets another thread encode what a joiner gets, while this one goes on.
  private func perform(_ job: CaptureJob) {
    captures.async { [weak self] in
      let result = job.run()
      DispatchQueue.main.async {
        MainActor.assumeIsolated { self?.finish(result) }
      }
    }
  }

  private func finish(_ result: CaptureJob.Result) {
    server.receive(result, at: .current)
    wakeUp()
  }

  private func deliver(_ frames: [ReplicaServer<State, Action>.Outgoing]) throws(ZeroMQError) {
    for frame in frames {
      switch frame {
      case .publish(let topic, let body): try link.publish(topic: topic, body)
      case .control(let peer, let body):
        if try !link.send(body, to: peer) { server.blocked(peer) }
      }
    }
  }

  /// Finishes the turn, says goodbye, and stops.
  func stop() {
    isStopping = true
    wakeUp()
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    // Both hold the loop, which holds us.
    onStop = {}
    wakeUp = {}
    link.close()
  }
}

extension Moment {
  /// The moment so much earlier.
  fileprivate func before(_ duration: Duration) -> Moment {
    Moment(
      instant: Instant(nanoseconds: instant.nanoseconds - duration.wholeNanoseconds),
      wallMilliseconds: wallMilliseconds
        - min(
          wallMilliseconds,
          UInt64(clamping: duration.wholeMilliseconds),
        ),
    )
  }

  /// This moment, on both clocks.
  static var current: Moment {
    Moment(
      instant: Instant(nanoseconds: LoopClock.nanoseconds),
      wallMilliseconds: LoopClock.wallMilliseconds,
    )
  }
}
