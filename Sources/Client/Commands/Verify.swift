import ArgumentParser
import GenericState
import StoreReplication
import StoreState

/// Looks through what is kept: `storectl verify`.
struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check that all that is kept can be read and fits together.",
    discussion: """
      Each record and each snapshot has its checksum, no revision is missing, and each snapshot is \
      what the records before it lead to. Exits with 65 when something is wrong.

      Examples:
        storectl verify
        storectl verify --data copy
      """,
  )

  @OptionGroup var options: ConnectionOptions
  @OptionGroup var history: HistoryOptions

  func run() throws {
    let isJSON = options.json || !isOutputTerminal
    try history.run(options, name: "storectl verify") { past in
      guard
        case .verified(let first, let last, let records, let snapshots) =
          try await past.answer(.verify)
      else { throw Past.otherAnswer }
      let tree: JSONValue = [
        "first": .integer(first), "last": .integer(last), "records": .integer(records),
        "snapshots": .integer(snapshots),
      ]
      try StandardOutput.line(
        isJSON
          ? tree.text()
          : "All is well: \(Counted.text(records, "record")) and "
            + "\(Counted.text(snapshots, "snapshot")), revisions \(first) to \(last)."
      )
    }
  }
}
