import GenericState
import StoreActor
import StoreExposures
import StoreHistory
package import StoreProtocol
import StoreState

extension ReplicaServer {
  /// Sends a caller the descriptions of the exposures that it may know.
  func describe(_ request: UInt64, to peer: PeerID, _ caller: Caller) {
    guard mayAsk(peer, caller) else { return }
    let rights = access.rights(of: caller)
    let known = root.exposed.map(\.description).filter { rights.knows($0) }.map { rights.known($0) }
    var encoder = CBOREncoder()
    encoder.arrayHeader(known.count)
    for description in known { description.encode(to: &encoder) }
    outbox.send(.description(request: request, item: encoder.bytes[...]), to: peer)
  }

  /// Sends the ids of rows that begin with a text.
  func rows(_ request: UInt64, _ query: RowQuery, of session: Session) {
    guard mayAsk(session.peer, session.caller) else { return }
    let count = limits.actionsPerRowQuestion
    let answer =
      sessions.spendAction(of: session, counting: count, now: now.instant)
      ? root.rows(query, session.rights, limits) : RowAnswer(ids: [], next: nil)
    var encoder = CBOREncoder()
    answer.encode(to: &encoder)
    outbox.send(.rows(request: request, item: encoder.bytes[...]), to: session.peer)
  }

  /// Sends the daemon's status.
  ///
  /// A caller without full rights sees only sessions of its own holder.
  func status(_ request: UInt64, to peer: PeerID, _ caller: Caller) {
    guard mayHaveStatus(peer, caller) else { return }
    let rights = access.rights(of: caller)
    let shown = sessions.all.filter { session in
      rights.isEverything
        || !rights.isNothing && session.origin.identity.holder == caller.identity.holder
    }
    var room = limits.statusNameBytes
    let report = StatusReport(
      epoch: epoch,
      revision: root.revision,
      durableRevision: recorder?.released,
      newestRevision: recorder?.newest,
      obstacle: recorder?.obstacle ?? (rights.isEverything ? counters.ofHost() : nil),
      processID: Int64(processID),
      program: program,
      uptimeMilliseconds: milliseconds(since: startedAt),
      sessions: shown.map { status(of: $0, namesIn: &room) },
      // The counters include other clients' use of scopes that do not exist for the caller.
      counters: rights.isEverything ? counters.byName : [],
      samples: rights.isEverything ? samples : [],
      copies: rights.isEverything ? counters.ofCopies() : [],
      // The names may contain data of other clients.
      work: rights.isEverything ? work.counts : [:],
      otherWork: rights.isEverything ? work.others : 0,
      crashes: rights.isEverything ? crashNotes.crashes(at: now.wallMilliseconds) : [],
    )
    var encoder = CBOREncoder()
    report.encode(to: &encoder)
    outbox.send(.status(request: request, item: encoder.bytes[...]), to: peer)
  }

  /// The measurements of the program and of the copies of the history.
  private var samples: [MetricSample] {
    let newest = recorder?.released ?? root.revision
    return counters.ofProgram() + counters.ofCopies().flatMap { $0.samples(of: newest) }
  }

  /// The daemon's metrics at a moment.
  package func metrics(at moment: Instant) -> StatusMetrics {
    let all = sessions.all
    let backlogs = all.map { backlog(of: $0, at: moment) }
    return StatusMetrics(
      revision: root.revision,
      durableRevision: recorder?.released,
      uptimeMilliseconds: milliseconds(since: startedAt, at: moment),
      sessions: UInt64(all.count),
      unreadBytes: backlogs.map(\.bytes).max() ?? 0,
      unreadMilliseconds: backlogs.map(\.milliseconds).max() ?? 0,
      effects: all.reduce(work.total) { $0 + UInt64($1.actions.runningCount) },
      counters: counters.byName,
      samples: samples,
    )
  }

