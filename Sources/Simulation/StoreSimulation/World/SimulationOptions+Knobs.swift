import StoreProtocol

extension SimulationOptions {
  /// One number of the options, with the name under which it is printed and set.
  package struct Knob: Sendable {
    package let name: String
    /// The value with which a run is simplest.
    package let simplest: Int
    private let path: any WritableKeyPath<SimulationOptions, Int> & Sendable

    fileprivate init(
      _ name: String,
      _ path: any WritableKeyPath<SimulationOptions, Int> & Sendable,
      simplest: Int? = nil,
    ) {
      self.name = name
      self.path = path
      self.simplest = simplest ?? SimulationOptions()[keyPath: path]
    }

    package func value(in options: SimulationOptions) -> Int { options[keyPath: path] }

    package func set(_ value: Int, in options: inout SimulationOptions) {
      options[keyPath: path] = value
    }
  }

  /// All numbers, beginning with those that shorten a run.
  package static let knobs: [Knob] =
    [
      Knob("clients", \.clients, simplest: 1),
      Knob("actions", \.actionsPerClient, simplest: 1),
      Knob("span", \.span.inMicroseconds, simplest: 100_000),
      Knob("later", \.laterClients.inPercent, simplest: 0),
      Knob("granted", \.granted),
      Knob("rows", \.rows, simplest: 0),
      Knob("titleBytes", \.titleBytes, simplest: 4),
    ] + faultKnobs + diskKnobs + habitKnobs + limitKnobs + timingKnobs

  private static let faultKnobs: [Knob] = [
    Knob("controlCuts", \.faults.controlCuts),
    Knob("publishingCuts", \.faults.publishingCuts),
    Knob("congestions", \.faults.congestions),
    Knob("blocks", \.faults.blocks),
    Knob("restarts", \.faults.restarts),
    Knob("sleeps", \.faults.sleeps),
    Knob("losesQueue", \.faults.losesQueueWhenAsleep.asNumber),
    Knob("silences", \.faults.silences),
    Knob("clockSteps", \.faults.clockSteps),
    Knob("closes", \.faults.closes),
    Knob("grants", \.faults.grants),
    Knob("crashes", \.faults.crashes),
    Knob("alarms", \.faults.alarms),
  ]

  private static let diskKnobs: [Knob] = [
    Knob("disk", \.disk.isThere.asNumber),
    Knob("commit", \.disk.commit.inMicroseconds),
    Knob("fulls", \.disk.fulls),
    Knob("syncFailures", \.disk.syncFailures),
    Knob("damages", \.disk.damages),
    Knob("lostAnswers", \.disk.lostAnswers),
    Knob("takeovers", \.disk.takeovers),
    Knob("foreignSnapshots", \.disk.foreignSnapshots),
    Knob("recordBytesPerSnapshot", \.limits.recordBytesPerSnapshot),
    Knob("unreleasedBytes", \.limits.unreleasedBytes),
    Knob("unreleasedRevisions", \.limits.unreleasedRevisions.asNumber),
    Knob("reservedSessions", \.limits.reservedSessions.asNumber),
    Knob("unrecordedFarewells", \.limits.unrecordedFarewells),
    Knob("stall", \.timing.stall.inMicroseconds),
    Knob("holdBack", \.timing.backpressure.inMicroseconds),
    Knob("retry", \.timing.retry.inMicroseconds),
  ]

  private static let habitKnobs: [Knob] = [
    Knob("moves", \.habits.moves.asNumber, simplest: 0),
    Knob("rowScopes", \.habits.rows.asNumber, simplest: 0),
    Knob("stores", \.habits.stores.asNumber, simplest: 0),
    Knob("waits", \.habits.waits.asNumber, simplest: 0),
    Knob("deadlines", \.habits.deadlines.asNumber, simplest: 0),
    Knob("cancels", \.habits.cancels.asNumber, simplest: 0),
    Knob("bursts", \.habits.bursts.asNumber, simplest: 0),
  ]

