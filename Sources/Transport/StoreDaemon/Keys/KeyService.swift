import Dispatch
import Logging
import StoreHistory
import StoreProtocol
import StoreServer
import ZeroMQ

/// Carries out commands for keys: tickets are in memory, keys in the file of grants.
///
/// A ticket is a pair of keys, made for one invitation. The invited peer gets its secret key. A
/// peer that connects with a ticket may hand in one key once, and has no other right. A ticket ends
/// with the daemon at the latest.
///
/// The file is read and written on the queue that also checks it, one command after the other.
/// Tickets belong to the main actor.
@MainActor
final class KeyService {
  enum Limits {
    /// Tickets at once: people issue them one by one.
    static let tickets = 64
    /// Lines of grants of one key.
    static let lines = 64
    /// Keys of former tickets, which may not be enrolled either.
    static let spentTickets = 1_024
    /// The longest validity of a ticket: a day.
    static let seconds: UInt64 = 86_400
  }

  /// The name and grants of the key to come, and the end of the ticket.
  private struct Ticket {
    let name: String
    let grants: [String]
    let end: Int64
    /// Whether a key is being handed in for it.
    var isTaken = false
    /// Failed enrolments for it; the count limits their log lines.
    var failures = FailureCount()
  }

  private typealias Answer = @MainActor @Sendable (KeyAnswer) -> Void
  typealias Outcome<Value: Sendable> = Result<Value, GrantsFile.Problem>

  private let file: GrantsFile
  private let sockets: HostSockets
  private let logger: Logger
  /// The daemon's public key and its addresses; nil without an address that requires keys.
  private let door: (key: [UInt8], addresses: [String])?
  private let files: FileQueue
  /// Bounded by ``Limits/tickets``, each with ``Limits/lines``.
  private var tickets: [KeyTicket: Ticket] = [:]
  /// The keys of the newest tickets, in the order in which they were made.
  ///
  /// Bounded by ``Limits/spentTickets``.
  private var ticketKeys: [[UInt8]] = []
  /// Applies the file's new grants to all peers.
  var onChange: (GrantsFile.Change) -> Void = { _ in }
  /// Removes the grants of a key whose lines the file still has.
  ///
  /// Returns whether there was a key of that name.
  var onRevocationInVain: (String) -> Bool = { _ in false }

  init(
    _ file: GrantsFile,
    _ files: FileQueue,
    _ sockets: HostSockets,
    door: (key: [UInt8], addresses: [String])?,
    logger: Logger,
  ) {
    self.file = file
    self.files = files
    self.sockets = sockets
    self.door = door
    self.logger = logger
  }

  /// Carries out a command.
  ///
  /// - Parameters:
  ///   - job: The command.
  ///   - body: Called with the result.
  func take(_ job: KeyJob, _ body: @escaping @MainActor @Sendable (KeyJob.Result) -> Void) {
    let answer: Answer = { body(job.result($0)) }
    forgetOld()
    switch job.command {
    case .list: list(answer)
    case .invite(let name, let grants, let seconds): invite(name, grants, seconds, job, answer)
    case .revoke(let name): revoke(name, job, answer)
    case .enrol(let key): enrol(key, job, answer)
    }
  }

  /// Log metadata of a command: the key's name, and the caller.
  private func metadata(_ name: String, _ job: KeyJob) -> Logger.Metadata {
    job.caller.reduce(into: ["key": "\(name)"]) { $0[$1.key] = "\($1.value)" }
  }

  private func list(_ answer: @escaping Answer) {
    run {
      (file) throws(GrantsFile.Problem) in
      try file.read()
    } then: { service, outcome in
      switch outcome {
      case .success(let grants): answer(.keys(service.entries(grants)))
      case .failure(let problem): answer(.failed(problem))
      }
    }
  }

  private func entries(_ grants: Grants) -> [KeyAnswer.Entry] {
    let now = LoopClock.nanoseconds
    let keys = grants.linesOfKeys.map { key in
      KeyAnswer.Entry(
        name: key.name,
        key: key.key,
        grants: key.lines.map(\.text),
        seconds: nil,
      )
    }
    let tickets = tickets.values.sorted { $0.name < $1.name }.map { ticket in
      KeyAnswer.Entry(
        name: ticket.name,
        key: nil,
        grants: ticket.grants,
        seconds: UInt64(max(0, ticket.end - now)) / 1_000_000_000,
      )
    }
    return keys + tickets
  }

