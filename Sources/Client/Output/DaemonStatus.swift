import GenericState
import StoreProtocol
import StoreState

/// A daemon's answer to a query for its status (`docs/PROTOCOL.md` §8.2).
struct DaemonStatus {
  struct Session: Identifiable {
    let id: UInt64
    let name: String
    let user: String
    let peer: String
    let backlog: UnreadBacklog
    let heard: String
    let effects: UInt64
    let scopes: String
  }

  let epoch: UInt64
  let revision: UInt64
  /// The last durable revision; nil if the daemon keeps its state in memory only.
  let durableRevision: UInt64?
  /// The last revision that was reduced.
  let newestRevision: UInt64?
  /// The reason why the daemon cannot write to the disk now; nil if it can.
  let obstacle: String?
  let pid: UInt64
  /// The name of the daemon's program; nil if the daemon does not state it.
  let program: String?
  /// The uptime in milliseconds.
  let uptime: UInt64
  let sessions: [Session]
  let counters: [(name: String, count: UInt64)]
  /// The running effects that outlive their senders, as `print ×2`; empty without any.
  let work: String
  /// The reductions during which the daemon ended in the last day, newest first.
  let crashes: [(cause: String, milliseconds: UInt64)]
  /// The copies of its history that other programs keep up to date.
  let copies: [Copy]
  private let value: GenericValue

  struct Copy {
    let target: String
    let revision: UInt64
    /// The number of revisions that it lacks, and for how long, in milliseconds; nil if always.
    let missing: UInt64
    let behind: UInt64?
    let fault: String?

    /// The state of the copy, such as `12 revisions behind, for 3 s`.
    var text: String {
      let state: String
      if missing == 0 {
        state = "has everything"
      } else {
        let time = behind.map { "for \(DaemonStatus.time($0))" } ?? "since it began"
        state = "lacks \(Counted.text(missing, "revision")) \(time)"
      }
      return "\(target) \(state)" + (fault.map { ": \($0)" } ?? "")
    }
  }

  init(_ value: GenericValue) {
    self.value = value
    epoch = value.number("epoch") ?? 0
    revision = value.number("revision") ?? 0
    durableRevision = value.number("durableRevision")
    newestRevision = value.number("newestRevision")
    if case .text(let reason)? = value[field: "obstacle"] {
      obstacle = reason
    } else {
      obstacle = nil
    }
    pid = value.number("pid") ?? 0
    program = if case .text(let name)? = value[field: "program"] { name } else { nil }
    uptime = value.number("uptimeMs") ?? 0
    sessions = value.list("sessions").map { session in
      Session(
        id: session.number("session") ?? 0,
        name: session.text("name"),
        user: session.number("user").map { "\($0)" } ?? session.text("key"),
        peer: session.text("peer"),
        backlog: UnreadBacklog(
          bytes: session.number("unreadBytes") ?? 0,
          milliseconds: session.number("unreadMs") ?? 0,
        ),
        heard: Self.time(session.number("lastHeardMs") ?? 0) + " ago",
        effects: session.number("effects") ?? 0,
        scopes: session.list("scopes").map { if case .text(let name) = $0 { name } else { "–" } }
          .joined(separator: " "),
      )
    }
    counters = Self.counts(value[field: "counters"])
    work = Self.counts(value[field: "work"])
      .map { "\($0.name.isEmpty ? "others" : $0.name) ×\($0.count)" }
      .joined(separator: ", ")
    copies = value.list("copies").map { copy in
      var fault: String?
      if case .text(let reason)? = copy[field: "fault"] { fault = reason }
      return Copy(
        target: copy.text("target"),
        revision: copy.number("revision") ?? 0,
        missing: copy.number("missing") ?? 0,
        behind: copy.number("behindMs"),
        fault: fault,
      )
    }
    crashes = value.list("crashes").reversed().map { crash in
      let cause = Self.cause(name: crash.text("name"), sequence: crash.number("sequence"))
      return (cause, crash.number("time") ?? 0)
    }
  }

  /// The cause of a step during which a daemon ended.
  static func cause(name: String, sequence: UInt64?) -> String {
    sequence.map { "action \($0) to \(name)" } ?? name
  }

