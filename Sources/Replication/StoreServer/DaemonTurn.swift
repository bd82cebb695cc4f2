package import StoreHistory
package import StoreProtocol

/// The daemon's turn: the order in which it receives, publishes and sends, and how much of each.
///
/// Frames are taken, upstream before control; then what is due is done and what may be told of is
/// published, jobs begin, records go to the journal, frames leave one by one, and only then effects
/// begin and joiners get their pieces. All that is moved goes through the transport, which decides
/// nothing.
@MainActor
package final class DaemonTurn<Transport: DaemonTransport> {
  private enum Phase {
    case serving
    /// The daemon was asked to stop, and is about to say goodbye.
    case stopping
    /// It waits for the journal until then, before it says goodbye.
    case settling(until: Instant)
    /// Nothing is accepted any more; those who were told goodbye and have not answered are waited
    /// for until then.
    case leaving(Set<PeerID>, until: Instant)
    case over
  }

  package let server: ReplicaServer
  private let transport: Transport
  private let journal: (any Journal)?
  private var phase = Phase.serving
  /// The time up to which everything received has been read.
  private var heardUntil: Moment
  private var isTurning = false

  /// Creates a daemon's turn.
  ///
  /// - Parameters:
  ///   - server: The daemon's half of the protocol.
  ///   - transport: Moves its bytes.
  ///   - journal: Keeps what the server records; nil where it records nothing.
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
  }

  /// Releases the root store, which can then be used locally.
  package func detach() {
    server.onUnsent = nil
    server.detach()
  }

  private func needsTurn() { if !isTurning { transport.wakeUp() } }

  /// Whether something is being written to the disk.
  package var awaitsJournal: Bool { server.hasUnreleased }

  /// Whether something became durable of which clients were not told.
  private var hasNews = false
  /// Whether the last turn took nothing, so that they were told first.
  private var hasTakenNothing = false

  /// Whether control frames were left unread because the journal is behind: all of them while the
  /// daemon starts, else those of holders with their share of what waits for the disk.
  package private(set) var hasBackpressure = false

  /// Whether frames are left unread because the daemon is about to say goodbye.
  package var isSettling: Bool { if case .settling = phase { true } else { false } }

  /// Whether clients were told goodbye, and have answered or timed out.
  package var isOver: Bool { if case .over = phase { true } else { false } }

  /// Finishes accepted actions, says goodbye to clients, and ends.
  package func stop() {
    guard case .serving = phase else { return }
    phase = .stopping
    transport.wakeUp()
  }

  /// When ``end()`` is next needed without a frame; nil for never.
  package var nextDeadline: Instant? {
    switch phase {
    case .serving: server.hasWork ? heardUntil.instant : server.nextDeadline
    case .stopping: heardUntil.instant
    // Nobody is heard any more, so nobody's silence is over: only the journal has something to do.
    case .settling(let end):
      min(end, server.recorder?.nextDeadline ?? end, server.outbox.nextRetry)
    case .leaving(_, let end): min(end, server.outbox.nextRetry)
    case .over: nil
    }
  }

  // MARK: What comes in

  /// Receives what has arrived, with a limit so that the rest of the turn gets its time.
  ///
  /// - Returns: Whether more may have arrived.
  package func receive() throws(Transport.Failure) -> Bool {
    isTurning = true
    switch phase {
    case .serving, .stopping: return try receiveFrames()
    // What comes now waits, and is not answered any more.
    case .settling: return false
    case .leaving(let peers, let end): return try receiveFarewells(peers, until: end)
    case .over: return false
    }
  }

  private func receiveFrames() throws(Transport.Failure) -> Bool {
    // Those who wait for it are told first: they have more to send. But not twice in a row, for a
    // disk that is quicker than a turn always has news while effects change something.
    hasTakenNothing = hasNews && !hasTakenNothing
    if hasTakenNothing { return true }
    let moment = transport.now
    // Upstream first: a fence must never wait behind newer joins.
    let moreUpstream = try receiveUpstream(at: moment)
    // It goes on when the journal has done something, and is asked again then.
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
      // What is none of ours is an empty message, which is none either.
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

  /// Receives an answer about the history.
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
      // Another daemon speaks for the history now: not even goodbye is said, also where something
      // else has failed before.
      (isFenced, phase) = (true, .over)
    } else if reason == nil {
      // The disk works on what came meanwhile, while all that it has done is told.
      append()
      server.release()
      hasNews = true
    }
    if case .renewed = result { transport.welcome(with: server.welcome) }
    needsTurn()
  }

  /// Discards what was reduced and not released: nobody will learn of it.
  private func fail(_ reason: String) {
    guard failure == nil else { return }
    failure = reason
    server.fail(reason)
    switch phase {
    case .serving, .stopping, .settling: phase = .stopping
    case .leaving, .over: break
    }
  }

  /// Why the journal has failed, so that the daemon has to end; nil while it works.
  package private(set) var failure: String?

  /// Whether another daemon goes on with the history.
  package private(set) var isFenced = false

  // MARK: What goes out

  /// Does what is due, and sends what the turn has produced.
  package func end() throws(Transport.Failure) {
    defer { isTurning = false }
    let moment = transport.now
    if let reason = server.giveUpIfExhausted() { fail(reason) }
    switch phase {
    case .serving: try end(at: moment)
    case .stopping:
      // As what was not received: its sender asks the next daemon.
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

  /// Gives the journal its next records, unless it is still writing, or more is about to be added
  /// to them: a commit costs as much as a dozen actions.
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

  /// Sends frames that did not fit into a queue before, as far as they fit now.
  private func sendHeld(at instant: Instant) throws(Transport.Failure) {
    try server.outbox.sendHeld(at: instant) { (frame, peer) throws(Transport.Failure) in
      try transport.send(frame, to: peer)
    }
  }

  /// Sends pieces of snapshots to joining clients, limited so that others do not wait for long.
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

  /// Says goodbye as soon as everything accepted is durable, or the journal has failed.
  private func leaveIfSettled(_ moment: Moment) throws(Transport.Failure) {
    guard case .settling(let end) = phase else { return }
    if server.hasUnreleased, failure == nil {
      guard end <= moment.instant else { return }
      let time = server.timing.settling
      fail("The disk did not take in \(time) what was to be kept before the daemon's end.")
    }
    let told = server.shutDown(moment, heardUntil: heardUntil, reason: failure)
    try sendFrames(at: moment.instant)
    report(isLast: true)
    phase = .leaving(told, until: moment.instant.advanced(by: server.timing.farewell))
    leaveIfAnswered(moment)
  }

  private func leaveIfAnswered(_ moment: Moment) {
    guard case .leaving(let peers, let end) = phase else { return }
    if peers.isEmpty || end <= moment.instant { phase = .over }
  }

  /// Only answers to our goodbye count.
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
  /// The time, earlier by a duration.
  fileprivate func before(_ duration: Duration) -> Moment {
    Moment(
      instant: Instant(nanoseconds: instant.nanoseconds - duration.wholeNanoseconds),
      wallMilliseconds: wallMilliseconds
        - min(wallMilliseconds, UInt64(clamping: duration.wholeMilliseconds)),
    )
  }
}
