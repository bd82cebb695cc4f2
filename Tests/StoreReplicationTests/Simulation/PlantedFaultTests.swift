import Foundation
import StoreSimulation
import Testing

/// Each planted fault is found, by the validator of the promise that it breaks.
///
/// `PlantedFaults.tsv` beside this file lists the number of seeds for each. If timing has changed,
/// rewrite it: `REFRESH=1 swift test --filter PlantedFaultTests`.
@MainActor
@Suite("Planted faults", .timeLimit(.minutes(5)))
struct PlantedFaultTests {
  private static let table = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "PlantedFaults.tsv")

  /// The maximum number of seeds for a fault.
  private static let most: UInt64 = 60

  private struct Row: Hashable {
    var fault: String
    var promise: String
    var seeds: UInt64
  }

  private func rows() throws -> [Row] {
    try String(contentsOf: Self.table, encoding: .utf8).split(separator: "\n").dropFirst().map {
      let parts = $0.split(separator: "\t").map(String.init)
      try #require(parts.count == 3)
      return Row(fault: parts[0], promise: parts[1], seeds: try #require(UInt64(parts[2])))
    }
  }

  /// The number of seeds until a fault breaks its promise.
  private func seeds(until fault: PlantedFault) -> UInt64? {
    (1...Self.most).first { seed in
      let history = World.history(ofSeed: seed, options: fault.options(seed: seed))
      return Validator.check(history).contains { $0.promise == fault.promise }
    }
  }

  @Test("There are at least twenty faults, and the table has each, with its promise")
  func table() throws {
    let rows = try rows()
    #expect(PlantedFault.allCases.count >= 20)
    #expect(
      rows.map { [$0.fault, $0.promise] }
        == PlantedFault.allCases.map { [$0.rawValue, $0.promise] }
    )
    #expect(rows.allSatisfy { $0.seeds >= 1 && $0.seeds <= Self.most })
  }

  @Test("Each is found, within a few more seeds than listed", arguments: PlantedFault.allCases)
  func found(fault: PlantedFault) throws {
    let count = try #require(seeds(until: fault), "\(fault) was not found")
    if ProcessInfo.processInfo.environment["REFRESH"] != nil { return }
    let row = try #require(try rows().first { $0.fault == fault.rawValue })
    #expect(count <= 5 * row.seeds + 10, "it took \(row.seeds) seeds once, and now \(count)")
  }

  @Test(
    "The table is rewritten",
    .enabled(if: ProcessInfo.processInfo.environment["REFRESH"] != nil),
  )
  func refresh() throws {
    var text = "fault\tpromise\tseeds\n"
    for fault in PlantedFault.allCases {
      text += "\(fault.rawValue)\t\(fault.promise)\t\(seeds(until: fault) ?? 0)\n"
    }
    try text.write(to: Self.table, atomically: true, encoding: .utf8)
  }

  /// Some faults, of which several are planted in runs without other faults.
  private static let undisturbed: [PlantedFault] = [
    .droppedOutputs, .otherDefault, .lostOutcomes, .discardedCaptures, .hastyRepairs,
  ]

  @Test("A fault that is not planted breaks no promise")
  func none() {
    for seed: UInt64 in 1...3 {
      for fault in Self.undisturbed {
        var options = fault.options(seed: seed)
        options.planted = nil
        #expect(Validator.check(World.history(ofSeed: seed, options: options)) == [])
      }
    }
  }
}

/// Seeds that once broke a promise, and the simplest options that reproduced the failure.
@MainActor
@Suite("Kept seeds", .timeLimit(.minutes(2)))
struct KeptSeedTests {
  private struct Kept: CustomStringConvertible {
    var seed: UInt64
    var options: SimulationOptions
    var description: String
  }

  private func kept() throws -> [Kept] {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "KeptSeeds.txt")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
      .map { line in
        let words = line.split(separator: " ")
        let seed = try #require(words.first.flatMap { UInt64($0) }, "\(line)")
        var options = SimulationOptions(seed: seed)
        for setting in words.dropFirst() {
          let isSet = options.set(setting)
          try #require(isSet, "\(line)")
        }
        return Kept(seed: seed, options: options, description: String(line))
      }
  }

  @Test("Seeds that once broke a promise keep it")
  func keep() throws {
    let kept = try kept()
    #expect(!kept.isEmpty)
    for kept in kept {
      let history = World.history(ofSeed: kept.seed, options: kept.options)
      #expect(Validator.check(history) == [], "\(kept)")
    }
  }

  @Test("A failing run is simplified as long as it fails")
  func shrink() {
    var options = SimulationOptions(seed: 3)
    options.clients = 5
    options.faults.controlCuts = 4
    var runs = 0
    let simplest = Shrinker.shrink(options) { options in
      runs += 1
      return options.clients >= 2 && options.faults.controlCuts >= 1
    }
    #expect(simplest.clients >= 2 && simplest.clients <= 3)
    #expect(simplest.faults.controlCuts == 1)
    #expect(simplest.rows == 0 && simplest.actionsPerClient == 1)
    #expect(runs <= 400)
    // The printed settings reproduce the options.
    var again = SimulationOptions(seed: 3)
    for setting in simplest.differences(fromSeed: 3) {
      let isSet = again.set(setting)
      #expect(isSet)
    }
    #expect(again == simplest)
  }
}