  /// Starts a history query, which another thread answers.
  func history(_ request: UInt64, _ query: HistoryQuery, of session: Session) {
    let peer = session.peer
    guard mayAsk(peer, session.caller) else { return }
    let rights = session.rights
    if case .verify = query, !rights.isEverything {
      return tell(request, .failed(.notEverything), to: peer)
    }
    guard let answer = root.past(query, rights, limits) else {
      let message = "There is no such scope. Ask for those that there are with describe."
      return tell(request, .failed(HistoryError(.unknownScope, message)), to: peer)
    }
    guard let onHistory, root.isDurable else {
      return tell(request, .failed(.inMemoryOnly), to: peer)
    }
    if let problem = problem(withQuestionOf: session) {
      return tell(request, .failed(HistoryError(.unavailable, problem)), to: peer)
    }
    historyJobs[peer, default: 0] += 1
    historyShares.add(1, to: session.holder)
    onHistory(
      HistoryJob(
        request: request,
        peer: peer,
        holder: session.holder,
        cost: historyCosts[session.holder] ?? 1,
        rights: rights,
        answer: answer,
      )
    )
  }

  /// Why a session may not start a history query now; nil if it may.
  private func problem(withQuestionOf session: Session) -> String? {
    let holder = session.holder
    guard historyJobs[session.peer] ?? 0 < limits.historyJobsPerPeer,
      historyShares.hasRoom(for: holder, in: limits.history)
    else {
      return
        "\(historyShares.all) questions for the past wait already, \(historyShares[holder]) of "
        + "them yours. Ask again later."
    }
    guard sessions.mayReadHistory(session, now: now.instant) else {
      return "Your questions have read more than \(limits.historyBytesPerSecond >> 20) MiB of the "
        + "past a second. Ask again later."
    }
    return nil
  }

  /// Sends the answer to a history query, if the session still has the rights that it had at
  /// its start.
  func finish(_ result: HistoryJob.Result) {
    // A client whose session has ended asks again after its next hello.
    guard let session = sessions.session(of: result.peer) else { return }
    guard session.rights == result.rights else {
      let message = "Your rights have changed since you asked. Ask again."
      return tell(result.request, .failed(HistoryError(.unavailable, message)), to: result.peer)
    }
    outbox.send(.history(request: result.request, item: result.item[...]), to: result.peer)
  }

  private func tell(_ request: UInt64, _ answer: HistoryAnswer, to peer: PeerID) {
    var encoder = CBOREncoder()
    answer.encode(to: &encoder)
    outbox.send(.history(request: request, item: encoder.bytes[...]), to: peer)
  }

  private func status(of session: Session, namesIn room: inout Int) -> StatusReport.Session {
    var names: [String] = []
    for name in room > 0 ? session.scopes.names : [] {
      room -= name.utf8.count
      if room < 0 { break }
      names.append(name)
    }
    let backlog = backlog(of: session, at: now.instant)
    return StatusReport.Session(
      id: session.info.id,
      name: session.info.name,
      peer: session.info.address,
      user: session.origin.identity.user,
      key: session.origin.identity.key,
      scopes: names,
      scopeCount: UInt64(session.scopes.count),
      appliedRevision: session.appliedRevision,
      backlog: backlog,
      lastHeardMilliseconds: milliseconds(since: session.lastHeard),
      effects: UInt64(session.actions.runningCount),
    )
  }

  private func milliseconds(since instant: Instant, at moment: Instant? = nil) -> UInt64 {
    UInt64(clamping: instant.duration(to: moment ?? now.instant).wholeMilliseconds)
  }
}

/// The daemon's status (`docs/PROTOCOL.md` §8.2).
struct StatusReport {
  struct Session {
    var id: UInt64
    var name: String
    var peer: String
    var user: UInt32?
    var key: String?
    /// The names of its first scopes, up to the room for names in the report.
    ///
    /// Bounded by ``Limits/statusNameBytes``.
    var scopes: [String]
    var scopeCount: UInt64
    var appliedRevision: UInt64
    var backlog: UnreadBacklog
    var lastHeardMilliseconds: UInt64
    var effects: UInt64

