import ArgumentParser
import GenericState
import StoreClient
import StoreReplica
import StoreState

/// Prints a scope's state, once: `storectl get SCOPE`.
struct Get: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Print a scope's state, once.",
    discussion: """
      Prints the state as JSON: null for a scope that is absent now. A row that is not there is \
      an error.

      Examples:
        storectl get todos
        storectl get counter --json | jq .count
      """,
  )

  @OptionGroup var options: ConnectionOptions

  @Argument(
    help: "The scope, such as counter or todos/items/<id>.",
    completion: Completions.scopes,
  )
  var scope: String

  @Flag(help: "Print the state's digest and revision with it.")
  var digest = false

  func run() throws {
    let (scope, isJSON, withDigest) = (scope, options.json, digest)
    try Connecting(options: options, name: "storectl get").ask { daemon in
      let scope = try await daemon.state(of: scope)
      var tree = StateLine.tree(scope)
      if tree == .null, scope.description.isEach {
        throw CommandError(
          .badData,
          "There is no row \"\(scope.name)\" now. List those that there are with: "
            + "storectl watch \(scope.description.name)",
        )
      }
      if withDigest {
        tree = [
          "digest": .string("\(scope.digest)"), "revision": .integer(scope.revision),
          "state": tree,
        ]
      }
      try StandardOutput.line(tree.text(pretty: !isJSON))
    }
  }
}
