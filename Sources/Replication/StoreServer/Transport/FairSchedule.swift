public import HeapModule

/// The order in which lanes with waiting elements are served: self-clocked fair queuing.
///
/// A lane is served when it would finish: at its start plus the cost of its first element. The
/// start is the virtual time at which the lane was planned, and the virtual time is the finish of
/// the lane served last. So a lane that was served, and is empty, has no debt and is forgotten.
@usableFromInline
struct FairSchedule<Lane: Hashable> {
  @usableFromInline
  struct Turn: Comparable {
    @usableFromInline let finish: Int
    @usableFromInline let number: UInt64
    @usableFromInline let lane: Lane

    @inlinable
    init(finish: Int, number: UInt64, lane: Lane) {
      self.finish = finish
      self.number = number
      self.lane = lane
    }

    @inlinable
    static func == (left: Self, right: Self) -> Bool { left.number == right.number }

    @inlinable
    static func < (left: Self, right: Self) -> Bool {
      (left.finish, left.number) < (right.finish, right.number)
    }
  }

  @usableFromInline
  struct Plan {
    @usableFromInline let start: Int
    @usableFromInline let cost: Int
    /// Distinguishes its turn from replaced or removed turns.
    @usableFromInline let number: UInt64

    @inlinable
    init(start: Int, cost: Int, number: UInt64) {
      self.start = start
      self.cost = cost
      self.number = number
    }
  }

  /// Bounded by ``FairQueue/elements``: a lane without waiting elements has no plan.
  @usableFromInline var plans: [Lane: Plan] = [:]
  /// Bounded by ``plans``, and about as many turns that were replaced.
  @usableFromInline var turns: Heap<Turn> = []
  @usableFromInline var time = 0
  @usableFromInline var lastNumber: UInt64 = 0

  @inlinable init() {}

  /// Plans a lane by the cost of its first element.
  ///
  /// A lane that is planned already keeps its start.
  @inlinable
  mutating func plan(_ lane: Lane, cost: Int) {
    let known = plans[lane]
    if known?.cost == cost { return }
    lastNumber += 1
    let start = known?.start ?? time
    plans[lane] = Plan(start: start, cost: cost, number: lastNumber)
    turns.insert(Turn(finish: start + cost, number: lastNumber, lane: lane))
    if known != nil { forgetReplaced() }
  }

  /// Forgets a lane.
  @inlinable
  mutating func remove(_ lane: Lane) {
    plans[lane] = nil
    forgetReplaced()
  }

  /// The lane that is served next; nil if there is none.
  @inlinable var next: Lane? {
    mutating get {
      while let turn = turns.min, plans[turn.lane]?.number != turn.number { turns.removeMin() }
      return turns.min?.lane
    }
  }

  /// Serves the next lane, and forgets it until it is planned again.
  @inlinable
  mutating func take() -> Lane? {
    guard let lane = next else { return nil }
    time = max(time, turns.removeMin().finish)
    plans[lane] = nil
    return lane
  }

  /// Drops the turns of plans that were replaced or removed, once they are the majority.
  ///
  /// Each of them was planned once, so the cost is amortized O(1).
  @inlinable
  mutating func forgetReplaced() {
    guard turns.count > 2 * plans.count + 64 else { return }
    turns = Heap(turns.unordered.filter { plans[$0.lane]?.number == $0.number })
  }
}
