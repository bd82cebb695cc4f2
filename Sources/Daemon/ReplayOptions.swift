import ArgumentParser

/// The revisions to run again, and the format of the report.
struct ReplayOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The first revision; by default the oldest that can be replayed.",
      valueName: "revision",
    )
  )
  var from: UInt64 = 0

  @Option(
    help: ArgumentHelp("The last revision; by default the newest.", valueName: "revision")
  )
  var to: UInt64 = .max

  @Flag(help: "Print one line of JSON, also on a terminal.")
  var json = false
}
