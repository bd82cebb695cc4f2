import ArgumentParser

/// The revisions to run again, and the format of the report.
struct ReplayOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The first revision; the oldest that can be run unless told.",
      valueName: "revision",
    )
  )
  var from: UInt64 = 0

  @Option(
    help: ArgumentHelp("The last revision; the newest unless told.", valueName: "revision")
  )
  var to: UInt64 = .max

  @Flag(help: "Print one line of JSON, as is done where no terminal is.")
  var json = false
}
