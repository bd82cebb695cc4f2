import ArgumentParser
import GenericState
import StoreProtocol
import StoreState

/// Shows schemas: `storectl describe [SCOPE]`.
struct Describe: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "describe",
    abstract: "Show the schema of a scope's state, and the actions it takes.",
    discussion: """
      Without a scope it shows all scopes. Below each action is an example of the argument that \
      send takes. With --json, schemas have the form of the protocol.

      Example:
        storectl describe todos
      """,
  )

  @OptionGroup var options: ConnectionOptions

  @Argument(
    help: "The scope, such as counter or todos/items/<id>.",
    completion: Completions.scopes,
  )
  var scope: String?

  func run() throws {
    let (scope, isJSON) = (scope, options.json)
    try Connecting(options: options, name: "storectl describe").ask { daemon in
      var descriptions = daemon.scopes
      if let scope {
        let named = descriptions.filter { $0.name == scope }
        descriptions = named.isEmpty ? [try daemon.description(of: scope)] : named
      }
      for (index, description) in descriptions.enumerated() {
        if isJSON {
          try StandardOutput.line(description.json().text())
        } else {
          if index > 0 { try StandardOutput.line("") }
          for line in SchemaText(description: description).lines {
            try StandardOutput.line(Printable.text(line))
          }
        }
      }
    }
  }
}
