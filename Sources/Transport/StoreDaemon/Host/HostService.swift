import Dispatch
import Logging
import StoreHistory
import StoreJournal
import StoreProtocol
import StoreServer
import ZeroMQ

/// Runs the daemon's turn in an event loop, with its sockets and its logger.
@MainActor
final class HostService: LoopParticipant {
  let turn: DaemonTurn<HostTransport>
  let transport: HostTransport
  private let journal: DiskJournal?
  private var isClosed = false
  var onStop: () -> Void = {}

  init(
    server: ReplicaServer,
    sockets: HostSockets,
    journal: DiskJournal?,
    history: HistoryService?,
    keys: KeyService,
    logger: Logger,
  ) {
    transport = HostTransport(sockets, logger)
    self.journal = journal
    turn = DaemonTurn(server, transport: transport, journal: journal)
    server.counters.ofTransport = { [weak transport] in transport?.sockets.counters ?? [] }
    transport.onResult = { [weak turn] in turn?.finish($0) }
    journal?.onResult = { [weak turn] in turn?.finish($0) }
    server.onKeys = { [weak turn] job in
      keys.take(job) { turn?.finish($0) }
    }
    guard let history else { return }
    server.onHistory = { [weak turn] job in
      history.answer(job) { turn?.finish($0) }
    }
  }

  /// Schedules a turn of the loop, unless one is pending.
  var wakeUp: () -> Void {
    get { transport.onWakeUp }
    set {
      transport.onWakeUp = newValue
      transport.sockets.wakeUp = newValue
    }
  }

  var sockets: [Socket] { transport.sockets.all }
  var socketGeneration: Int { 0 }
  /// Effects send from their own tasks; the actions that they enqueue wake the loop.
  var resumesMainQueue: Bool { false }
  var awaitsAnswer: Bool { turn.awaitsJournal }
  var nextDeadline: Int64? { turn.nextDeadline?.nanoseconds }

  func receiveMessages() throws(ZeroMQError) -> Bool {
    transport.sockets.beginTurn()
    let hasMore = try turn.receive()
    // Messages that remain in the sockets would start the next turn of the loop at once.
    if hasMore || turn.hasBackpressure || turn.isSettling { try transport.sockets.fetchRest() }
    return hasMore
  }

  func endTurn() throws(ZeroMQError) {
    try turn.end()
    if turn.isOver { onStop() }
  }

  /// Applies changed grants from now on: first to the contents that clients receive, then
  /// to admission.
  func apply(_ grants: Grants) {
    turn.apply(grants)
    transport.sockets.admit(grants)
  }

  /// Finishes the turn, takes leave of the clients, and stops.
  ///
  /// - Parameter message: The reason, for the clients; nil for the usual one.
  func stop(saying message: String? = nil) { turn.stop(saying: message) }

  /// Closes everything.
  ///
  /// - Parameter keepsSnapshot: Whether a second snapshot is kept if there is only one.
  /// - Returns: The lasting error of closing the journal; nil if it was closed, was to stay open,
  ///   or failed temporarily.
  func close(keepingSnapshot keepsSnapshot: Bool = true) -> JournalError? {
    guard !isClosed else { return nil }
    isClosed = true
    // Both closures retain the loop, which retains this object.
    onStop = {}
    wakeUp = {}
    turn.detach()
    transport.sockets.close()
    // After a failure the end must not look orderly, as records may be missing on disk.
    guard let journal, turn.failure == nil else { return nil }
    let last = keepsSnapshot ? turn.server.lastSnapshot() : nil
    let settling = turn.server.timing.settling
    do throws(JournalError) {
      try journal.close(keeping: last, within: settling)
      return nil
    } catch {
      transport.say(error)
      // All released revisions are on disk; only the mark of an orderly end is missing.
      return error.code.isForNow ? nil : error
    }
  }
}

/// Moves the daemon's bytes through its sockets.
@MainActor
final class HostTransport: DaemonTransport {
  let sockets: HostSockets
  fileprivate let logger: Logger
  /// One thread per job, up to the number of cores.
  private let captures = DispatchQueue(label: "storeactor.captures", attributes: .concurrent)
  var onWakeUp: () -> Void = {}
  var onResult: (CaptureJob.Result) -> Void = { _ in }

  init(_ sockets: HostSockets, _ logger: Logger) {
    self.sockets = sockets
    self.logger = logger
  }

  var now: Moment { .current }
  var instant: Instant { Instant(nanoseconds: LoopClock.nanoseconds) }
  var caller: Caller { sockets.caller }

  func nextUpstream() throws(ZeroMQError) -> IncomingFrame? { try sockets.nextUpstream() }

  func nextControl(besides waiting: Set<Holder>) throws(ZeroMQError) -> IncomingFrame? {
    try sockets.nextControl(besides: waiting)
  }

  var isBehind: Bool { sockets.isBehind }

  func nextLost() -> PeerID? { sockets.nextLost() }

  func shutDown(_ peer: PeerID, reason: String) { sockets.shutDown(peer, reason: reason) }

  func publish(_ topic: [UInt8], _ body: [UInt8]) throws(ZeroMQError) {
    try sockets.publish(topic: topic, body)
  }

  func send(_ frame: [UInt8], to peer: PeerID) throws(ZeroMQError) -> Bool {
    try sockets.send(frame, to: peer)
  }

  func start(_ job: CaptureJob) {
    captures.async { [weak self] in
      let result = job.run()
      DispatchQueue.main.async {
        MainActor.assumeIsolated { self?.onResult(result) }
      }
    }
  }

  func wakeUp() { onWakeUp() }

  func welcome(with message: [UInt8]) {
    do throws(ZeroMQError) {
      try sockets.publishing.setWelcome(message)
    } catch {
      // Clients also receive the epoch by hello.
      logger.error("The publishing socket could not be set to the new epoch: \(error)")
    }
  }

  func report(_ notice: ServerNotice) {
    var metadata: Logger.Metadata = ["peer": "\(notice.peer)"]
    for (name, value) in notice.details { metadata[name] = "\(value)" }
    let level: Logger.Level = notice.kind == .audit ? .info : .warning
    logger.log(level: level, "\(notice.text)", metadata: metadata)
  }
}

extension HostTransport {
  /// Logs the journal's messages for the operator.
  func say(_ error: JournalError) { logger.error("\(error)") }
}

extension Moment {
  /// The current time, on both clocks.
  static var current: Moment {
    Moment(
      instant: Instant(nanoseconds: LoopClock.nanoseconds),
      wallMilliseconds: LoopClock.wallMilliseconds,
    )
  }
}
