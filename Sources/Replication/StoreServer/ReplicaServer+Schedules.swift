import GenericState
import StoreActor
import StoreHistory
import StoreProtocol
import StoreState

/// The schedules of the root's features, for operators.
extension ReplicaServer {
  /// Lists or cancels schedules for a client that may see everything.
  func schedules(_ request: UInt64, _ query: ScheduleQuery, of session: Session) {
    let peer = session.peer
    guard mayAsk(peer, session.caller) else { return }
    // Their names contain the ids of rows.
    guard session.rights.isEverything else {
      let message = "Only a client that may see everything may list and cancel schedules."
      let failure = ScheduleAnswer.failed(code: Outcome.unauthorised, message: message)
      return tell(request, failure, to: peer)
    }
    switch query {
    case .list(let start): tell(request, page(from: start), to: peer)
    case .cancel(let number):
      let isFound = root.cancelSchedule(number)
      if isFound { audit(session, "A schedule is cancelled.", reason: "schedule \(number)") }
      tell(request, .cancelled(isFound), to: peer)
    }
  }

  private func page(from start: UInt64) -> ScheduleAnswer {
    var entries: [GenericValue] = []
    var room = limits.scheduleAnswerBytes
    for listed in root.schedules where listed.number >= start {
      let entry = listed.entry
      room -= entry.encoded().count
      if room < 0, !entries.isEmpty { return .list(entries, next: listed.number) }
      entries.append(entry)
    }
    return .list(entries, next: nil)
  }

  private func tell(_ request: UInt64, _ answer: ScheduleAnswer, to peer: PeerID) {
    var encoder = CBOREncoder()
    answer.encode(to: &encoder)
    outbox.send(.schedules(request: request, item: encoder.bytes[...]), to: peer)
  }

  /// Cancels the schedules that clients' actions have led to, if their identities match.
  func cancelSchedules(where isMatching: (ActionOrigin.Identity) -> Bool) {
    guard schedules.count > 0 else { return }
    for listed in root.schedules where listed.timer.origin != .process {
      if isMatching(listed.timer.origin.identity) { _ = root.cancelSchedule(listed.number) }
    }
  }

  /// Notifies the operator that a kept schedule does not go on.
  func noticeLost(_ timer: DurableTimer, _ reason: String) {
    let name = timer.path.joined(separator: ".").quoted
    notices.add(
      ServerNotice(
        kind: .warning,
        peer: "",
        text: "The schedule \(timer.id.quoted) of \(name) \(reason).",
      ),
      of: .program(user: 0, process: 0),
      at: now.instant,
    )
  }
}

extension ListedTimer {
  /// A map for people and programs (`docs/PROTOCOL.md` §8.6).
  fileprivate var entry: GenericValue {
    var fields: [(String, GenericValue)] = [
      ("number", .unsigned(number)),
      ("id", .text(timer.id)),
      ("action", .text(timer.path.joined(separator: "."))),
      ("due", .unsigned(timer.due.wallMilliseconds)),
    ]
    if let interval = timer.interval {
      fields.append(("everyMs", .unsigned(UInt64(clamping: Int64(interval * 1_000)))))
    }
    fields.append(("missed", .text(timer.missed.rawValue)))
    fields.append(("status", .text(status.rawValue)))
    fields.append(("revision", .unsigned(timer.revision)))
    if let user = timer.origin.identity.user { fields.append(("user", .unsigned(UInt64(user)))) }
    if let key = timer.origin.identity.key { fields.append(("key", .text(key))) }
    if let session = timer.origin.session { fields.append(("session", .unsigned(session))) }
    return .map(named: fields)
  }
}
