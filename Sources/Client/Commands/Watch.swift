import ArgumentParser

/// Prints states as they change: `storectl watch SCOPE…`.
struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print the state of scopes, and print it again whenever it changed.",
    discussion: """
      Each line belongs to one scope and one revision. When the output cannot keep up, revisions \
      are skipped, but never reordered.

      With --deltas every revision is printed: the state first, then what each revision changed. \
      When more than 64 MiB wait to be printed, or the daemon no longer has what was missed, a \
      line with the whole state takes the place of the changes.

      With --outputs, what the scopes put out is printed as well, each after the state that it \
      belongs to. What is put out while there is no connection is never printed.

      Goes on through a restart of the daemon. SIGTERM or SIGINT ends it after a whole line.
      """,
  )

  @OptionGroup var options: ConnectionOptions

  @Argument(help: "Scopes, such as counter or todos/items/<id>.")
  var scopes: [String]

  @Flag(help: "Print what each revision changed instead of the newest state.")
  var deltas = false

  @Flag(help: "Print what the scopes put out as well.")
  var outputs = false

  @Flag(help: "Print the digest of the scope's state on each line.")
  var digest = false

  @Option(help: ArgumentHelp("End after so many lines.", valueName: "lines"))
  var count: Int?

  func validate() throws {
    if let count, count < 1 {
      throw ValidationError("--count needs at least 1 line, not \(count).")
    }
  }

  func run() throws {
    var names: [String] = []
    for name in scopes where !names.contains(name) { names.append(name) }
    let format = WatchSession.Format(
      isJSON: options.json,
      deltas: deltas,
      outputs: outputs,
      digest: digest,
      count: count,
    )
    try Connecting(options: options, name: "storectl watch", isListed: true).run { daemon in
      try await WatchSession(daemon, format).run(names)
    }
  }
}
