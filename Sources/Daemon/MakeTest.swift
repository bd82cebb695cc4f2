import ArgumentParser
import GenericState
import StoreDaemon
import StoreState

/// Writes a test of a part of the history: `stored make-test`.
struct MakeTest: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make-test",
    abstract: "Write a test that runs a part of what was kept again, with that part beside it.",
    discussion: """
      Writes NAMETests.swift, a file of Swift Testing, and NAME.journal, which has the whole state \
      and all actions, also what no client sees. Reads the data directory, which a daemon may be \
      using.

      Example:
        stored make-test --name Milk
      """,
  )

  @OptionGroup var replay: ReplayOptions

  @Option(
    help: ArgumentHelp("What the test is called; RevisionsXToY unless told.", valueName: "name")
  )
  var name: String?

  @Option(
    help: ArgumentHelp("Where the files are written.", valueName: "directory"),
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
