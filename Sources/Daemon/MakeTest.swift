import ArgumentParser
import GenericState
import StoreDaemon
import StoreState

/// Writes a test of a part of the history: `stored make-test`.
struct MakeTest: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make-test",
    abstract: "Write a test that replays a part of the history, and a file with that part.",
    discussion: """
      Writes NAMETests.swift, a file of Swift Testing, and NAME.journal, which has the whole state \
      and all actions, including those that are hidden from clients. Reads the data directory, \
      which a daemon may be using.

      Example:
        stored make-test --name Milk
      """,
  )

  @OptionGroup var replay: ReplayOptions

  @Option(
    help: ArgumentHelp("The name of the test; RevisionsXToY by default.", valueName: "name")
  )
  var name: String?

  @Option(
    help: ArgumentHelp("The directory for the files.", valueName: "directory"),
    completion: .directory,
  )
  var output = "."

  @OptionGroup var options: DaemonOptions

  func run() throws {
    try Stored.attempt {
      var test = ReplayTest()
      test.name = name
      test.directory = output
      test.sessionAction = "WorkspaceFeature.action(for:)"
      let host = try Stored.host(options.settings())
      let paths = try host.makeTest(test, from: replay.from, through: replay.to)
      Stored.say(
        "Written: \(paths.test), \(paths.journal).",
        ["test": .string(paths.test), "journal": .string(paths.journal)],
        isJSON: replay.json,
      )
    }
  }
}
