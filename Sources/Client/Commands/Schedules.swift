import ArgumentParser
import GenericState
import StoreClient
import StoreProtocol
import StoreState

/// Lists the schedules of features, and cancels one: `storectl schedules`.
struct Schedules: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedules",
    abstract: "List the actions that features have scheduled, or cancel one.",
    discussion: """
      Each line has the schedule's number, when it is due, its interval, its id, and the action \
      that it sends. One that does not fire has the reason in brackets: "held" because the daemon \
      ended twice while it was firing (see forgive), "heldBack" in a daemon that was started with \
      --safe, or "unreadable" by this build of the daemon.

      Only a client that may see everything may list and cancel schedules. Exits with 69 if there \
      is no schedule of the number to cancel.

      Examples:
        storectl schedules
        storectl schedules --cancel 12
      """,
  )

  @OptionGroup var options: ConnectionOptions

  @Option(help: "Cancel the schedule with this number.")
  var cancel: UInt64?

  func run() throws {
    let (number, isJSON) = (cancel, options.json)
    try Connecting(options: options, name: "storectl schedules").ask { daemon in
      if let number {
        try await Self.cancel(number, of: daemon, isJSON: isJSON)
      } else {
        try await Self.list(daemon, isJSON: isJSON)
      }
    }
  }

  @MainActor
  private static func cancel(_ number: UInt64, of daemon: Daemon, isJSON: Bool) async throws {
    guard case .cancelled(let isFound) = try await answer(of: daemon, to: .cancel(number)) else {
      throw otherAnswer
    }
    guard isFound else {
      throw CommandError(
        .unavailable,
        "There is no schedule \(number). List them with: storectl schedules",
      )
    }
    try StandardOutput.line(
      isJSON
        ? JSONValue.object([.init("cancelled", .integer(number))]).text()
        : "Schedule \(number) is cancelled."
    )
  }

  @MainActor
  private static func list(_ daemon: Daemon, isJSON: Bool) async throws {
    var table = TextTable()
    var start: UInt64? = 0
    while let from = start {
      guard
        case .list(let entries, let next) = try await answer(of: daemon, to: .list(from: from))
      else { throw otherAnswer }
      if let next, next <= from { throw otherAnswer }
      for entry in entries {
        if isJSON {
          try StandardOutput.line(JSONProjection.untyped(entry).text())
        } else {
          entry.addRow(to: &table)
        }
      }
      start = next
      // A daemon answers a limited number of questions a second.
      if next != nil { try await daemon.connection.pause(for: LogSession.breath) }
    }
    for line in table.lines() { try StandardOutput.line(line) }
  }

  private static let otherAnswer = CommandError(
    .badData,
    "The daemon gave no answer about schedules. Use programs of the same release.",
  )

  private static func answer(
    of daemon: Daemon,
    to query: ScheduleQuery,
  ) async throws -> ScheduleAnswer {
    let answer = try await daemon.connection.schedules(query)
    if case .failed(_, let message) = answer { throw CommandError(.notAllowed, message) }
    return answer
  }
}

extension GenericValue {
  /// Adds a schedule's row.
  @MainActor
  fileprivate func addRow(to table: inout TextTable) {
    func number(_ name: String) -> UInt64? {
      if case .unsigned(let number)? = self[field: name] { number } else { nil }
    }
    func text(_ name: String) -> String {
      if case .text(let text)? = self[field: name] { Printable.text(text) } else { "" }
    }
    let status = text("status")
    table.add(
      number("number").map(String.init) ?? "",
      number("due").map { UTCTime.text(milliseconds: $0) } ?? "",
      number("everyMs").map { "every \(DaemonStatus.time($0))" } ?? "once",
      text("id"),
      text("action") + (status == "armed" ? "" : " [\(status)]"),
    )
  }
}