    /// Writes a map.
    ///
    /// Its keys are in the order of their encodings.
    func encode(to encoder: inout CBOREncoder) {
      encoder.mapHeader(12)
      encoder.field("key", text: key)
      encoder.field("name", text: name)
      encoder.field("peer", text: peer)
      encoder.field("user", user.map { UInt64($0) })
      encoder.encode(text: "scopes")
      encoder.arrayHeader(scopes.count)
      for scope in scopes { encoder.encode(text: scope) }
      encoder.field("effects", effects)
      encoder.field("session", id)
      encoder.field("unreadMs", backlog.milliseconds)
      encoder.field("scopeCount", scopeCount)
      encoder.field("lastHeardMs", lastHeardMilliseconds)
      encoder.field("unreadBytes", backlog.bytes)
      encoder.field("appliedRevision", appliedRevision)
    }
  }

  var epoch: UInt64
  var revision: UInt64
  var durableRevision: UInt64?
  var newestRevision: UInt64?
  var obstacle: String?
  var processID: Int64
  /// The name of the daemon's program; nil if it is not known.
  var program: String?
  var uptimeMilliseconds: UInt64
  /// Bounded by ``Limits/sessions``.
  var sessions: [Session]
  /// Bounded by ``Counters``.
  var counters: [(String, UInt64)]
  /// Bounded by ``ProgramMetrics/mostSeries`` and the copies.
  var samples: [MetricSample]
  /// Bounded by ``FollowerNote/most``.
  var copies: [CopyReport]
  /// The running effects that outlive their senders, by name.
  ///
  /// Bounded by ``Limits/workNames``.
  var work: [String: UInt64]
  var otherWork: UInt64
  /// Bounded by ``CrashNotes/mostCrashes``.
  var crashes: [Crash]

  /// Writes a map.
  ///
  /// Its keys are in the order of their encodings.
  ///
  /// It makes no tree of values: many callers may ask, and each answer may have hundreds
  /// of sessions.
  func encode(to encoder: inout CBOREncoder) {
    encoder.mapHeader(14)
    encoder.field("pid", UInt64(clamping: processID))
    encoder.encode(text: "work")
    var work = work.map { ($0.key, GenericValue.unsigned($0.value)) }
    if otherWork > 0 { work.append(("", .unsigned(otherWork))) }
    GenericValue.map(named: work).encode(to: &encoder)
    encoder.field("epoch", epoch)
    encoder.encode(text: "copies")
    encoder.arrayHeader(copies.count)
    let newest = durableRevision ?? revision
    for copy in copies { copy.encode(missing: copy.missing(of: newest), to: &encoder) }
    encoder.encode(text: "crashes")
    encoder.arrayHeader(crashes.count)
    for crash in crashes { crash.encode(to: &encoder) }
    encoder.field("program", text: program)
    encoder.encode(text: "samples")
    encoder.arrayHeader(samples.count)
    for sample in samples { sample.encode(to: &encoder) }
    encoder.encode(text: "counters")
    GenericValue.map(named: counters.map { ($0.0, .unsigned($0.1)) }).encode(to: &encoder)
    encoder.field("obstacle", text: obstacle)
    encoder.field("revision", revision)
    encoder.encode(text: "sessions")
    encoder.arrayHeader(sessions.count)
    for session in sessions { session.encode(to: &encoder) }
    encoder.field("uptimeMs", uptimeMilliseconds)
    encoder.field("newestRevision", newestRevision)
    encoder.field("durableRevision", durableRevision)
  }
}

extension CopyReport {
  fileprivate func encode(missing: UInt64, to encoder: inout CBOREncoder) {
    encoder.mapHeader(5)
    encoder.field("fault", text: fault)
    encoder.field("target", text: target)
    encoder.field("missing", missing)
    encoder.field("behindMs", missing == 0 ? 0 : sinceComplete)
    encoder.field("revision", revision)
  }
}

extension Crash {
  /// Writes a map without the client's id, whose holder could impersonate the client.
  fileprivate func encode(to encoder: inout CBOREncoder) {
    encoder.mapHeader(3)
    encoder.field("name", text: name)
    encoder.field("time", wallMilliseconds)
    encoder.field("sequence", client == nil ? nil : sequence)
  }
}

extension CBOREncoder {
  fileprivate mutating func field(_ key: String, _ number: UInt64?) {
    encode(text: key)
    if let number { encode(unsigned: number) } else { encodeNull() }
  }

  fileprivate mutating func field(_ key: String, text: String?) {
    encode(text: key)
    if let text { encode(text: text) } else { encodeNull() }
  }
}