  // MARK: - Tickets

  private func invite(
    _ name: String,
    _ lines: [String],
    _ seconds: UInt64,
    _ job: KeyJob,
    _ answer: @escaping Answer,
  ) {
    guard let door else {
      let message =
        "This daemon listens at no address that asks for keys. Start it with --listen "
        + "tcp://ADDRESS:PORT."
      return answer(.failed(code: "unavailable", message: message))
    }
    if let problem = problem(withInvitationTo: name, lines, seconds) {
      return answer(.failed(code: "rejected", message: problem))
    }
    let pair: CurvePair
    do throws(ZeroMQError) {
      pair = try CurvePair()
    } catch {
      return answer(.failed(code: "unavailable", message: "\(error)"))
    }
    let ticket = Ticket(
      name: name,
      grants: lines,
      end: LoopClock.nanoseconds + Int64(seconds) * 1_000_000_000,
    )
    // Stored from now on, so that no other invitation uses the name meanwhile.
    tickets[KeyTicket(key: pair.publicKey)] = ticket
    ticketKeys.append(pair.publicKey)
    if ticketKeys.count > Limits.spentTickets { ticketKeys.removeFirst() }
    let keyLines = GrantsFile.KeyLines(name: name, key: pair.publicKey, grants: lines)
    // A mistake in the file would be one here too.
    run {
      (file) throws(GrantsFile.Problem) in
      try file.grants(adding: keyLines)
    } then: { service, outcome in
      switch outcome {
      case .success:
        service.logger.notice("A key is invited.", metadata: service.metadata(name, job))
        service.tellSockets()
        let invitation = KeyAnswer.Invitation(
          daemon: door.key,
          ticket: pair.secretKey,
          addresses: door.addresses,
        )
        answer(.invited(invitation))
      case .failure(let problem):
        service.tickets[KeyTicket(key: pair.publicKey)] = nil
        answer(.failed(problem))
      }
    }
  }

  private func problem(
    withInvitationTo name: String,
    _ lines: [String],
    _ seconds: UInt64,
  ) -> String? {
    if let problem = KeyText.problem(withName: name) { return problem }
    guard !lines.isEmpty, lines.count <= Limits.lines,
      !lines.contains(where: { $0.unicodeScalars.contains { "\n\r#".unicodeScalars.contains($0) } })
    else { return "Expected the grants, in 1 to \(Limits.lines) lines." }
    guard (1...Limits.seconds).contains(seconds) else {
      return "A ticket can be good for 1 to \(Limits.seconds) seconds."
    }
    if tickets.values.contains(where: { $0.name == name }) {
      return "There is a ticket for \"\(name)\" already. Revoke it first, or use another name."
    }
    return tickets.count < Limits.tickets
      ? nil : "There are \(tickets.count) tickets already. Revoke some first."
  }

  private func forgetOld() {
    let now = LoopClock.nanoseconds
    let count = tickets.count
    tickets = tickets.filter { $0.value.isTaken || now < $0.value.end }
    if tickets.count != count { tellSockets() }
  }

  private func tellSockets() {
    let ends = tickets.map { ($0.key.key, $0.value.end) }
    sockets.admit(tickets: Dictionary(uniqueKeysWithValues: ends))
  }

  // MARK: - Keys