  private static let limitKnobs: [Knob] = [
    Knob("frameBytes", \.limits.frameBytes),
    Knob("window", \.limits.window),
    Knob("actionsPerFrame", \.limits.actionsPerFrame),
    Knob("actionsPerLook", \.limits.actionsPerLook),
    Knob("actionsHeldBack", \.limits.actionsHeldBack),
    Knob("scopesPerSession", \.limits.scopesPerSession),
    Knob("sessions", \.limits.sessions),
    Knob("outcomesPerClient", \.limits.outcomesPerClient),
    Knob("clientTable", \.limits.clients),
    Knob("versions", \.limits.versions),
    Knob("versionBytes", \.limits.versionBytes),
    Knob("chunkBytes", \.limits.chunkBytes),
    Knob("creditBytes", \.limits.creditBytes),
    Knob("deltasPerBookmark", \.limits.deltasPerBookmark),
    Knob("queuedActions", \.limits.queuedActions),
    Knob("keptBytes", \.limits.keptBytes),
    Knob("pendingJoins", \.limits.pendingJoins),
    Knob("captureJobs", \.limits.captureJobs),
    Knob("rowsPerJob", \.limits.rowsPerJob),
    Knob("pieceBytesPerTurn", \.limits.pieceBytesPerTurn),
    Knob("framesPerTurn", \.limits.framesPerTurn),
    Knob("bytesPerTurn", \.limits.bytesPerTurn),
    Knob("messageBytes", \.limits.messageBytes),
    Knob("heldBytes", \.limits.heldBytes),
    Knob("allHeldBytes", \.limits.allHeldBytes),
    Knob("bytesPerPing", \.limits.bytesPerPing),
    Knob("lagBytes", \.limits.lagBytes.asNumber),
    Knob("mostLagBytes", \.limits.mostLagBytes.asNumber),
    Knob("suggestionsPerJoin", \.limits.suggestionsPerJoin),
  ]

  private static let timingKnobs: [Knob] = [
    Knob("controlDelay", \.controlDelay.mostMicroseconds),
    Knob("leastControlDelay", \.controlDelay.leastMicroseconds),
    Knob("publishingDelay", \.publishingDelay.mostMicroseconds),
    Knob("leastPublishingDelay", \.publishingDelay.leastMicroseconds),
    Knob("capture", \.captureDuration.mostMicroseconds),
    Knob("lease", \.timing.lease.inMicroseconds),
    Knob("grace", \.timing.grace.inMicroseconds),
    Knob("introduction", \.timing.introduction.inMicroseconds),
    Knob("lag", \.timing.lag.inMicroseconds),
    Knob("bookmark", \.timing.bookmark.inMicroseconds),
    Knob("busyBookmark", \.timing.busyBookmark.inMicroseconds),
    Knob("resend", \.timing.resend.inMicroseconds),
    Knob("answer", \.timing.answer.inMicroseconds),
    Knob("working", \.timing.working.inMicroseconds),
    Knob("patience", \.timing.patience.inMicroseconds),
    Knob("turn", \.timing.turn.inMicroseconds),
    Knob("handOut", \.timing.handOut.inMicroseconds),
    Knob("backlog", \.timing.backlog.inMicroseconds),
    Knob("linger", \.timing.linger.inMicroseconds),
    Knob("farewell", \.timing.farewell.inMicroseconds),
    Knob("settling", \.timing.settling.inMicroseconds),
    Knob("mismatchBackOff", \.timing.mismatchBackOff.mostMicroseconds),
    Knob("leastMismatchBackOff", \.timing.mismatchBackOff.leastMicroseconds),
    Knob("backOff", \.timing.backOff.mostMicroseconds),
    Knob("leastBackOff", \.timing.backOff.leastMicroseconds),
  ]

  /// The differences from the options of a seed, each as `name=value`.
  package func differences(fromSeed seed: UInt64) -> [String] {
    let drawn = SimulationOptions(seed: seed)
    return Self.knobs.filter { $0.value(in: self) != $0.value(in: drawn) }
      .map { "\($0.name)=\($0.value(in: self))" }
  }

  /// Sets one number.
  ///
  /// - Parameter setting: `name=value`, durations in microseconds.
  /// - Returns: False if the name or the value is unknown.
  package mutating func set(_ setting: some StringProtocol) -> Bool {
    let parts = setting.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, let value = Int(parts[1]), value >= 0,
      let knob = Self.knobs.first(where: { $0.name == parts[0] })
    else { return false }
    knob.set(value, in: &self)
    return true
  }
}

extension Duration {
  /// Whole microseconds, the unit in which durations are printed and set.
  var inMicroseconds: Int {
    get { Int(nanoseconds / 1_000) }
    set { self = .microseconds(newValue) }
  }
}

extension ClosedRange<Duration> {
  /// The upper bound; the lower one is no greater.
  fileprivate var mostMicroseconds: Int {
    get { upperBound.inMicroseconds }
    set {
      let upper = Duration.microseconds(newValue)
      self = Swift.min(lowerBound, upper)...upper
    }
  }

  /// The lower bound; the upper one is no less.
  fileprivate var leastMicroseconds: Int {
    get { lowerBound.inMicroseconds }
    set {
      let lower = Duration.microseconds(newValue)
      self = lower...Swift.max(lower, upperBound)
    }
  }
}

extension UInt64 {
  fileprivate var asNumber: Int {
    get { Int(clamping: self) }
    set { self = UInt64(newValue) }
  }
}

extension Bool {
  fileprivate var asNumber: Int {
    get { self ? 1 : 0 }
    set { self = newValue != 0 }
  }
}

extension Double {
  fileprivate var inPercent: Int {
    get { Int((self * 100).rounded()) }
    set { self = Double(newValue) / 100 }
  }
}
