package import StoreReplication

/// What a run is made of.
///
/// All of it follows from the seed unless a test says otherwise.
package struct SimulationOptions: Sendable {
  package var clients = 4
  /// How long clients act and faults happen.
  package var span: Duration = .seconds(4)
  package var actionsPerClient = 20
  package var faults = Faults()
  /// How likely a client is of a later build than the daemon; the first one never is.
  package var laterClients = 0.3
  /// What is broken on purpose, to see that it is found out.
  package var planted: PlantedFault?
  package var limits = Limits()
  package var timing = Timing()
  package var controlDelay: ClosedRange<Duration> = .microseconds(50) ... .milliseconds(2)
  package var publishingDelay: ClosedRange<Duration> = .microseconds(50) ... .milliseconds(2)
  /// How long it takes to encode what joiners get.
  package var captureDuration: ClosedRange<Duration> = .zero ... .milliseconds(2)

  /// What goes wrong, and how often in a run.
  package struct Faults: Sendable, Equatable {
    /// The connection of a control socket breaks, and comes back.
    package var controlCuts = 0
    /// The connection of a publishing socket breaks, and comes back.
    package var publishingCuts = 0
    /// A subscriber's queue is full for a while, so that publications are lost.
    package var congestions = 0
    /// The daemon stops, with or without a word, and another one starts with nothing.
    package var restarts = 0
    /// A client's process stands still for longer than its lease.
    package var sleeps = 0
    /// A client that sleeps wakes without anything that was sent meanwhile.
    package var losesQueueWhenAsleep = false
    /// The connection of a publishing socket is dead for a while without anybody noticing.
    package var silences = 0

    package init() {}
  }

  package init() {
    timing.lease = .seconds(2)
    timing.grace = .milliseconds(400)
    timing.bookmark = .milliseconds(60)
    timing.answer = .milliseconds(300)
    timing.backOff = .milliseconds(20) ... .milliseconds(500)
  }

  /// The options of a seed: calm for some seeds, rough for others.
  package init(seed: UInt64) {
    self.init()
    var generator = SeededGenerator(seed: seed ^ 0x5eed_0f0b_7105)
    clients = generator.number(3...5)
    actionsPerClient = generator.number(6...24)
    let roughness = generator.number(0...3)
    faults.controlCuts = generator.number(0...(2 * roughness))
    faults.publishingCuts = generator.number(0...roughness)
    faults.congestions = generator.number(0...(2 * roughness))
    faults.silences = generator.chance(0.2) ? 1 : 0
    faults.sleeps = generator.chance(0.3) ? roughness / 2 : 0
    faults.losesQueueWhenAsleep = generator.chance(0.3)
    faults.restarts = generator.chance(0.25) ? generator.number(0...2) : 0
    controlDelay = Self.delay(&generator)
    publishingDelay = Self.delay(&generator)
    limits = Self.limits(&generator)
    captureDuration = Self.captureDuration(&generator)
  }

  /// Mostly quick; for some seeds nearly as long as a client waits for an answer.
  private static func captureDuration(
    _ generator: inout SeededGenerator
  ) -> ClosedRange<Duration> {
    guard generator.chance(0.4) else { return .zero ... .milliseconds(2) }
    return .zero ... .milliseconds(1 << generator.number(0...7) + generator.number(0...100))
  }

  private static func delay(_ generator: inout SeededGenerator) -> ClosedRange<Duration> {
    let low = generator.number(20...2_000)
    return .microseconds(low) ... .microseconds(low + generator.number(10...20_000))
  }

  /// Small limits, so that short runs reach them.
  private static func limits(_ generator: inout SeededGenerator) -> Limits {
    var limits = Limits()
    limits.window = generator.number(1...32)
    limits.outcomesPerClient = limits.window + generator.number(0...8)
    limits.versions = generator.number(1...64)
    limits.chunkBytes = generator.number(8...400)
    limits.creditBytes = limits.chunkBytes * generator.number(1...4)
    limits.deltasPerBookmark = generator.number(2...64)
    limits.pendingJoins = generator.number(2...64)
    return limits
  }
}
