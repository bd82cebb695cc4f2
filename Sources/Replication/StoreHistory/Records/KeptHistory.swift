package import StoreActor
package import StoreProtocol
import StoreState

/// What a daemon has to know besides its root to go on where it was.
package struct KeptHistory: Hashable, Sendable {
  /// What became of the actions of one client.
  package struct Client: Hashable, Sendable {
    package var id: Identifier
    /// The sequence of its last action that has an outcome.
    package var last: UInt64
    /// The outcomes of the newest sequences, ending with that of `last`.
    package var outcomes: [Outcome]
    /// Who answers for it.
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

  /// Those of whose actions outcomes are known; who has been away the longest comes first.
  package var clients: [Client] = []
  /// The listed sessions that are there, by their numbers.
  package var sessions: [UInt64: SessionInfo] = [:]
  /// No session has had a number beyond this one.
  package var sessionNumbers: UInt64 = 0
  /// The effects with names that are running, by their numbers.
  package var effects: [UInt64: InterruptedEffect] = [:]

  package init() {}

  /// Takes note of who came and went, and what began and ended, with a record.
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
    for running in details.began { effects[running.number] = running.effect }
    for number in details.ended { effects[number] = nil }
  }

  /// Takes note that the feature was told of effects that ended with the daemon before.
  ///
  /// Some of the same name may have begun since, with the sessions that had left: their numbers are
  /// greater.
  private mutating func forget(_ interrupted: [InterruptedEffect]) {
    for effect in interrupted {
      guard let number = effects.filter({ $0.value == effect }).keys.min() else { continue }
      effects[number] = nil
    }
  }

  /// No number of a session, an effect or a revision is greater, whatever a file says: so there is
  /// room behind them.
  package static let greatestNumber: UInt64 = 1 << 62

  /// How far sessions' numbers may go before a record says more.
  package func sessionNumbers(with limits: Limits) -> UInt64 {
    min(sessionNumbers, Self.greatestNumber) + limits.reservedSessions
  }

  /// How many outcomes each client may keep, so that there are not too many in all.
  ///
  /// Every client keeps its newest, which may be on its way to it. What room is left holders share
  /// alike, and so do the clients of each.
  ///
  /// - Parameters:
  ///   - counts: How many outcomes each client has, and its holder.
  ///   - limit: How many there may be in all; not less than there are clients.
  ///   - reserve: What others leave to the owner; nil where there is none.
  /// - Returns: How many of its newest each client of a holder keeps at most.
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

  /// How much each client may keep of its older outcomes, so that it is not too much in all.
  ///
  /// - Parameters:
  ///   - clients: How much the newest outcome of each client is, and the older ones together.
  ///   - limit: How much there may be in all; not less than the newest ones are.
  ///   - reserve: What others leave to the owner; nil where there is none.
  /// - Returns: How much older ones of each client of a holder may be at most.
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

  /// How much of something each holder may have at most, so that it is not too much in all.
  ///
  /// The owner comes first as far as the reserve goes. What is left all holders share alike.
  ///
  /// - Parameters:
  ///   - sums: How much each holder has.
  ///   - limit: How much there may be in all.
  ///   - reserve: What others leave to the owner; nil where there is none.
  /// - Returns: How much each holder has at most.
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

  /// How much of something each may have at most, so that it is not too much in all.
  ///
  /// - Parameters:
  ///   - counts: How much each has.
  ///   - limit: How much there may be in all.
  /// - Returns: How much each has at most.
  static func share(of counts: [Int], within limit: Int) -> Int {
    var room = limit
    for (place, count) in counts.sorted().enumerated() {
      let share = room / (counts.count - place)
      if count > share { return share }
      room -= count
    }
    return .max
  }

  /// What is to be told when the daemon starts again.
  package func restoration(wasStopped: Bool) -> Restoration {
    let interrupted = effects.sorted { $0.key < $1.key }.map(\.value)
    return Restoration(wasStopped: wasStopped, interrupted: interrupted)
  }
}

/// The part of a limit of all clients together that others leave to those of the owner.
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
  /// Reads the number of a revision, behind which there is room for others.
  mutating func revision(atLeast least: UInt64) throws(CodecError) -> UInt64 {
    let revision = try unsigned()
    guard revision >= least, revision <= KeptHistory.greatestNumber else {
      throw error(.typeMismatch, "no revision that is kept has the number \(revision)")
    }
    return revision
  }
}

extension JournalRecord.Origin {
  /// Whether other sessions are listed, or other effects under way, because of it alone.
  package var changesHistory: Bool {
    switch self {
    case .session, .restored: true
    case .daemon, .internal, .client: false
    }
  }
}
