import ArgumentParser
import GenericState
import StoreState

/// Measures a daemon: `storectl bench`.
struct Bench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure how fast the daemon takes actions.",
    discussion: """
      The same client watches the scope: an action is done when it is acknowledged and the local \
      state includes it.

      The actions are real ones: they change the state permanently. On a terminal the command \
      first announces the actions and the daemon. A daemon that keeps its state on disk receives \
      actions only with consent: --yes, or an answer on the terminal.

      Examples:
        storectl bench latency --count 100 --yes
        storectl bench throughput --count 1000 --window 64 --yes
      """,
    subcommands: [Latency.self, Throughput.self],
  )

  // Lets the options precede the command's name.
  @OptionGroup(visibility: .hidden) var options: ConnectionOptions

  func run() throws {
    throw ValidationError("Name a measurement: storectl bench latency, or throughput.")
  }

  struct Latency: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "latency",
      abstract: "Send one action at a time, after 1000 that are not measured.",
    )

    @OptionGroup var options: ConnectionOptions
    @OptionGroup var load: Load

    func run() throws {
      try load.run(options, defaultCount: 10_000, warmUp: 1_000, window: 1)
    }
  }

  struct Throughput: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "throughput",
      abstract: "Keep as many actions in flight as the window permits.",
    )

    @OptionGroup var options: ConnectionOptions
    @OptionGroup var load: Load

    @Option(help: ArgumentHelp("The greatest number of actions in flight.", valueName: "actions"))
    var window = 256

    func validate() throws {
      guard (1...16_384).contains(window) else {
        throw ValidationError("--window needs a number from 1 to 16384, not \(window).")
      }
    }

    func run() throws {
      try load.run(options, defaultCount: 100_000, warmUp: 0, window: window)
    }
  }

  /// The actions to send, and their number.
  struct Load: ParsableArguments {
    @Option(help: ArgumentHelp("The number of measured actions.", valueName: "actions"))
    var count: Int?

    @Option(help: "The scope to send to.", completion: Completions.scopes)
    var scope = "counter"

    @Option(help: ArgumentHelp("The action to send, as JSON.", valueName: "json"))
    var action = "\"incrementButtonTapped\""

    @Flag(help: "Send them, even if the daemon keeps its state on disk.")
    var yes = false

    func validate() throws {
      if let count, !(1...100_000_000).contains(count) {
        throw ValidationError("--count needs a number from 1 to 100000000, not \(count).")
      }
    }

    func run(
      _ options: ConnectionOptions,
      defaultCount: Int,
      warmUp: Int,
      window: Int,
    ) throws {
      let (scope, action, isJSON, yes) = (scope, action, options.json, yes)
      let address = options.connect
      let count = count ?? defaultCount
      let plan = "This sends \(count + warmUp) times \(action) to \(scope)"
      try Connecting(options: options, name: "storectl bench").run { daemon in
        let run = try await BenchRun(daemon, scope, action)
        if !yes { try await BenchConsent(plan: plan, address: address).ask(daemon) }
        let report = try await run.report(count: count, warmUp: warmUp, window: window)
        try StandardOutput.line(isJSON ? report.tree.text() : report.text)
      }
    }
  }
}
