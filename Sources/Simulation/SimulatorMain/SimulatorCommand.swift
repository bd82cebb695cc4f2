import ArgumentParser
import StoreSimulation

/// Runs simulated worlds, one for each seed, and reports those that broke a promise.
@main
struct SimulatorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulator",
    abstract: "Runs a daemon, its clients and a bad network in one thread, once for each seed.",
  )

  @Option(help: "The number of seeds to run.")
  var seeds: UInt64 = 100

  @Option(help: "The first seed.")
  var first: UInt64 = 1

  @Option(help: "The only seed to run.")
  var seed: UInt64?

  @Option(
    help: ArgumentHelp(
      "Sets a number that the seed would draw; durations are in microseconds.",
      valueName: "name=value",
    )
  )
  var set: [String] = []

  @Flag(help: "Do not look for simpler options with which a seed fails.")
  var keep = false

  @Flag(help: "Print all events.")
  var verbose = false

  func run() throws {
    let range = try seeds(from: seed ?? first, count: seed == nil ? seeds : 1)
    for setting in set {
      var options = SimulationOptions()
      guard options.set(setting) else {
        let names = SimulationOptions.knobs.map(\.name).joined(separator: ", ")
        throw ValidationError("There is no \"\(setting)\". Set one of: \(names).")
      }
    }
    // A synchronous command runs on the main thread, which is the main actor's.
    let (failures, totals) = MainActor.assumeIsolated {
      var totals = Totals()
      let failures = range.filter { !runs($0, &totals) }
      return (failures, totals)
    }
    print("\(range.count) runs, \(failures.count) failed; \(totals)")
    if !failures.isEmpty { throw ExitCode.failure }
  }

  private func seeds(from first: UInt64, count: UInt64) throws -> Range<UInt64> {
    let (end, overflow) = first.addingReportingOverflow(count)
    guard !overflow else {
      throw ValidationError("There are no \(count) seeds from \(first) on. Start lower.")
    }
    return first..<end
  }

  /// Runs one seed; returns true if every promise was kept.
  @MainActor private func runs(_ seed: UInt64, _ totals: inout Totals) -> Bool {
    var options = SimulationOptions(seed: seed)
    for setting in set { _ = options.set(setting) }
    let history = World.history(
      ofSeed: seed,
      options: options,
      trace: verbose ? { print($0) } : nil,
    )
    let violations = Validator.check(history)
    totals.add(history)
    if verbose { print(history.summary) }
    guard let first = violations.first else { return true }
    print("seed \(seed) failed; run it again with: simulator --seed \(seed) --verbose")
    for violation in violations.prefix(5) { print("  \(violation)") }
    if violations.count > 5 { print("  and \(violations.count - 5) more") }
    if !keep { shrink(seed, options, first.promise) }
    return false
  }

  /// Prints the simplest options that were found with which a seed breaks the same promise.
  @MainActor private func shrink(_ seed: UInt64, _ options: SimulationOptions, _ promise: String) {
    let simplest = Shrinker.shrink(options) { options in
      let history = World.history(ofSeed: seed, options: options)
      return Validator.check(history).contains { $0.promise == promise }
    }
    let settings = simplest.differences(fromSeed: seed)
    let flags = settings.map { "--set \($0)" }.joined(separator: " ")
    print("  simpler: simulator --seed \(seed) \(flags)")
    print("  to keep: \(seed) \(settings.joined(separator: " "))")
  }
}

/// The counts of all runs, as evidence that the faults had effects.
private struct Totals: CustomStringConvertible {
  private var epochs = 0
  private var resyncs: UInt64 = 0
  private var outputs = 0
  private var later = 0
  private var counters: [String: UInt64] = [:]

  mutating func add(_ history: History) {
    epochs += history.epochs.count
    resyncs += history.resyncs
    outputs += history.outputsHeard
    later += history.laterScopes
    counters.merge(history.counters, uniquingKeysWith: +)
  }

  var description: String {
    let names = [
      "actionsApplied", "actionsFailed", "duplicates", "captures", "snapshots", "replays",
      "leasesEnded", "blockedPeers", "markers",
    ]
    let counts = names.map { "\($0) \(counters[$0] ?? 0)" }.joined(separator: ", ")
    return "epochs \(epochs), resyncs \(resyncs), outputs \(outputs), "
      + "states of a later build \(later), \(counts)"
  }
}
