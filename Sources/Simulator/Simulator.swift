import ArgumentParser
import Simulation

/// Runs simulated worlds, one for each seed, and says which broke a promise.
@main
struct Simulator: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulator",
    abstract: "Runs a daemon, its clients and a bad network in one thread, once for each seed.")

  @Option(help: "How many seeds to run.")
  var seeds: UInt64 = 100

  @Option(help: "The first seed.")
  var first: UInt64 = 1

  @Option(help: "The only seed to run.")
  var seed: UInt64?

  @Flag(help: "Print everything that happens.")
  var verbose = false

  func run() throws {
    let range = seed.map { $0..<($0 + 1) } ?? first..<(first + seeds)
    // A synchronous command is on the main thread, which is the main actor's.
    let failures = MainActor.assumeIsolated { range.filter { !runs($0) } }
    print("\(range.count) runs, \(failures.count) failed")
    if !failures.isEmpty { throw ExitCode.failure }
  }

  /// Runs one seed; true when every promise was kept.
  @MainActor private func runs(_ seed: UInt64) -> Bool {
    let history = World.history(ofSeed: seed, trace: verbose ? { print($0) } : nil)
    let violations = Validator.check(history)
    if verbose { print(history.summary) }
    guard !violations.isEmpty else { return true }
    print("seed \(seed) failed; run it again with: simulator --seed \(seed) --verbose")
    for violation in violations.prefix(5) { print("  \(violation)") }
    if violations.count > 5 { print("  and \(violations.count - 5) more") }
    return false
  }
}
