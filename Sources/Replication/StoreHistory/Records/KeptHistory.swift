package import StoreActor
package import StoreProtocol
import StoreState

/// The data besides the root that a restarted daemon needs to continue.
package struct KeptHistory: Hashable, Sendable {
  /// The outcomes of one client's actions.
  package struct Client: Hashable, Sendable {
    package var id: Identifier
    /// The sequence of its last action that has an outcome.
    package var last: UInt64
    /// The outcomes of the newest sequences, ending with that of `last`.
    package var outcomes: [Outcome]
    /// The holder that the client is charged to.
    package var holder: ClientHolder

    package init(
      id: Identifier,
      last: UInt64,
      outcomes: [Outcome],
      holder: ClientHolder = .unknown,
    ) {
      self.id = id
      self.last = last
      self.outcomes = outcomes
      self.holder = holder
    }
  }

  /// The clients with kept outcomes; the client that has been absent the longest is first.
  package var clients: [Client] = []
  /// The listed sessions, by their numbers.
  package var sessions: [UInt64: SessionInfo] = [:]
  /// An upper bound of all session numbers so far.
  package var sessionNumbers: UInt64 = 0
  /// The effects with names that are running, by their numbers.
  package var effects: [UInt64: InterruptedEffect] = [:]
  /// The schedules, by their numbers.
  ///
  /// Bounded by ``Limits/schedules``, in the daemon that added them.
  package var timers: [UInt64: DurableTimer] = [:]

  package init() {}

  /// Applies the sessions and effects of a record.
  package mutating func note(_ details: JournalRecord.Details, of origin: JournalRecord.Origin) {
    switch origin {
    case .client(let action): sessionNumbers = max(sessionNumbers, action.session)
    case .session(.joined(let info)):
      sessionNumbers = max(sessionNumbers, info.id)
      sessions[info.id] = info
    case .session(.left(let info)): sessions[info.id] = nil
    case .restored(let restoration): forget(restoration.interrupted)
    case .daemon, .internal: break
    }
    if details.hasNoFacts { return }
    for session in details.departed { sessions[session.id] = nil }
    for running in details.began { effects[running.number] = running.effect }
    for number in details.ended { effects[number] = nil }
    noteSchedules(details)
  }

  /// Applies the schedules of a record.
  mutating func noteSchedules(_ details: JournalRecord.Details) {
    for scheduled in details.scheduled { timers[scheduled.number] = scheduled.timer }
    if let fired = details.fired {
      if let next = fired.next {
        timers[fired.number]?.due = next
      } else {
        timers[fired.number] = nil
      }
    }
    for number in details.unscheduled { timers[number] = nil }
  }

  /// The listed sessions, in the order in which they opened.
  package var sessionsInOrder: [SessionInfo] {
    sessions.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The greatest number of an effect or a schedule; 0 without any.
  package var greatestEffectNumber: UInt64 {
    max(effects.keys.max() ?? 0, timers.keys.max() ?? 0)
  }

  /// Removes the interrupted effects that were reported to the feature after a restart.
  ///
  /// The same effects may have begun since, through sessions that left. Their numbers are greater.
  private mutating func forget(_ interrupted: [InterruptedEffect]) {
    for effect in interrupted {
      guard let number = effects.filter({ effect.isOf($0.value) }).keys.min() else { continue }
      effects[number] = nil
    }
  }

  /// The greatest number of a session, an effect or a revision, also in damaged files.
  ///
  /// So greater numbers are available.
  package static let greatestNumber: UInt64 = 1 << 62

  /// The last session number that may be used before a record contains a greater one.
  package func sessionNumbers(with limits: Limits) -> UInt64 {
    min(sessionNumbers, Self.greatestNumber) + limits.reservedSessions
  }

  /// The number of outcomes that each client may keep so that the total stays within the limit.
  ///
  /// Every client keeps its newest outcome, which may be on its way to it. Holders share the
  /// remaining room equally, and so do the clients of each holder.
  ///
  /// - Parameters:
  ///   - counts: Each client's holder and number of outcomes.
  ///   - limit: The greatest total; at least the number of clients.
  ///   - reserve: The part that others leave to the owner, if any.
  /// - Returns: For each holder, the most newest outcomes that each of its clients keeps.
  package static func outcomesEach(
    of counts: [(holder: ClientHolder, count: Int)],
    within limit: Int,
    reserve: OwnersReserve? = nil,
  ) -> [ClientHolder: Int] {
    let amounts = counts.filter { $0.count > 0 }
      .map { (holder: $0.holder, newest: 1, older: $0.count - 1) }
    return olderEach(of: amounts, within: limit, reserve: reserve)
      .mapValues { $0 == .max ? $0 : $0 + 1 }
  }

  /// The holders whose clients lose the values of their newest outcomes so that these are within a
  /// limit: those with the most bytes.
  ///
  /// - Parameters:
  ///   - newest: The size of each client's newest outcome, with and without its value.
  ///   - limit: The greatest total.
  /// - Returns: The holders.
  package static func holdersLosingValues(
    of newest: [(holder: ClientHolder, bytes: Int, bare: Int)],
    within limit: Int,
  ) -> Set<ClientHolder> {
    var total = newest.reduce(0) { $0 + $1.bytes }
    guard total > limit else { return [] }
    let holders = Dictionary(grouping: newest, by: \.holder).mapValues { outcomes in
      outcomes.reduce(into: (bytes: 0, freed: 0)) { sum, outcome in
        sum.bytes += outcome.bytes
        sum.freed += outcome.bytes - outcome.bare
      }
    }
    var losing: Set<ClientHolder> = []
    for (holder, sum) in holders.sorted(by: { $0.value.bytes > $1.value.bytes })
    where total > limit {
      losing.insert(holder)
      total -= sum.freed
    }
    return losing
  }

  /// The size of older outcomes that each client may keep so that the total is within the limit.
  ///
  /// - Parameters:
  ///   - clients: The size of each client's newest outcome, and of its older ones together.
  ///   - limit: The greatest total; at least the sum of the newest ones.
  ///   - reserve: The part that others leave to the owner, if any.
  /// - Returns: For each holder, the greatest size of each of its clients' older outcomes.
  package static func olderEach(
    of clients: [(holder: ClientHolder, newest: Int, older: Int)],
    within limit: Int,
    reserve: OwnersReserve? = nil,
  ) -> [ClientHolder: Int] {
    let older = Dictionary(grouping: clients, by: \.holder).mapValues { $0.map(\.older) }
    let newest = clients.reduce(0) { $0 + $1.newest }
    let sums = older.mapValues { $0.reduce(0, +) }
    let shares = Self.shares(of: sums, within: max(0, limit - newest), reserve: reserve)
    return shares.reduce(into: [:]) { each, share in
      each[share.key] = Self.share(of: older[share.key] ?? [], within: share.value)
    }
  }

  /// The greatest amount of each holder so that the total stays within a limit.
  ///
  /// The owner is served first, up to the reserve. All holders share the rest equally.
  ///
  /// - Parameters:
  ///   - sums: The amount of each holder.
  ///   - limit: The greatest total.
  ///   - reserve: The part that others leave to the owner, if any.
  /// - Returns: The greatest amount of each holder.
  package static func shares(
    of sums: [ClientHolder: Int],
    within limit: Int,
    reserve: OwnersReserve?,
  ) -> [ClientHolder: Int] {
    let owners = sums.filter { $0.key.isOwner(reserve?.owner) }
    let first = share(of: Array(owners.values), within: min(reserve?.amount ?? 0, limit))
    let reserved = owners.mapValues { min($0, first) }
    let rest = sums.map { $0.value - (reserved[$0.key] ?? 0) }
    let share = share(of: rest, within: limit - reserved.values.reduce(0, +))
    return sums.reduce(into: [:]) { shares, sum in
      shares[sum.key] = share == .max ? .max : share + (reserved[sum.key] ?? 0)
    }
  }

  /// The greatest amount for each participant so that the total stays within a limit.
  ///
  /// - Parameters:
  ///   - counts: The amount of each participant.
  ///   - limit: The greatest total.
  /// - Returns: The greatest amount for each.
  static func share(of counts: [Int], within limit: Int) -> Int {
    var room = limit
    for (place, count) in counts.sorted().enumerated() {
      let share = room / (counts.count - place)
      if count > share { return share }
      room -= count
    }
    return .max
  }

  /// The event that the feature receives when the daemon starts again.
  package func restoration(wasStopped: Bool) -> Restoration {
    var restoration = Restoration(wasStopped: wasStopped, running: effects)
    restoration.timers = timers.restored
    return restoration
  }
}

extension InterruptedEffect {
  /// Whether it is a running effect, apart from the crash that has interrupted it.
  fileprivate func isOf(_ running: InterruptedEffect) -> Bool {
    name == running.name && path == running.path
  }
}

/// The part of a limit of all clients together that others leave to the owner's clients.
package struct OwnersReserve {
  let amount: Int
  /// The daemon's user; nil for a daemon without an owner.
  let owner: UInt32?

  package init(amount: Int, owner: UInt32? = nil) {
    self.amount = amount
    self.owner = owner
  }
}

extension CBORDecoder {
  /// Reads a revision's number, which is small enough for greater ones to follow.
  mutating func revision(atLeast least: UInt64) throws(CodecError) -> UInt64 {
    let revision = try unsigned()
    guard revision >= least, revision <= KeptHistory.greatestNumber else {
      throw error(.typeMismatch, "no revision that is kept has the number \(revision)")
    }
    return revision
  }
}

extension JournalRecord.Origin {
  /// Whether it alone changes the listed sessions or the running effects.
  package var changesHistory: Bool {
    switch self {
    case .session, .restored: true
    case .daemon, .internal, .client: false
    }
  }
}

extension [UInt64: DurableTimer] {
  /// The schedules, for the feature that receives a restoration.
  var restored: [RestoredTimer] {
    sorted { $0.key < $1.key }.map { RestoredTimer(number: $0, timer: $1) }
  }
}