  /// The numbers in a map, by name.
  private static func counts(_ value: GenericValue?) -> [(name: String, count: UInt64)] {
    guard case .map(let entries)? = value else { return [] }
    return entries.compactMap { entry in
      guard case .text(let name) = entry.key, case .unsigned(let count) = entry.value else {
        return nil
      }
      return (name, count)
    }
  }

  /// The answer as JSON for programs.
  ///
  /// The epoch is hexadecimal, as everywhere, since not every reader of JSON keeps 64 bits.
  var tree: JSONValue {
    guard case .map(let entries) = value else { return .null }
    return .object(
      entries.compactMap { entry in
        guard case .text(let name) = entry.key else { return nil }
        let content =
          name == "epoch" ? JSONValue.string(epochText) : JSONProjection.untyped(entry.value)
        return JSONValue.Member(name, content)
      }
    )
  }

  var epochText: String { String(epoch, radix: 16) }
  var uptimeText: String { Self.time(uptime) }

  /// The backlog of the slowest session, whose oldest unread message is the oldest.
  var backlog: UnreadBacklog { sessions.map(\.backlog).max() ?? UnreadBacklog() }

  static func time(_ milliseconds: UInt64) -> String {
    switch milliseconds {
    case ..<1_000: "\(milliseconds) ms"
    case ..<120_000: "\(milliseconds / 1_000) s"
    case ..<7_200_000: "\(milliseconds / 60_000) min"
    default: "\(milliseconds / 3_600_000) h"
    }
  }
}

// MARK: - For people

extension DaemonStatus {
  /// The status in the order in which people read: health, sessions and their backlogs, counters.
  var lines: [String] {
    var table = TextTable()
    table.add("revision", "\(revision), \(whereabouts)")
    if let obstacle { table.add("obstacle", obstacle) }
    let process = program.map { "\($0) with pid \(pid)" } ?? "pid \(pid)"
    table.add("up for", "\(uptimeText), as \(process)")
    table.add("sessions", sessions.isEmpty ? "none" : "\(sessions.count), \(slowest)")
    if !work.isEmpty { table.add("own work", work) }
    for crash in crashes {
      table.add("crashed", "\(UTCTime.text(milliseconds: crash.milliseconds)), in \(crash.cause)")
    }
    for copy in copies { table.add("copy", copy.text) }
    table.add("epoch", epochText)
    return table.lines() + sessionLines + counterLines
  }

  private var whereabouts: String {
    guard let durableRevision else { return "in memory only" }
    let newest = max(newestRevision ?? revision, durableRevision)
    let more = newest - durableRevision
    guard more > 0 else { return "all of it on the disk" }
    return "\(more) more \(more == 1 ? "waits" : "wait") for the disk"
  }

  private var slowest: String {
    backlog.isEmpty ? "without a backlog" : "the slowest has \(backlog) unread"
  }

  /// The sessions, with the largest backlog first.
  private var sessionLines: [String] {
    guard !sessions.isEmpty else { return [] }
    var table = TextTable(
      heading: ["session", "name", "user", "unread", "last heard", "effects", "peer", "scopes"]
    )
    for session in sessions.sorted(by: {
      ($1.backlog, $0.id) < ($0.backlog, $1.id)
    }) {
      table.add(
        "\(session.id)",
        session.name,
        session.user,
        "\(session.backlog)",
        session.heard,
        "\(session.effects)",
        session.peer,
        session.scopes,
      )
    }
    return [""] + table.lines(indentation: 2)
  }

  /// The counters above zero.
  private var counterLines: [String] {
    var table = TextTable()
    for counter in counters where counter.count > 0 { table.add(counter.name, "\(counter.count)") }
    let lines = table.lines(indentation: 2)
    return lines.isEmpty ? [] : ["", "counters"] + lines
  }
}

// MARK: - For Prometheus

extension DaemonStatus {
  /// The status in the text format of Prometheus.
  var metrics: [String] { StatusMetrics(value).lines }
}

extension GenericValue {
  fileprivate func number(_ field: String) -> UInt64? {
    if case .unsigned(let number)? = self[field: field] { number } else { nil }
  }

  fileprivate func text(_ field: String) -> String {
    if case .text(let text)? = self[field: field] { text } else { "–" }
  }

  fileprivate func list(_ field: String) -> [GenericValue] {
    if case .array(let items)? = self[field: field] { items.plain } else { [] }
  }
}
