import ArgumentParser
import GenericState
import StoreJournal
import StoreProtocol
import StoreState

/// Checks the persisted data: `storectl verify`.
struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check that all that is kept can be read and fits together.",
    discussion: """
      Each record and each snapshot has its checksum, no revision is missing, and each snapshot is \
      what the records before it lead to. With --data each segment of the log is listed, with what \
      it ends with: clean, open, continued by the next one, copied, torn or damaged.

      Exits with 0 where all is well: also where a daemon was killed, and of a copy. With 65 where \
      something that was kept cannot be read. With 1 where the log ends with bytes that are no \
      whole entry, was taken over by a daemon of which nothing is here, ends before its newest \
      snapshot, or a snapshot is of another history: a daemon starts, and what it goes on from may \
      not be all there was.

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
