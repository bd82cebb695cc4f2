package import StoreProtocol

/// The options of a run.
///
/// The seed determines them unless a test sets others. Each number has a name (``Knob``), under
/// which it is printed, set and simplified.
package struct SimulationOptions: Sendable, Equatable {
  package var clients = 4
  /// The period in which clients act and faults occur.
  package var span: Duration = .seconds(4)
  package var actionsPerClient = 20
  package var faults = Faults()
  package var habits = Habits()
  package var disk = Disk()
  /// The probability that a client is of a later build than the daemon; the first client never is.
  package var laterClients = 0.3
  /// The rights of every other client, a bit for each name (``World/names``); 0 if all clients have
  /// all rights.
  package var granted = 0
  /// The number of rows at the start.
  package var rows = 4
  /// The largest number of bytes of a title.
  package var titleBytes = 16
  /// The planted fault, which a validator has to detect.
  package var planted: PlantedFault?
  package var limits = Limits()
  package var timing = Timing()
  package var controlDelay: ClosedRange<Duration> = .microseconds(50) ... .milliseconds(2)
  package var publishingDelay: ClosedRange<Duration> = .microseconds(50) ... .milliseconds(2)
  /// The duration of a capture for joining clients.
  package var captureDuration: ClosedRange<Duration> = .zero ... .milliseconds(2)

  /// The number of faults of each kind in a run.
  package struct Faults: Sendable, Equatable {
    /// A control socket's connection breaks, and is restored.
    package var controlCuts = 0
    /// A publishing socket's connection breaks, and is restored.
    package var publishingCuts = 0
    /// A subscriber's queue is full for some time, so that publications are lost.
    package var congestions = 0
    /// A client does not read its control socket for some time, so that the daemon's queue is full.
    package var blocks = 0
    /// The daemon stops, with or without goodbye; another one starts, empty unless there is a disk.
    package var restarts = 0
    /// A client's process is suspended for longer than its lease.
    package var sleeps = 0
    /// A suspended client loses all messages that were sent to it meanwhile.
    package var losesQueueWhenAsleep = false
    /// A publishing socket's connection loses all messages for some time without notice.
    package var silences = 0
    /// The clock that all programs share is set forward or back.
    package var clockSteps = 0
    /// A client sets an alarm, which rings later.
    package var alarms = 0
    /// A client closes its connection for good, and another client joins.
    package var closes = 0
    /// Another user connects, or grants change, so that views move between public and
    /// private delivery.
    package var grants = 0
    /// A client's action ends the daemon while it is reduced, each time that it is.
    package var crashes = 0

    package init() {}
  }

  /// The daemons' disk and its faults.
  package struct Disk: Sendable, Equatable {
    /// Whether daemons have a disk: without a disk each daemon starts empty.
    package var isThere = false
    /// The longest duration of a commit.
    package var commit: Duration = .milliseconds(1)
    /// The disk is full for some time.
    package var fulls = 0
    /// A sync fails, so that the daemon has to end.
    package var syncFailures = 0
    /// Data on the disk has changed when a daemon starts.
    package var damages = 0
    /// The answer for a durable batch is lost.
    package var lostAnswers = 0
    /// A daemon's process is suspended, another one takes over its history, and the first resumes.
    package var takeovers = 0
    /// A snapshot of another history is added while no daemon runs.
    package var foreignSnapshots = 0

    package init() {}
  }

  /// The activities of clients besides sending actions.
  ///
  /// Some seeds omit some of them, which tests the others alone.
  package struct Habits: Sendable, Equatable {
    /// Follow further scopes, and leave some.
    package var moves = true
    /// Follow rows.
    package var rows = true
    /// Open stores, sometimes several of one scope, and drop them.
    package var stores = true
    /// Wait for conditions, and cancel some waits.
    package var waits = true
    /// Give actions a time.
    package var deadlines = true
    /// Cancel actions.
    package var cancels = true
    /// Send several actions at once.
    package var bursts = true

    package init() {}
  }

  package init() {
    timing.lease = .seconds(2)
    timing.grace = .milliseconds(400)
    timing.bookmark = .milliseconds(60)
    timing.answer = .milliseconds(300)
    timing.working = .milliseconds(100)
    timing.backOff = .milliseconds(20) ... .milliseconds(500)
  }
}

