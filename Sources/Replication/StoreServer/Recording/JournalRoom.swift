import StoreHistory
import StoreProtocol

/// The revisions that are not yet durable, by the holder that caused them, also by its effects.
///
/// Each holder with such revisions has an equal share of the limit. A holder with more than its
/// share waits, and its actions are refused later; other holders continue. Revisions without a
/// holder are the daemon's own. They have no share and cannot be refused.
struct JournalRoom {
  private struct Amount {
    var revisions: UInt64 = 0
    var bytes = 0
  }

  /// The waiting revisions of one holder.
  private struct Account {
    let holder: Holder?
    /// The part that the disk is writing.
    var batch = Amount()
    /// The part that the next batch will have.
    var growing = Amount()

    var revisions: UInt64 { batch.revisions + growing.revisions }
    var bytes: Int { batch.bytes + growing.bytes }
  }

  private struct Wait {
    let since: Instant
    var isOver = false
  }

  private let revisions: UInt64
  private let bytes: Int
  private let patience: Duration
  /// The holders with waiting revisions; nil is the daemon.
  ///
  /// Bounded by ``Limits/unreleasedRevisions``: each has at least one.
  private var accounts: [Account] = []
  /// The indices of the accounts by holder.
  ///
  /// Bounded by ``accounts``.
  private var places: [Holder?: Int] = [:]
  /// The index of the newest revision's holder, which nearly always causes the next revision too: a
  /// lookup in the dictionary costs a tenth of an action.
  private var recent = 0
  /// The holders that have their share or more.
  ///
  /// Bounded by ``accounts``.
  private var waits: [Holder: Wait] = [:]

  init(_ limits: Limits, _ timing: Timing) {
    revisions = limits.unreleasedRevisions
    bytes = limits.unreleasedBytes
    patience = timing.backpressure
  }

  /// The number of holders with waiting revisions, without the daemon.
  private var holders: Int { accounts.count - (places[nil] == nil ? 0 : 1) }

  private func place(of holder: Holder?) -> Int? {
    recent < accounts.count && accounts[recent].holder == holder ? recent : places[holder]
  }

  /// Adds a recorded revision.
  mutating func add(_ bytes: Int, of holder: Holder?) {
    if let place = place(of: holder) {
      recent = place
    } else {
      recent = accounts.count
      places[holder] = recent
      accounts.append(Account(holder: holder))
    }
    accounts[recent].growing.revisions += 1
    accounts[recent].growing.bytes += bytes
  }

  /// Moves the growing amounts to the batch that the disk writes.
  mutating func beginBatch() {
    for place in accounts.indices {
      accounts[place].batch = accounts[place].growing
      accounts[place].growing = Amount()
    }
  }

  /// Removes the amounts of a batch that is durable.
  mutating func endBatch() {
    for place in accounts.indices where accounts[place].batch.revisions > 0 {
      // The wait of a holder in the batch restarts: the disk makes progress for it.
      if let holder = accounts[place].holder, !waits.isEmpty { waits[holder] = nil }
      accounts[place].batch = Amount()
    }
    accounts.removeAll { $0.growing.revisions == 0 }
    places.removeAll(keepingCapacity: true)
    for (place, account) in accounts.enumerated() { places[account.holder] = place }
    if !waits.isEmpty { waits = waits.filter { hasItsShare($0.key) } }
  }

  /// The number of a holder's waiting revisions.
  func revisions(of holder: Holder?) -> UInt64 {
    place(of: holder).map { accounts[$0].revisions } ?? 0
  }

  /// Whether a holder has its share or more.
  func hasItsShare(_ holder: Holder?) -> Bool {
    guard let place = place(of: holder) else { return false }
    return hasItsShare(accounts[place])
  }

  private func hasItsShare(_ account: Account) -> Bool {
    let parts = account.holder == nil ? 1 : max(1, holders)
    return account.revisions >= max(1, revisions / UInt64(parts))
      || account.growing.bytes >= max(1, bytes / parts)
  }

  /// Whether a holder waits at a moment: from reaching its share until its patience is over.
  func isWaiting(_ holder: Holder, at now: Instant) -> Bool {
    hasItsShare(holder)
      && waits[holder].map { now < $0.since.advanced(by: patience) } ?? true
  }

  /// The holders that wait at a moment.
  func waiting(at now: Instant) -> Set<Holder> {
    Set(accounts.compactMap(\.holder).filter { isWaiting($0, at: now) })
  }

  /// Records at the end of a turn when the holders began to wait, and which waits are over.
  mutating func noteWait(_ now: Instant) {
    for account in accounts {
      guard let holder = account.holder else { continue }
      guard hasItsShare(account) else {
        if !waits.isEmpty { waits[holder] = nil }
        continue
      }
      let since = waits[holder]?.since ?? now
      waits[holder] = Wait(since: since, isOver: since.advanced(by: patience) <= now)
    }
  }

  /// The earliest end of a wait; distant if no holder waits.
  var nextDeadline: Instant {
    waits.values.filter { !$0.isOver }.map { $0.since.advanced(by: patience) }.min()
      ?? .distantFuture
  }

  /// The holders whose effects have to end because of their waiting revisions: each has at least as
  /// much as remains free for all holders except the owner, and at least 1/256 of the total.
  ///
  /// So each of any number of successive holders leaves as much free as it has: this is the dynamic
  /// threshold of Choudhury and Hahne (1998).
  ///
  /// - Parameters:
  ///   - revisions: The most revisions of all holders together except the owner.
  ///   - bytes: The same in bytes.
  /// - Returns: The holders, without the owner's.
  func exhausting(revisions: UInt64, bytes: Int) -> [Holder] {
    let sums = accounts.compactMap { account in
      account.holder.flatMap { holder in
        holder.isOwner ? nil : (holder: holder, revisions: account.revisions, bytes: account.bytes)
      }
    }
    let taken = sums.reduce((revisions: 0 as UInt64, bytes: 0)) {
      ($0.revisions + $1.revisions, $0.bytes + $1.bytes)
    }
    // The minimum part protects a holder with few revisions from the load of others.
    let most = (
      revisions: max(1, revisions / 256, revisions - min(revisions, taken.revisions)),
      bytes: max(1, bytes / 256, bytes - min(bytes, taken.bytes)),
    )
    return sums.filter { $0.revisions >= most.revisions || $0.bytes >= most.bytes }.map(\.holder)
  }
}
