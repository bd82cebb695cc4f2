import ArgumentParser
import GenericState
import StoreJournal
import StoreProtocol
import StoreState

/// Checks the persisted data: `storectl verify`.
struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check that all kept data is readable and consistent.",
    discussion: """
      Each record and each snapshot must have its checksum, no revision may be missing, and each \
      snapshot must be the result of the records before it. With --data each segment of the log is \
      listed, with its end: clean, open, continued by the next one, copied, torn or damaged.

      Exits with 0 if all is well, which includes the data of a killed daemon, and copies. Exits \
      with 65 if kept data cannot be read. Exits with 1 if the log ends with bytes that are no \
      whole entry, was taken over by a daemon whose records are absent, or ends before its newest \
      snapshot, or if a snapshot is of another history: a daemon starts, but its data may be \
      incomplete.

      Examples:
        storectl verify
        storectl verify --data copy
      """,
  )

  @OptionGroup var options: ConnectionOptions
  @OptionGroup var history: HistoryOptions

  func run() throws {
    let isJSON = options.json || !isOutputTerminal
    if let data = history.data {
      do {
        return try VerifiedDirectory(data).print(isJSON: isJSON)
      } catch {
        throw Note.failure(error)
      }
    }
    try history.run(options, name: "storectl verify") { past in
      let answer = try await past.answer(.verify)
      guard let found = VerifiedDirectory.Summary(answer) else { throw Past.otherAnswer }
      try StandardOutput.line(isJSON ? JSONValue.object(found.members).text() : found.text)
    }
  }
}
