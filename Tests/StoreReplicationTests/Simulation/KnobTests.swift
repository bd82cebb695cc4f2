import StoreSimulation
import Testing

/// The numbers that define a run, by their names.
@Suite struct KnobTests {
  @Test("Every number that a seed draws has a name, by which it can be set and simplified")
  func drawn() throws {
    for seed: UInt64 in 1...300 {
      let drawn = SimulationOptions(seed: seed)
      var named = SimulationOptions()
      for knob in SimulationOptions.knobs { knob.set(knob.value(in: drawn), in: &named) }
      try #require(named == drawn, "seed \(seed)")
    }
  }

  @Test("A run's printed settings reproduce it from any seed, so that it can be kept")
  func printed() throws {
    for seed: UInt64 in 1...300 {
      let drawn = SimulationOptions(seed: seed).withDisk(seed: seed)
      var kept = SimulationOptions(seed: seed + 1)
      for setting in drawn.differences(fromSeed: seed + 1) {
        let isSet = kept.set(setting)
        #expect(isSet, "\(setting)")
      }
      try #require(kept == drawn, "seed \(seed)")
    }
  }

  @Test("No two numbers have one name, and each is simplest at a value that it can have")
  func names() {
    let knobs = SimulationOptions.knobs
    #expect(Set(knobs.map(\.name)).count == knobs.count)
    for knob in knobs {
      var options = SimulationOptions(seed: 1)
      knob.set(knob.simplest, in: &options)
      #expect(knob.value(in: options) == knob.simplest, "\(knob.name)")
    }
  }
}
