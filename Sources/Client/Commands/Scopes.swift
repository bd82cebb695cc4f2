import ArgumentParser
import GenericState
import StoreProtocol
import StoreState

/// Lists the exposed scopes: `storectl scopes`.
struct Scopes: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scopes",
    abstract: "List the scopes that the daemon exposes.",
    discussion: """
      Example:
        storectl scopes
      """,
  )

  @OptionGroup var options: ConnectionOptions

  func run() throws {
    let isJSON = options.json
    try Connecting(options: options, name: "storectl scopes").ask { daemon in
      guard isJSON else {
        var table = TextTable()
        for scope in daemon.scopes {
          let actions = scope.actions.map(\.name).joined(separator: " ")
          table.add(
            scope.pattern,
            "\(scope.state.root)",
            actions.isEmpty ? "(read-only)" : actions,
          )
        }
        for line in table.lines(width: outputWidth) { try StandardOutput.line(line) }
        return
      }
      for scope in daemon.scopes {
        let tree: JSONValue = [
          "scope": .string(scope.pattern), "each": .bool(scope.isEach),
          "state": .string("\(scope.state.root)"),
          "actions": .array(scope.actions.map { .string($0.name) }),
        ]
        try StandardOutput.line(tree.text())
      }
    }
  }
}
