/// What waits to become durable, by the holder that caused it, also by effects of its actions.
///
/// Each holder with something waiting has an equal share of the limit. One with more waits, and its
/// actions are refused later; the others go on. What nobody caused is the daemon's own, and has no
/// share: it cannot be refused.
struct JournalRoom {
  private struct Amount {
    var revisions: UInt64 = 0
    var bytes = 0
  }

  private struct Wait {
    let since: Instant
    var isOver = false
  }

  private let revisions: UInt64
  private let bytes: Int
  private let patience: Duration
  // By holder; nil is the daemon. What the disk is writing, and what comes behind it.
  private var batch: [Holder?: Amount] = [:]
  private var growing: [Holder?: Amount] = [:]
  /// How many holders, without the daemon, have something waiting.
  private var holders = 0
  /// The holders that have more than their share.
  private var waits: [Holder: Wait] = [:]

  init(_ limits: Limits, _ timing: Timing) {
    revisions = limits.unreleasedRevisions
    bytes = limits.unreleasedBytes
    patience = timing.backpressure
  }

  /// A revision was recorded.
  mutating func add(_ bytes: Int, of holder: Holder?) {
    var amount = growing[holder] ?? Amount()
    amount.revisions += 1
    amount.bytes += bytes
    growing[holder] = amount
    if amount.revisions == 1, holder != nil, batch[holder] == nil { holders += 1 }
  }

  /// What grew until now is given to the disk.
  mutating func beginBatch() { (batch, growing) = (growing, [:]) }

  /// What was given to the disk is durable.
  mutating func endBatch() {
    // Whose changes the disk has kept waits anew: it is not the disk that keeps it from going on.
    for holder in batch.keys { if let holder { waits[holder] = nil } }
    batch = [:]
    holders = growing.count - (growing[nil] == nil ? 0 : 1)
    if !waits.isEmpty { waits = waits.filter { hasItsShare($0.key) } }
  }

  /// How many revisions of a holder wait.
  func revisions(of holder: Holder?) -> UInt64 {
    (batch[holder]?.revisions ?? 0) + (growing[holder]?.revisions ?? 0)
  }

  /// Whether a holder has its share, or more.
  func hasItsShare(_ holder: Holder?) -> Bool {
    let parts = holder == nil ? 1 : max(1, holders)
    return revisions(of: holder) >= max(1, revisions / UInt64(parts))
      || growing[holder]?.bytes ?? 0 >= max(1, bytes / parts)
  }

  /// Whether a holder waits at a moment: as soon as it has its share, and for a while.
  func isWaiting(_ holder: Holder, at now: Instant) -> Bool {
    hasItsShare(holder)
      && waits[holder].map { now < $0.since.advanced(by: patience) } ?? true
  }

  /// The holders that wait at a moment.
  func waiting(at now: Instant) -> Set<Holder> {
    // Nearly always what waits is little.
    guard growing.count + batch.count > 0 else { return [] }
    let known = Set(growing.keys).union(batch.keys)
    return Set(known.compactMap(\.self).filter { isWaiting($0, at: now) })
  }

  /// Notes at the end of a turn since when holders wait, and which of them have waited enough.
  mutating func noteWait(_ now: Instant) {
    for holder in Set(growing.keys).union(batch.keys).compactMap(\.self) {
      guard hasItsShare(holder) else {
        waits[holder] = nil
        continue
      }
      let since = waits[holder]?.since ?? now
      waits[holder] = Wait(since: since, isOver: since.advanced(by: patience) <= now)
    }
  }

  /// When the next holder has waited enough; distant if none waits.
  var nextDeadline: Instant {
    waits.values.filter { !$0.isOver }.map { $0.since.advanced(by: patience) }.min()
      ?? .distantFuture
  }

  /// The holders that have so much waiting that their effects have to end: at least as much as is
  /// left for all others who are not the owner, and a small part of the total.
  ///
  /// So however many holders come one after the other, each leaves as much free as it has: this is
  /// the dynamic threshold of Choudhury and Hahne (1998).
  ///
  /// - Parameters:
  ///   - revisions: The most revisions of all together who are not the owner.
  ///   - bytes: The same in bytes.
  /// - Returns: The holders, without the owner's.
  func exhausting(revisions: UInt64, bytes: Int) -> [Holder] {
    let sums = Set(growing.keys).union(batch.keys).compactMap(\.self).filter { !$0.isOwner }.map {
      let bytes = (batch[$0]?.bytes ?? 0) + (growing[$0]?.bytes ?? 0)
      return (holder: $0, revisions: self.revisions(of: $0), bytes: bytes)
    }
    let taken = sums.reduce((revisions: 0 as UInt64, bytes: 0)) {
      ($0.revisions + $1.revisions, $0.bytes + $1.bytes)
    }
    // The part keeps who has next to nothing from paying for others.
    let most = (
      revisions: max(1, revisions / 256, revisions - min(revisions, taken.revisions)),
      bytes: max(1, bytes / 256, bytes - min(bytes, taken.bytes)),
    )
    return sums.filter { $0.revisions >= most.revisions || $0.bytes >= most.bytes }.map(\.holder)
  }
}
