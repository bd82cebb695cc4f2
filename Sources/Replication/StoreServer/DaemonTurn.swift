package import StoreHistory
package import StoreProtocol

/// The daemon's turn: the order in which it receives, publishes and sends, and the amount of each.
///
/// A turn receives frames, upstream before control. Then it does due work, publishes released
/// changes, starts jobs, passes records to the journal and sends frames one by one. Only then
/// effects start and joining clients get their pieces. The transport moves all of this and decides
/// on no order.
@MainActor
package final class DaemonTurn<Transport: DaemonTransport> {
  private enum Phase {
    case serving
    /// The daemon was asked to stop, and is about to send its goodbyes.
    case stopping
    /// It waits for the journal, at most until the given time, before it sends its goodbyes.
    case settling(until: Instant)
    /// Input is no longer accepted. The daemon waits, until the given time, for clients that have
    /// not answered its goodbye.
    case leaving(Set<PeerID>, until: Instant)
    case over
  }

  package let server: ReplicaServer
  private let transport: Transport
  private let journal: (any Journal)?
  private var phase = Phase.serving
  /// The time up to which all arrived frames have been read.
  private var heardUntil: Moment
  private var isTurning = false

  /// Creates a daemon's turn.
  ///
  /// - Parameters:
  ///   - server: The daemon's half of the protocol.
  ///   - transport: Moves its bytes.
  ///   - journal: Stores the server's records; nil if the server does not record.
  package init(_ server: ReplicaServer, transport: Transport, journal: (any Journal)? = nil) {
    precondition(
      (journal == nil) == (server.recorder == nil),
      "A server that records needs a journal, and another one has no use for it.",
    )
    self.server = server
    self.transport = transport
    self.journal = journal
    heardUntil = transport.now
    server.onUnsent = { [weak self] in self?.needsTurn() }
    if let journal { server.hasToPause = { journal.hasResult } }
    server.recorder?.wallNow = { [weak self] in self?.transport.now.wallMilliseconds }
  }

  /// Releases the root store, which can then be used locally.
  package func detach() {
    server.onUnsent = nil
    server.detach()
  }

  private func needsTurn() { if !isTurning { transport.wakeUp() } }

  /// Whether revisions wait to become durable.
  package var awaitsJournal: Bool { server.hasUnreleased }

  /// Whether a journal result has been received whose outcomes and changes are not sent yet.
  private var hasNews = false
  /// Whether the last turn received no frames, so that durable results were sent first.
  private var hasTakenNothing = false

  /// Whether control frames were left unread because the journal lags: all of them while the daemon
  /// starts, otherwise those of holders that have used their share of the waiting records.
  package private(set) var hasBackpressure = false

  /// Whether frames are left unread because the daemon is about to send its goodbyes.
  package var isSettling: Bool { if case .settling = phase { true } else { false } }

  /// Whether goodbyes were sent, and each client has answered or timed out.
  package var isOver: Bool { if case .over = phase { true } else { false } }

  /// The reason for which the daemon stops, for its clients.
  private var goodbye = "The daemon is stopping."

  /// Finishes accepted actions, sends goodbyes to clients, and ends.
  ///
  /// - Parameter message: The reason, for the clients; nil for the usual one.
  package func stop(saying message: String? = nil) {
    guard case .serving = phase else { return }
    phase = .stopping
    if let message { goodbye = message }
    transport.wakeUp()
  }

  /// When ``end()`` is next needed without a frame; nil if never.
  package var nextDeadline: Instant? {
    switch phase {
    case .serving: server.hasWork ? heardUntil.instant : server.nextDeadline
    case .stopping: heardUntil.instant
    // Input is no longer read, so no client's silence is judged: only the journal has deadlines.
    case .settling(let end):
      min(end, server.recorder?.nextDeadline ?? end, server.outbox.nextRetry)
    case .leaving(_, let end): min(end, server.outbox.nextRetry)
    case .over: nil
    }
  }

  // MARK: Arrived frames

  /// Receives arrived frames, with a limit so that the rest of the turn gets its time.
  ///
  /// - Returns: Whether more may have arrived.
  package func receive() throws(Transport.Failure) -> Bool {
    isTurning = true
    began = transport.instant
    switch phase {
    case .serving, .stopping: return try receiveFrames()
    // Frames that arrive now stay unread and get no answer.
    case .settling: return false
    case .leaving(let peers, let end): return try receiveFarewells(peers, until: end)
    case .over: return false
    }
  }

  private func receiveFrames() throws(Transport.Failure) -> Bool {
    // Clients that wait for a durable result are notified first: they have more to send. But not
    // twice in a row: a disk that is faster than a turn always has results while effects change the
    // state.
    hasTakenNothing = hasNews && !hasTakenNothing
    if hasTakenNothing { return true }
    let moment = transport.now
    // Upstream first: a fence must never wait for newer joins.
    let moreUpstream = try receiveUpstream(at: moment)
    // Receiving continues after the journal's next result, and this is checked again then.
    let isStarting = server.needsBackpressure(moment.instant)
    let waiting = server.waitingHolders(moment.instant)
    hasBackpressure = isStarting || !waiting.isEmpty
    let moreControl = isStarting ? false : try receiveControl(besides: waiting, at: moment)
    while let peer = transport.nextLost() { server.lost(peer, at: moment) }
    let hasMore = moreUpstream || moreControl || transport.isBehind
    let horizon = hasMore || hasBackpressure ? moment.before(server.timing.backlog) : moment
    if heardUntil.instant < horizon.instant { heardUntil = horizon }
    return hasMore
  }

  private func receiveUpstream(at moment: Moment) throws(Transport.Failure) -> Bool {
    for _ in 0..<server.limits.framesPerTurn {
      guard let message = try transport.nextUpstream() else { return false }
      // A message of a foreign form is received as an empty one, which counts as malformed.
      server.receive(upstream: message.bytes ?? [], from: message.peer, at: moment)
    }
    return true
  }

  private func receiveControl(
    besides waiting: Set<Holder>,
    at moment: Moment,
  ) throws(Transport.Failure) -> Bool {
    let end = moment.instant.advanced(by: server.timing.turn)
    server.acceptRest(at: moment)
    var (frames, bytes) = (0, 0)
    while server.rest == nil, frames < server.limits.framesPerTurn,
      bytes < server.limits.bytesPerTurn, !server.isTurnFull, frames == 0 || transport.instant < end
    {
      guard let frame = try transport.nextControl(besides: waiting) else { return false }
      frames += 1
      bytes += frame.bytes?.count ?? 0
      take(frame, at: moment)
    }
    return true
  }

  private func take(_ frame: IncomingFrame, at moment: Moment) {
    if let bytes = frame.bytes {
      server.receive(control: bytes, from: frame.peer, caller: transport.caller, at: moment)
    } else {
      let what = "a message of several frames"
      server.malformed(from: frame.peer, what, caller: transport.caller, at: moment)
    }
  }

  /// Applies changed grants from now on.
  package func apply(_ grants: Grants) {
    server.apply(grants, at: transport.now)
    needsTurn()
  }

  /// Receives the result of a job.
  package func finish(_ result: CaptureJob.Result) {
    server.receive(result, at: transport.now)
    needsTurn()
  }

  /// Receives the result of a history query.
  package func finish(_ result: HistoryJob.Result) {
    server.receive(result, at: transport.now)
    needsTurn()
  }

  /// Receives the result of a command for keys.
  package func finish(_ result: KeyJob.Result) {
    server.receive(result, at: transport.now)
    needsTurn()
  }

  /// Receives the journal's result for records.
  package func finish(_ result: JournalResult) {
    let reason = server.receive(result, at: transport.now)
    if let reason { fail(reason) }
    if case .fenced = result {
      // Another daemon owns the history now. No goodbye is sent, even if there was another failure
      // before.
      (isFenced, phase) = (true, .over)
    } else if reason == nil {
      // The disk writes the records that arrived meanwhile, while the finished ones are released.
      append()
      server.release()
      hasNews = true
    }
    if case .renewed = result { transport.welcome(with: server.welcome) }
    needsTurn()
  }

  /// Discards the reduced revisions that are not released: no client is notified of them.
  private func fail(_ reason: String) {
    guard failure == nil else { return }
    failure = reason
    server.fail(reason)
    switch phase {
    case .serving, .stopping, .settling: phase = .stopping
    case .leaving, .over: break
    }
  }

  /// Why the journal has failed and the daemon has to end; nil while the journal works.
  package private(set) var failure: String?

  /// Whether another daemon continues the history.
  package private(set) var isFenced = false

  // MARK: Frames to send

  /// Performs due work, and sends the frames that the turn has produced.
  package func end() throws(Transport.Failure) {
    let moment = transport.now
    defer {
      isTurning = false
      noteDuration(since: began ?? moment.instant)
      began = nil
    }
    if let reason = server.giveUpIfExhausted() { fail(reason) }
    switch phase {
    case .serving: try end(at: moment)
    case .stopping:
      // The rest counts as not received: its sender asks the next daemon.
      server.rest = nil
      server.recordLast(moment)
      try end(at: moment)
      phase = .settling(until: moment.instant.advanced(by: server.timing.settling))
      try leaveIfSettled(moment)
    case .settling:
      try end(at: moment)
      try leaveIfSettled(moment)
    case .leaving:
      try sendHeld(at: moment.instant)
      leaveIfAnswered(moment)
    case .over: break
    }
  }

  /// When the turn in progress began to receive; nil if it has received nothing.
  @exclusivity(unchecked) private var began: Instant?

  private func noteDuration(since began: Instant) {
    let nanoseconds = transport.instant.nanoseconds - began.nanoseconds
    let microseconds = UInt64(clamping: nanoseconds / 1000)
    if microseconds > server.counters.longestTurnMicroseconds {
      server.counters.longestTurnMicroseconds = microseconds
    }
  }

  private func end(at moment: Moment) throws(Transport.Failure) {
    server.endTurn(moment, heardUntil: heardUntil)
    while let job = server.nextJob() { transport.start(job) }
    append()
    if let journal, let snapshot = server.nextSnapshot() { journal.store(snapshot) }
    try sendFrames(at: moment.instant)
    server.startEffects()
    try sendPieces(until: moment.instant.advanced(by: server.timing.handOut))
    for cut in server.takeCuts() { transport.shutDown(cut.peer, reason: cut.reason) }
    report()
  }

  private func report(isLast: Bool = false) {
    for notice in server.takeNotices(isLast: isLast) { transport.report(notice) }
  }

  /// Gives the journal its next records, unless it is still writing or the turn is about to add
  /// more records: a commit costs as much as a dozen actions.
  private func append() {
    guard let journal else { return }
    if let epoch = server.nextEpoch() { journal.renew(epoch: epoch) }
    guard server.rest == nil || hasBackpressure, let batch = server.nextBatch() else { return }
    Failpoint.reach(.beforeAppend)
    journal.append(batch)
    Failpoint.reach(.afterAppend)
  }

  private func sendFrames(at instant: Instant) throws(Transport.Failure) {
    hasNews = false
    try sendHeld(at: instant)
    while let frame = server.nextFrame() { try send(frame) }
  }

  /// Sends frames that did not fit into a queue before, as many as fit now.
  private func sendHeld(at instant: Instant) throws(Transport.Failure) {
    try server.outbox.sendHeld(at: instant) { (frame, peer) throws(Transport.Failure) in
      try transport.send(frame, to: peer)
    }
  }

  /// Sends pieces of snapshots to joining clients, limited so that other clients do not wait long.
  private func sendPieces(until end: Instant) throws(Transport.Failure) {
    var bytes = 0
    while bytes < server.limits.pieceBytesPerTurn, let piece = server.nextPiece() {
      bytes += piece.bytes
      try send(piece)
      if transport.instant >= end { return }
    }
  }

  private func send(_ frame: OutgoingFrame) throws(Transport.Failure) {
    switch frame {
    case .publish(let topic, let body):
      Failpoint.reach(.beforePublishing)
      try transport.publish(topic, body)
      Failpoint.reach(.afterPublishing)
    case .control(let peer, let body):
      Failpoint.reach(.beforeAck)
      let isSent = try server.outbox.holds(for: peer) ? false : transport.send(body, to: peer)
      if !isSent { server.hold(body, for: peer) }
      Failpoint.reach(.afterAck)
    }
  }

  // MARK: Leaving

  /// Sends goodbyes as soon as all accepted actions are durable, or the journal has failed.
  private func leaveIfSettled(_ moment: Moment) throws(Transport.Failure) {
    guard case .settling(let end) = phase else { return }
    if server.hasUnreleased, failure == nil {
      guard end <= moment.instant else { return }
      let time = server.timing.settling
      fail("The disk did not take the daemon's last records in \(time).")
    }
    let told = server.shutDown(
      moment,
      heardUntil: heardUntil,
      reason: failure,
      message: goodbye,
    )
    try sendFrames(at: moment.instant)
    report(isLast: true)
    phase = .leaving(told, until: moment.instant.advanced(by: server.timing.farewell))
    leaveIfAnswered(moment)
  }

  private func leaveIfAnswered(_ moment: Moment) {
    guard case .leaving(let peers, let end) = phase else { return }
    if peers.isEmpty || end <= moment.instant { phase = .over }
  }

  /// Receives answers to the daemon's goodbyes, and ignores other frames.
  private func receiveFarewells(
    _ waiting: Set<PeerID>,
    until end: Instant,
  ) throws(Transport.Failure) -> Bool {
    while try transport.nextUpstream() != nil {}
    var waiting = waiting
    while let peer = transport.nextLost() { waiting.remove(peer) }
    for _ in 0..<server.limits.framesPerTurn {
      guard let frame = try transport.nextControl(besides: []) else {
        phase = .leaving(waiting, until: end)
        return false
      }
      if frame.bytes.map({ $0.elementsEqual(ClientMessage.bye.encoded()) }) == true {
        waiting.remove(frame.peer)
      }
    }
    phase = .leaving(waiting, until: end)
    return true
  }
}

extension Moment {
  /// Returns the time, earlier by a duration.
  fileprivate func before(_ duration: Duration) -> Moment {
    Moment(
      instant: Instant(nanoseconds: instant.nanoseconds - duration.wholeNanoseconds),
      wallMilliseconds: wallMilliseconds
        - min(wallMilliseconds, UInt64(clamping: duration.wholeMilliseconds)),
    )
  }
}
