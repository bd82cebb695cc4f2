import ArgumentParser
import GenericState
import StoreState

/// Shows a scope as it was: `storectl at REVISION get SCOPE`.
struct At: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "at",
    abstract: "Print a scope's state as it was at a revision.",
    usage: "storectl at <revision> get <scope> [--data <directory>]",
    discussion: """
      Prints the state as JSON: null for a scope that was absent then.

      Example:
        storectl at 1 get todos
      """,
  )

  @OptionGroup var options: ConnectionOptions
  @OptionGroup var history: HistoryOptions

  // With an empty completion: the script for fish counts only arguments that have completions.
  @Argument(help: "The revision.", completion: .list([]))
  var revision: UInt64

  @Argument(help: "The command to run: get.", completion: .list(["get"]))
  var command: String

  @Argument(
    help: "The scope, such as counter or todos/items/<id>.",
    completion: Completions.scopes,
  )
  var scope: String

  func validate() throws {
    guard command == "get" else {
      throw ValidationError("\"\(command)\" cannot be done at a revision: write get.")
    }
  }

  func run() throws {
    let (revision, scope, isJSON) = (revision, scope, options.json)
    try history.run(options, name: "storectl at") { past in
      let tree = try await past.state(of: scope, at: revision)
      try StandardOutput.line(tree.text(pretty: !isJSON))
    }
  }
}
