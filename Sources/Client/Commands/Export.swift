import ArgumentParser
import StoreHistory
import StoreJournal
import StoreProtocol
import StoreState

/// Writes all persisted data: `storectl export`.
struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write all data of a data directory as lines of JSON.",
    discussion: """
      The first lines have the name of the root, the schema of its state, and the oldest kept \
      state, including the parts that are hidden from clients. A line with the changes of each \
      later revision follows, and an end. Import creates a data directory from the lines. The \
      daemon must not be running.

      Example:
        storectl export --data copy > history
      """,
  )

  @OptionGroup var options: ConnectionOptions

  @Option(
    help: ArgumentHelp("The data directory.", valueName: "directory"),
    completion: .directory,
    transform: PathArgument.parse,
  )
  var data: String

  func run() throws {
    do {
      try export()
    } catch {
      throw Note.failure(error)
    }
  }

  private func export() throws {
    let reader = try HistoryOptions.reader(data)
    let extent = try reader.extent()
    let end = try reader.endOfRecords()
    guard extent.newest <= end else {
      throw HistoryError(
        .corrupt,
        "The log in \(data) ends at revision \(end), and there is a snapshot of revision "
          + "\(extent.newest): an export would lack the revisions between them. Copy the directory "
          + "with storectl backup, and export the copy.",
      )
    }
    var past = try PastExport(try reader.heading(), format: JournalDirectory.format, reader)
    tellWhatIsMissing(past, extent)
    for line in past.begin() { try StandardOutput.line(line) }
    let (oldest, newest) = (past.revision, extent.newest)
    let progress = ProgressLine(printsMeanwhile: true)
    var count = 0
    // A failed output is not a fault of the journal.
    var failure: (any Error)?
    try reader.records(after: past.revision) { (part) throws(HistoryError) in
      do {
        for line in try past.lines(of: part) {
          try StandardOutput.line(line)
          count += 1
          progress.tell("\(count) of at most \(newest - oldest) revisions")
        }
        return true
      } catch let error as HistoryError {
        throw error
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
    try StandardOutput.line(past.end)
  }

  /// Reports the unreadable data that the export lacks.
  private func tellWhatIsMissing(_ past: PastExport, _ extent: HistoryExtent) {
    if past.lacksState {
      Note.print(
        "No snapshot in \(data) can be read: the export has records alone, and import refuses it."
      )
    } else if let oldest = extent.oldestState, oldest < past.revision {
      Note.print(
        "The snapshot of revision \(oldest) cannot be read: the export begins with that of "
          + "revision \(past.revision)."
      )
    }
  }
}