  private func enrol(_ key: [UInt8], _ job: KeyJob, _ answer: @escaping Answer) {
    guard let name = job.ticket, let ticket = tickets[name] else {
      let message = "This ticket was used, or its time is over. Ask for another one."
      return answer(.failed(code: "unauthorised", message: message))
    }
    if let problem = Self.problem(withKey: key, tickets: ticketKeys, daemon: door?.key) {
      return answer(.failed(code: "rejected", message: problem))
    }
    guard !ticket.isTaken else {
      let message = "A key is being handed in for this ticket. Try again in a moment."
      return answer(.failed(code: "unavailable", message: message))
    }
    // No other peer may hand in a key for it meanwhile.
    tickets[name]?.isTaken = true
    let keyLines = GrantsFile.KeyLines(name: ticket.name, key: key, grants: ticket.grants)
    run {
      (file) throws(GrantsFile.Problem) in
      try file.add(keyLines)
    } then: { service, outcome in
      switch outcome {
      case .success(let change):
        service.logger.notice("A key was enrolled.", metadata: service.metadata(ticket.name, job))
        // The key is admitted before the ticket ends, so one of the two is valid at any time.
        service.onChange(change)
        service.tickets[name] = nil
        service.tellSockets()
        answer(.done(name: ticket.name))
      case .failure(let problem):
        service.tickets[name]?.isTaken = false
        // The contents of the file are not for a peer without grants, so the reason is only logged.
        if let untold = service.tickets[name]?.failures.add(at: LoopClock.nanoseconds) {
          let more = untold > 0 ? " It happened \(untold) times more since the last report." : ""
          service.logger.error(
            "A key could not be enrolled: \(problem)\(more)",
            metadata: service.metadata(ticket.name, job),
          )
        }
        let message = "The daemon cannot take a key now: its log has the reason. Try again later."
        answer(.failed(code: "unavailable", message: message))
      }
    }
  }

  /// The reason why a key cannot be enrolled; nil if it can.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - tickets: The public keys of tickets: every reader of an invitation knows its secret key.
  ///   - daemon: The daemon's public key.
  /// - Returns: The reason.
  nonisolated static func problem(
    withKey key: [UInt8],
    tickets: [[UInt8]],
    daemon: [UInt8]?,
  ) -> String? {
    // The library ignores the highest bit.
    let isSame = { (other: [UInt8]) in
      other.dropLast() == key.dropLast() && (other.last ?? 0) & 0x7f == (key.last ?? 0) & 0x7f
    }
    let reason: String? =
      if CurvePair.isOfLowOrder(key) {
        "it is a point of low order, which needs no secret key"
      } else if tickets.contains(where: isSame) {
        "it is the key of an invitation, which others may have read"
      } else if daemon.map(isSame) == true {
        "it is the daemon's own"
      } else {
        nil
      }
    return reason.map { "This key cannot be enrolled: \($0). Make a new pair of keys." }
  }

  private func revoke(_ name: String, _ job: KeyJob, _ answer: @escaping Answer) {
    let revoked = tickets.filter { $0.value.name == name }.keys
    for ticket in revoked { tickets[ticket] = nil }
    if !revoked.isEmpty { tellSockets() }
    // Queued after a key that is being handed in.
    run {
      (file) throws(GrantsFile.Problem) in
      try file.remove(key: name)
    } then: { service, outcome in
      switch outcome {
      case .success(let change?):
        service.logger.notice("A key was revoked.", metadata: service.metadata(name, job))
        service.onChange(change)
        answer(.done(name: name, warning: change.grants.problem.map { "\($0)" }))
      case .success(nil) where !revoked.isEmpty:
        service.logger.notice("A ticket was revoked.", metadata: service.metadata(name, job))
        answer(.done(name: name))
      case .success(nil):
        let message = "There is no key \(name.quoted), and no ticket."
        answer(.failed(code: "rejected", message: message))
      case .failure(let problem):
        let rest =
          service.onRevocationInVain(name)
          ? " The key is cut off until the file is read again: remove its lines by hand." : ""
        answer(.failed(code: "rejected", message: "\(problem)\(rest)"))
      }
    }
  }

  // MARK: - The file

  /// Works on the file after all earlier commands, then passes the outcome to the main actor.
  private func run<Value: Sendable>(
    _ work: @escaping @Sendable (GrantsFile) throws(GrantsFile.Problem) -> Value,
    then body: @escaping @MainActor @Sendable (KeyService, Outcome<Value>) -> Void,
  ) {
    files.run { [file, weak self] in
      let outcome = Outcome { () throws(GrantsFile.Problem) in try work(file) }
      DispatchQueue.main.async {
        MainActor.assumeIsolated {
          if let self { body(self, outcome) }
        }
      }
    }
  }
}

extension KeyAnswer {
  /// Reports why the file of grants is unchanged.
  fileprivate static func failed(_ problem: GrantsFile.Problem) -> Self {
    .failed(code: "rejected", message: "\(problem)")
  }
}

extension Result {
  /// The error; nil for a success.
  fileprivate var problem: Failure? {
    if case .failure(let problem) = self { problem } else { nil }
  }
}
