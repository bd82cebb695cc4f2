import ArgumentParser
import StoreDaemon
import StoreProtocol
import StoreState

/// Runs this build's reducers with the history's actions: `stored replay`.
struct ReplayHistory: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replay the history with this build's reducers, and show the first difference.",
    discussion: """
      Reads the data directory, which a daemon may be using, or a journal that make-test has \
      written. No effect runs. Exits with 65 if a revision differs.

      Example:
        stored replay --from 1
      """,
  )

  @OptionGroup var replay: ReplayOptions
  @OptionGroup var options: DaemonOptions

  func run() throws {
    try Stored.attempt {
      let host = try Stored.host(options.settings())
      let report = try host.replay(from: replay.from, through: replay.to)
      Stored.say(report.description, report.json, isJSON: replay.json)
      if report.difference != nil { throw ExitCode(HostError.Code.badData.exitStatus) }
    }
  }
}
