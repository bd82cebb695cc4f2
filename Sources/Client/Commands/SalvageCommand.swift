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
      The new history is the one that reaches the newest revision: it begins with a snapshot, and \
      ends before the missing data. Without any snapshot it has the records since revision 1, and \
      no state: only the program that began it can continue from them, with --from-initial-state, \
      and only if its initial state is the same each time. Other records, and those of a torn end, \
      are written as lines of JSON to the folder "salvaged" in the target. The output lists the \
      missing data. The damaged directory stays unchanged.

      Exits with 0 if a daemon can start from the new history, with 1 if it has no state, with 65 \
      if no history could be created, with 73 if the target is not empty, and with 75 if a daemon \
      uses one of the directories.

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
    help: ArgumentHelp("The target: an empty directory, or a new one."),
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
      if report.missing.isEmpty { try StandardOutput.line("No data is missing.") }
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
