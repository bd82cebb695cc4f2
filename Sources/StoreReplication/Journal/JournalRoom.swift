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
  /// The holders that have more than their share.
  private var waits: [Holder: Wait] = [:]

  init(_ limits: Limits, _ timing: Timing) {
    revisions = limits.unreleasedRevisions
    bytes = limits.unreleasedBytes
    patience = timing.backpressure
  }

  /// A revision was recorded.
  mutating func add(_ bytes: Int, of holder: Holder?) {
    growing[holder, default: Amount()].revisions += 1
    growing[holder]?.bytes += bytes
  }

  /// What grew until now is given to the disk.
  mutating func beginBatch() { (batch, growing) = (growing, [:]) }

  /// What was given to the disk is durable.
  mutating func endBatch() {
    batch = [:]
    if !waits.isEmpty { waits = waits.filter { hasItsShare($0.key) } }
  }

  /// How many holders have something waiting.
  private var holders: Int {
    let all = batch.keys.reduce(growing.count) { growing[$1] == nil ? $0 + 1 : $0 }
    return growing[nil] == nil && batch[nil] == nil ? all : all - 1
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

  /// The holders that have so much waiting that their effects have to end.
  ///
  /// - Parameters:
  ///   - revisions: The most revisions.
  ///   - bytes: The most bytes.
  /// - Returns: The holders.
  func holders(withRevisions revisions: UInt64, orBytes bytes: Int) -> [Holder] {
    Set(growing.keys).union(batch.keys).compactMap(\.self).filter {
      let sum = (batch[$0]?.bytes ?? 0) + (growing[$0]?.bytes ?? 0)
      return self.revisions(of: $0) >= revisions || sum >= bytes
    }
  }
}
