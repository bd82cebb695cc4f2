import DequeModule
import OrderedCollections
import StoreHistory

/// Elements that wait, by holder and within a holder by source: self-clocked fair queuing by cost.
///
/// Each holder with waiting elements gets an equal share, however many sources it has; each source
/// of a holder gets an equal share of that. The elements of one source keep their order.
///
/// A holder that comes waits for at most one element of each other holder. A holder with nothing
/// waiting is forgotten at once: it saves nothing up, and owes nothing.
package struct FairQueue<Holder: Hashable, Source: Hashable, Element> {
  private struct Lanes {
    /// Bounded by ``Intake/Limits/totalBytes`` and ``Limits/sessions``, of what waits in it.
    private var elements: [Source: Deque<(element: Element, cost: Int)>] = [:]
    private var schedule = FairSchedule<Source>()

    /// What it costs to serve the next element; nil if nothing waits.
    var nextCost: Int? {
      mutating get { schedule.next.flatMap { elements[$0]?.first?.cost } }
    }

    /// - Returns: Whether nothing of the source waited.
    mutating func append(_ element: Element, from source: Source, cost: Int) -> Bool {
      elements[source, default: []].append((element, cost))
      guard elements[source]?.count == 1 else { return false }
      schedule.plan(source, cost: cost)
      return true
    }

    mutating func popFirst() -> Element? {
      guard let source = schedule.take() else { return nil }
      let first = elements[source]?.popFirst()
      if let cost = elements[source]?.first?.cost {
        schedule.plan(source, cost: cost)
      } else {
        elements[source] = nil
      }
      return first?.element
    }

    mutating func remove(_ source: Source) -> [Element] {
      schedule.remove(source)
      return elements.removeValue(forKey: source)?.map(\.element) ?? []
    }
  }

  /// Bounded by what waits, as each of ``Lanes/elements`` is.
  private var lanes: [Holder: Lanes] = [:]
  private var schedule = FairSchedule<Holder>()
  /// Holders that were passed over, and are not planned, in the order in which they were.
  ///
  /// Bounded by ``lanes``.
  private var parked: OrderedSet<Holder> = []

  /// Creates an empty queue.
  package init() {}

  /// Whether nothing waits.
  package var isEmpty: Bool { lanes.isEmpty }

  /// Adds an element.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - source: Where it came from. A source belongs to one holder.
  ///   - holder: The holder of the source.
  ///   - cost: What it takes to serve the element, in one unit for all.
  package mutating func append(
    _ element: Element,
    from source: Source,
    of holder: Holder,
    cost: Int,
  ) {
    let isFirst = lanes[holder, default: Lanes()].append(element, from: source, cost: cost)
    // What waits behind another element of its source changes no turn.
    if isFirst { plan(holder) }
  }

  /// Takes the next element.
  ///
  /// - Parameter waiting: The holders that are passed over.
  /// - Returns: The element; nil when nothing waits of others.
  package mutating func popFirst(besides waiting: Set<Holder> = []) -> Element? {
    if !parked.isEmpty {
      let ready = parked.subtracting(waiting)
      parked.formIntersection(waiting)
      for holder in ready { plan(holder) }
    }
    while let holder = schedule.next {
      if waiting.contains(holder) {
        schedule.remove(holder)
        parked.append(holder)
        continue
      }
      _ = schedule.take()
      let first = lanes[holder]?.popFirst()
      plan(holder)
      return first
    }
    return nil
  }

  /// Drops all elements of a source.
  ///
  /// - Returns: What was dropped, in its order.
  @discardableResult
  package mutating func remove(_ source: Source, of holder: Holder) -> [Element] {
    let removed = lanes[holder]?.remove(source) ?? []
    plan(holder)
    return removed
  }

  /// Plans a holder by what its next element costs, and forgets one with nothing waiting.
  private mutating func plan(_ holder: Holder) {
    if parked.contains(holder), lanes[holder] != nil { return }
    parked.remove(holder)
    if let cost = lanes[holder]?.nextCost {
      schedule.plan(holder, cost: cost)
    } else {
      lanes[holder] = nil
      schedule.remove(holder)
    }
  }
}
