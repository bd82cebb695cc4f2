import ArgumentParser

/// Which revisions are run again, and how that is said.
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
