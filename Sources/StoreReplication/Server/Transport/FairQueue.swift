import DequeModule
import HeapModule

/// What waits from several sources, each in its order: fair queuing by cost.
///
/// Next is the source with the smallest sum of what it was served and what its first element costs.
/// A heavy sender delays only itself; a light one waits for at most the element in service.
///
/// A source with nothing waiting gains no advantage by that. One that was served more than others
/// is remembered until they have been served as much.
package struct FairQueue<Source: Hashable, Element> {
  private struct Lane {
    var elements: Deque<(element: Element, cost: Int)> = []
    /// How much it has been served.
    var served: Int
    /// Tells its turn from those that were its own before it was removed.
    var number: UInt64
  }

  private struct Turn: Comparable {
    /// How much the source will have been served.
    let served: Int
    let number: UInt64
    let source: Source

    static func == (left: Self, right: Self) -> Bool {
      (left.served, left.number) == (right.served, right.number)
    }

    static func < (left: Self, right: Self) -> Bool {
      (left.served, left.number) < (right.served, right.number)
    }
  }

  private var lanes: [Source: Lane] = [:]
  private var turns: Heap<Turn> = []
  /// How many lanes have something waiting.
  private var waiting = 0
  /// How much everybody has been served, about, who has something waiting.
  private var served = 0
  private var nextNumber: UInt64 = 0

  /// A queue in which nothing waits.
  package init() {}

  /// Whether nothing waits.
  package var isEmpty: Bool { waiting == 0 }

  /// Adds what came from a source.
  ///
  /// - Parameters:
  ///   - element: What came.
  ///   - source: Where it came from.
  ///   - cost: What it takes to serve it, of one measure for all.
  package mutating func append(_ element: Element, from source: Source, cost: Int) {
    var lane = lanes.removeValue(forKey: source) ?? Lane(served: served, number: 0)
    let wasEmpty = lane.elements.isEmpty
    lane.elements.append((element, cost))
    if wasEmpty {
      lane.served = max(lane.served, served)
      waiting += 1
      plan(&lane, source)
    }
    lanes[source] = lane
  }

  private mutating func plan(_ lane: inout Lane, _ source: Source) {
    nextNumber += 1
    lane.number = nextNumber
    let cost = lane.elements.first?.cost ?? 0
    turns.insert(Turn(served: lane.served + cost, number: nextNumber, source: source))
  }

  /// Takes what is next; nil when nothing waits.
  package mutating func popFirst() -> Element? {
    while let turn = turns.popMin() {
      guard lanes[turn.source]?.number == turn.number,
        var lane = lanes.removeValue(forKey: turn.source),
        let first = lane.elements.popFirst()
      else { continue }
      served = max(served, lane.served)
      lane.served = turn.served
      if lane.elements.isEmpty { waiting -= 1 } else { plan(&lane, turn.source) }
      lanes[turn.source] = lane
      if waiting == 0 { lanes = [:] } else { forgetRested() }
      return first.element
    }
    return nil
  }

  /// Forgets who has nothing waiting and no more than the others, now and then.
  private mutating func forgetRested() {
    guard lanes.count > 2 * waiting + 64 else { return }
    lanes = lanes.filter { !$0.value.elements.isEmpty || $0.value.served > served }
  }

  /// Drops everything that waits from a source.
  ///
  /// - Parameter source: The source.
  /// - Returns: What was dropped.
  @discardableResult
  package mutating func remove(_ source: Source) -> [Element] {
    guard let lane = lanes.removeValue(forKey: source), !lane.elements.isEmpty else { return [] }
    waiting -= 1
    return lane.elements.map(\.element)
  }
}
