import DequeModule
import OrderedCollections
import StoreHistory
import StoreProtocol

/// Captures without a job, by holder: holders take turns, and each has a share of the jobs.
///
/// A capture stands in the lane of each holder whose sessions wait for it, so that no holder waits
/// for the captures of another. Its job is started by the lane with the earliest turn.
@MainActor
struct CaptureQueue {
  /// Captures without a job have no bytes; their number is bounded by ``Limits/scopesPerSession``
  /// of each session, and by ``ByteLedger``.
  private var lanes: [Holder: Deque<Capture>] = [:]
  private var schedule = FairSchedule<Holder>()
  /// Holders that wait until a job ends, because they, or all others, have used their share, in the
  /// order of their turns.
  ///
  /// Bounded by ``lanes``.
  private var waiting: OrderedSet<Holder> = []
  /// The running jobs, by holder.
  private(set) var jobs = Shares()
  private let limit: SharedLimit
  private var count = 0
  private var most = 256

  init(limit: SharedLimit) { self.limit = limit }

  /// Adds a capture to a holder's lane, unless it stands there or has a job already.
  mutating func append(_ capture: Capture, of holder: Holder) {
    guard !capture.isBegun, capture.lanes.insert(holder).inserted else { return }
    // Captures that are no longer needed are removed in batches: the cost is amortized O(1).
    if count >= most {
      removeUnused()
      most = max(256, 2 * count)
    }
    lanes[holder, default: []].append(capture)
    count += 1
    plan(holder)
  }

  /// All captures; those of one holder are in order, oldest first.
  var all: some Sequence<Capture> { lanes.values.joined() }

  /// Whether a job may start.
  mutating func hasJob() -> Bool { nextHolder() != nil }

  /// Takes the captures of the next job, which runs from now on.
  ///
  /// - Parameters:
  ///   - rows: The number of rows that one job encodes: they are small.
  ///   - isRow: Whether a capture is that of a row.
  /// - Returns: The captures and their holder; nil if no job may start.
  mutating func next(
    rows: Int,
    _ isRow: (Capture) -> Bool,
  ) -> (captures: [Capture], holder: Holder)? {
    while let holder = nextHolder() {
      _ = schedule.take()
      var captures: [Capture] = []
      while let next = lanes[holder]?.first {
        let isWanted = !next.isBegun && next.isAwaited(by: holder)
        guard
          !isWanted || captures.isEmpty
            || captures.count < rows && isRow(captures[0]) && isRow(next)
        else { break }
        lanes[holder]?.removeFirst()
        next.lanes.remove(holder)
        count -= 1
        guard isWanted else { continue }
        next.isBegun = true
        captures.append(next)
      }
      if !captures.isEmpty { jobs.add(1, to: holder) }
      plan(holder)
      if !captures.isEmpty { return (captures, holder) }
    }
    return nil
  }

  /// Ends a job of a holder, and plans the waiting holders again.
  mutating func finish(_ holder: Holder) {
    jobs.add(-1, to: holder)
    let waiting = waiting
    self.waiting = []
    for holder in waiting { plan(holder) }
  }

  private mutating func plan(_ holder: Holder) {
    guard lanes[holder]?.isEmpty == false else {
      lanes[holder] = nil
      schedule.remove(holder)
      return
    }
    schedule.plan(holder, cost: 1)
  }

  /// The next holder that may start a job.
  private mutating func nextHolder() -> Holder? {
    guard jobs.all < limit.all else { return nil }
    while let holder = schedule.next {
      if jobs.hasRoom(for: holder, in: limit) { return holder }
      schedule.remove(holder)
      waiting.append(holder)
    }
    return nil
  }

  private mutating func removeUnused() {
    for holder in lanes.keys {
      lanes[holder]?.removeAll { capture in
        guard capture.isBegun || !capture.isAwaited(by: holder) else { return false }
        capture.lanes.remove(holder)
        return true
      }
      plan(holder)
    }
    count = lanes.values.reduce(0) { $0 + $1.count }
  }
}
