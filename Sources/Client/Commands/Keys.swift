import ArgumentParser
import GenericState
import StoreClient
import StoreProtocol
import StoreState

/// Lists keys: `storectl keys`.
struct Keys: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "List the keys that may connect over tcp, and what is granted to them.",
    discussion: """
      Tickets that nobody has used yet have no key, but a time. Only the daemon's user and root \
      may ask, on the daemon's own machine.

      Example:
        storectl keys
      """,
  )

  @OptionGroup var options: ConnectionOptions

  func run() throws {
    let isJSON = options.json
    try Connecting(options: options, name: "storectl keys").ask { daemon in
      guard case .keys(let entries) = try await daemon.answer(to: .list) else {
        throw CommandError(.badData, "The daemon did not answer with its keys.")
      }
      guard !isJSON else {
        for entry in entries { try StandardOutput.line(entry.tree.text()) }
        return
      }
      var table = TextTable()
      for entry in entries {
        for (place, line) in entry.grants.enumerated() {
          table.add(place == 0 ? entry.name : "", place == 0 ? entry.standing : "", line)
        }
      }
      for line in table.lines() { try StandardOutput.line(line) }
    }
  }
}

extension KeyAnswer.Entry {
  /// The entry's key, or the remaining validity of its ticket.
  fileprivate var standing: String {
    if let key { return KeyText.text(key) }
    let milliseconds = min(seconds ?? 0, .max / 1_000) * 1_000
    return "ticket, good for \(DaemonStatus.time(milliseconds))"
  }

  fileprivate var tree: JSONValue {
    .object([
      .init("name", .string(name)), .init("key", key.map { .string(KeyText.text($0)) } ?? .null),
      .init("grants", .array(grants.map { .string($0) })),
      .init("seconds", seconds.map { .integer($0) } ?? .null),
    ])
  }
}

/// Revokes a key: `storectl revoke`.
struct Revoke: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke",
    abstract: "Let a key in no more, and end its connections; or take a ticket back.",
    discussion: """
      Only the daemon's user and root may, on the daemon's own machine. Its lines are removed from \
      the file of grants, also where another line there makes no sense, which is said then.

      Example:
        storectl revoke laptop
      """,
  )

  @OptionGroup var options: ConnectionOptions

  @Argument(help: "What the daemon calls the key.")
  var name: String

  func run() throws {
    let (name, isJSON) = (name, options.json)
    try Connecting(options: options, name: "storectl revoke").ask { daemon in
      guard case .done(_, let warning) = try await daemon.answer(to: .revoke(name: name)) else {
        throw CommandError(.badData, "The daemon did not say whether it has.")
      }
      if let warning {
        Note.print("What else the file of grants says is not in force as it is: \(warning)")
      }
      try StandardOutput.line(
        isJSON
          ? JSONValue.object([.init("revoked", .string(name))]).text()
          : "\(Printable.text(name)) is not let in any more."
      )
    }
  }
}
