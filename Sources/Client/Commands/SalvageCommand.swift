import ArgumentParser
import GenericState
import StoreJournal
import StoreState

/// Copies the readable part of a damaged data directory: `storectl salvage`.
struct SalvageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "salvage",
    abstract: "Copy all that can be read of a damaged data directory, as a new history.",
    discussion: """
      The new history is that which reaches the newest revision: it begins with a snapshot, and \
      ends before what is missing. Without any snapshot it is that of the records from revision 1 \
      on, and has no state: only the program that began it goes on from them, with \
      --from-initial-state, and only if its initial state is the same each time. Other records, \
      and those of an end that was torn, are written as lines of JSON to the folder "salvaged" in \
      the target. What is missing is listed. Nothing in the damaged directory is changed.

      Exits with 0 where a daemon starts from the new history, with 1 where it has no state, with \
      65 where no history could be made, with 73 where there is something already, and with 75 \
      where a daemon runs.

      Example:
        storectl salvage copy salvaged
      """,
  )

  @OptionGroup var options: ConnectionOptions

  @Argument(
    help: ArgumentHelp("The damaged data directory.", valueName: "directory"),
    completion: .directory,
    transform: PathArgument.parse,
  )
  var damaged: String

  @Argument(
    help: ArgumentHelp("Where the new history goes: a directory that is empty, or is made."),
    completion: .directory,
    transform: PathArgument.parse,
  )
  var target: String

  func run() throws {
    do {
      try print(try salvage())
    } catch {
      throw Note.failure(error)
    }
  }

  private func salvage() throws -> Salvage.Report {
    try HistoryOptions.checkUnused(damaged)
    try Copying.check(target, isNotInside: damaged)
    let progress = ProgressLine()
    defer { progress.end() }
    var salvage = try Salvage(damaged, to: target)
    return try salvage.run { progress.tell("revision \($0)") }
  }

  private func print(_ report: Salvage.Report) throws {
    if options.json || !isOutputTerminal {
      let tree: JSONValue = [
        "revision": report.newest.map { .integer($0) } ?? .null,
        "oldestState": report.oldestState.map { .integer($0) } ?? .null,
        "root": .string(report.root),
        "missing": .array(report.missing.map { .string($0) }),
        "files": .array(report.files.map { .string($0) }),
      ]
      try StandardOutput.line(tree.text())
    } else {
      for text in report.missing { try StandardOutput.line(Printable.text(text)) }
      if report.missing.isEmpty { try StandardOutput.line("Nothing is missing.") }
    }
    guard let newest = report.newest else {
      throw CommandError(
        .badData,
        "No history could be made of \(damaged). Restore a backup.",
      )
    }
    guard report.oldestState != nil else {
      Note.print(
        "\(target) has the records of revisions 1 to \(newest), and no state. A daemon starts from "
          + "it with --from-initial-state only, and only if its program's initial state is that "
          + "which the history began with. storectl log and export --data list the records. "
          + "Otherwise restore a backup."
      )
      throw Self.withoutState
    }
    guard !options.json, isOutputTerminal else { return }
    try StandardOutput.line(
      "\(target) has \"\(Printable.text(report.root))\" up to revision \(newest)."
    )
  }

  /// The copy lacks a state, so at most one program can use it.
  private static let withoutState = ExitCode(1)
}