// MARK: - Drawing

extension SimulationOptions {
  /// The options of a seed: few faults for some seeds, many for others, and small runs for some.
  package init(seed: UInt64) {
    self.init()
    var generator = SeededGenerator(seed: seed ^ 0x5eed_0f0b_7105)
    clients = generator.number(1...5)
    span = .milliseconds(generator.logarithmic(500...8_000))
    actionsPerClient = generator.logarithmic(2...32)
    laterClients = generator.chance(0.5) ? 0 : 0.5
    rows = generator.logarithmic(1...128) - 1
    titleBytes = generator.logarithmic(4...1_024)
    faults = Self.faults(&generator)
    habits = Self.habits(&generator)
    controlDelay = Self.delay(&generator)
    publishingDelay = Self.delay(&generator)
    captureDuration = Self.captureDuration(&generator)
    limits = Self.limits(&generator)
    timing = Self.timing(&generator)
    // A separate generator, so that the other draws stay the same.
    var others = SeededGenerator(seed: seed ^ 0x9a7_a6e5)
    faults.grants = others.chance(0.3) ? others.number(1...4) : 0
    // Some steps exceed this limit and some do not; no output exceeds it.
    limits.messageBytes =
      others.chance(0.5) ? others.number(112...256) : others.logarithmic(256...1 << 16)
    limits.heldBytes = others.logarithmic(256...1 << 20)
    drawDisk(seed)
    drawWriters(seed)
    drawPace(seed)
    var crashes = SeededGenerator(seed: seed ^ 0xc_4a54)
    faults.crashes = crashes.chance(0.2) ? crashes.number(1...2) : 0
    var alarms = SeededGenerator(seed: seed ^ 0xa1_a24)
    faults.alarms = alarms.chance(0.3) ? alarms.number(1...4) : 0
    var grants = SeededGenerator(seed: seed ^ 0x9_4a47)
    granted = grants.chance(0.3) ? grants.number(1...30) : 0
    self = coherent
  }

