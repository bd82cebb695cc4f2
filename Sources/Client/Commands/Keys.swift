import ArgumentParser
import GenericState
import StoreClient
import StoreProtocol
import StoreState

/// Lists keys: `storectl keys`.
struct Keys: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "List the keys that may connect over tcp, and their grants.",
    discussion: """
      An unused ticket has its remaining time in the place of a key. Only the daemon's user and \
      root may list keys, on the daemon's own machine.

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
    abstract: "Revoke a key, and end its connections; or revoke a ticket.",
    discussion: """
      Only the daemon's user and root may revoke, on the daemon's own machine. The command removes \
      the key's lines from the file of grants, and prints a warning if another line is invalid.

      Example:
        storectl revoke laptop
      """,
  )

  @OptionGroup var options: ConnectionOptions

  @Argument(help: "The name of the key.")
  var name: String

  func run() throws {
    let (name, isJSON) = (name, options.json)
    try Connecting(options: options, name: "storectl revoke").ask { daemon in
      guard case .done(_, let warning) = try await daemon.answer(to: .revoke(name: name)) else {
        throw CommandError(.badData, "The daemon did not confirm the revocation.")
      }
      if let warning {
        Note.print("The other changes in the file of grants are not in force: \(warning)")
      }
      try StandardOutput.line(
        isJSON
          ? JSONValue.object([.init("revoked", .string(name))]).text()
          : "\(Printable.text(name)) is revoked."
      )
    }
  }
}