  /// Draws from a separate generator, so that the other draws are the same as without disks.
  private mutating func drawDisk(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed ^ 0xd15c)
    disk.isThere = generator.chance(0.5)
    disk.commit = .microseconds(generator.logarithmic(10...5_000_000))
    disk.fulls = generator.chance(0.5) ? 0 : generator.number(1...3)
    disk.syncFailures = generator.chance(0.7) ? 0 : generator.number(1...2)
    disk.damages = generator.chance(0.5) ? 0 : generator.number(1...2)
    limits.recordBytesPerSnapshot = generator.logarithmic(128...1 << 16)
    limits.unreleasedRevisions = UInt64(generator.logarithmic(1...1_000))
    limits.unreleasedBytes = generator.logarithmic(256...1 << 20)
    timing.stall = .milliseconds(generator.logarithmic(10...1_000))
    timing.retry = .milliseconds(generator.logarithmic(10...1_000))
    timing.backpressure = .milliseconds(generator.logarithmic(2...1_000))
  }

  /// Draws the faults of the disk's answers and of its writers, from a separate generator.
  private mutating func drawWriters(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed ^ 0x7e_4a5)
    disk.lostAnswers = generator.chance(0.5) ? 0 : generator.number(1...3)
    disk.takeovers = generator.chance(0.7) ? 0 : generator.number(1...2)
    disk.foreignSnapshots = generator.chance(0.7) ? 0 : 1
  }

  /// Draws the amount of work per turn and the limits for slow peers, from a separate generator.
  private mutating func drawPace(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed ^ 0x9ace)
    timing.turn = .microseconds(generator.logarithmic(1...10_000))
    timing.handOut = .microseconds(generator.logarithmic(1...2_000))
    timing.backlog = .milliseconds(generator.logarithmic(10...1_000))
    timing.busyBookmark = .milliseconds(generator.logarithmic(20...5_000))
    timing.introduction = .milliseconds(generator.logarithmic(500...3_000))
    timing.lag = .milliseconds(generator.logarithmic(100...1_000))
    timing.settling = .seconds(generator.number(1...10))
    limits.bytesPerPing = generator.logarithmic(64...1 << 20)
    limits.lagBytes = UInt64(generator.logarithmic(1 << 12...8 << 20))
    limits.mostLagBytes = limits.lagBytes * UInt64(generator.number(1...8))
    limits.allHeldBytes = max(limits.heldBytes, generator.logarithmic(1 << 10...1 << 22))
    limits.reservedSessions = UInt64(generator.logarithmic(2...256))
    limits.unrecordedFarewells = generator.logarithmic(1...1_024)
    limits.suggestionsPerJoin = generator.number(0...16)
  }

  /// Returns these options with a disk from which daemons restart after any kind of end.
  package func withDisk(seed: UInt64) -> Self {
    var options = self
    options.disk.isThere = true
    options.faults.restarts = 1 + Int(seed % 4)
    return options.coherent
  }

  private static func faults(_ generator: inout SeededGenerator) -> Faults {
    var faults = Faults()
    let roughness = generator.number(0...3)
    guard roughness > 0 else { return faults }
    func draw(_ most: Int) -> Int { generator.chance(0.3) ? 0 : generator.number(0...most) }
    faults.controlCuts = draw(2 * roughness)
    faults.publishingCuts = draw(roughness)
    faults.congestions = draw(2 * roughness)
    faults.blocks = draw(roughness)
    faults.silences = draw(1)
    faults.sleeps = draw(roughness - 1)
    faults.losesQueueWhenAsleep = generator.chance(0.3)
    faults.restarts = generator.chance(0.25) ? generator.number(1...2) : 0
    faults.clockSteps = draw(roughness)
    faults.closes = generator.chance(0.4) ? generator.number(1...2) : 0
    return faults
  }

  /// Each habit is absent from some seeds.
  private static func habits(_ generator: inout SeededGenerator) -> Habits {
    var habits = Habits()
    habits.moves = generator.chance(0.8)
    habits.rows = generator.chance(0.8)
    habits.stores = generator.chance(0.7)
    habits.waits = generator.chance(0.7)
    habits.deadlines = generator.chance(0.7)
    habits.cancels = generator.chance(0.5)
    habits.bursts = generator.chance(0.7)
    return habits
  }

  /// Mostly short; for some seeds longer than any client waits for an answer.
  private static func captureDuration(
    _ generator: inout SeededGenerator
  ) -> ClosedRange<Duration> {
    guard generator.chance(0.4) else { return .zero ... .milliseconds(2) }
    return .zero ... .milliseconds(generator.logarithmic(2...5_000))
  }

  private static func delay(_ generator: inout SeededGenerator) -> ClosedRange<Duration> {
    let low = generator.logarithmic(20...2_000)
    return .microseconds(low) ... .microseconds(low + generator.logarithmic(10...20_000))
  }

  /// Small limits, so that short runs reach them.
  private static func limits(_ generator: inout SeededGenerator) -> Limits {
    var limits = Limits()
    limits.frameBytes = generator.logarithmic(2_048...1 << 20)
    limits.window = generator.logarithmic(1...32)
    limits.actionsPerFrame = generator.logarithmic(1...128)
    // Few frames have more actions than a shipped daemon reduces between two looks.
    limits.actionsPerLook = 1
    limits.actionsHeldBack = generator.logarithmic(1...64)
    limits.scopesPerSession = generator.chance(0.2) ? generator.number(2...8) : 1_024
    limits.sessions = generator.number(2...8)
    limits.outcomesPerClient = limits.window + generator.number(0...8)
    limits.clients = generator.number(2...8)
    limits.versions = generator.logarithmic(1...64)
    limits.versionBytes = generator.logarithmic(512...1 << 20)
    limits.chunkBytes = generator.logarithmic(8...16_384)
    limits.creditBytes = limits.chunkBytes * generator.number(1...4)
    limits.deltasPerBookmark = generator.logarithmic(2...64)
    limits.queuedActions = generator.chance(0.2) ? generator.number(2...8) : 1_000
    limits.keptBytes = generator.logarithmic(64...1 << 20)
    limits.pendingJoins = generator.number(2...8)
    limits.captureJobs = generator.number(1...4)
    limits.rowsPerJob = generator.logarithmic(1...64)
    limits.pieceBytesPerTurn = generator.logarithmic(64...1 << 20)
    limits.framesPerTurn = generator.logarithmic(1...256)
    limits.bytesPerTurn = generator.logarithmic(64...1 << 16)
    return limits
  }

  private static func timing(_ generator: inout SeededGenerator) -> Timing {
    var timing = SimulationOptions().timing
    timing.lease = .milliseconds(generator.logarithmic(500...4_000))
    timing.grace = .milliseconds(generator.logarithmic(20...1_000))
    timing.bookmark = .milliseconds(generator.logarithmic(10...500))
    timing.resend = .milliseconds(generator.logarithmic(10...500))
    timing.answer = .milliseconds(generator.logarithmic(100...1_000))
    timing.working = .milliseconds(generator.logarithmic(20...300))
    timing.patience = .milliseconds(generator.logarithmic(1_000...30_000))
    timing.linger = .milliseconds(generator.logarithmic(1...2_000) - 1)
    timing.farewell = .milliseconds(generator.logarithmic(10...400))
    let mismatch = generator.logarithmic(100...1_000)
    timing.mismatchBackOff = .milliseconds(mismatch) ... .milliseconds(mismatch * 8)
    let backOff = generator.logarithmic(5...200)
    timing.backOff = .milliseconds(backOff) ... .milliseconds(backOff * 8)
    return timing
  }

  /// Returns these options, adjusted to the protocol's assumptions about networks and limits.
  package var coherent: Self {
    var options = self
    let delay = controlDelay.upperBound + publishingDelay.upperBound
    options.timing.answer = max(timing.answer, delay * 6 + .milliseconds(20))
    options.timing.lease = max(timing.lease, delay * 20, options.timing.answer * 2)
    // Fractions are rounded to whole microseconds, the unit of knobs.
    let lease = options.timing.lease.inMicroseconds
    options.timing.grace = min(timing.grace, .microseconds(lease / 2))
    let answer = options.timing.answer.inMicroseconds
    options.timing.working = min(timing.working, .microseconds(answer / 3))
    options.timing.patience = max(timing.patience, options.timing.answer)
    options.limits.outcomesPerClient = max(limits.outcomesPerClient, limits.window)
    // A snapshot must need fewer round trips than it has rows.
    let bytes = rows * (titleBytes / 4 + 32)
    options.limits.chunkBytes = max(limits.chunkBytes, bytes / 256)
    options.limits.creditBytes = max(limits.creditBytes, options.limits.chunkBytes, bytes / 16)
    options.limits.pieceBytesPerTurn = max(limits.pieceBytesPerTurn, bytes / 256)
    options.titleBytes = min(titleBytes, limits.frameBytes / 8)
    // A limit for a moment or for all peers is at least the lasting limit or the limit of one peer.
    options.limits.mostLagBytes = max(limits.mostLagBytes, limits.lagBytes)
    options.limits.allHeldBytes = max(limits.allHeldBytes, limits.heldBytes)
    // No client is refused, and no client that may return is forgotten.
    options.limits.sessions = max(limits.sessions, clients + faults.closes)
    options.limits.clients = max(limits.clients, clients + faults.closes)
    return options
  }
}
