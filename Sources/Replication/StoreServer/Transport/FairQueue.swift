public import DequeModule
public import OrderedCollections

/// Waiting elements, by holder and within a holder by source: self-clocked fair queuing by cost.
///
/// Each holder with waiting elements gets an equal share, however many sources it has; each source
/// of a holder gets an equal share of that. The elements of one source keep their order.
///
/// A new holder waits for at most one element of each other holder. A holder without waiting
/// elements is forgotten at once: it has neither credit nor debt.
///
/// Every frame of a peer that sends faster than it is served passes through a queue, so other
/// targets specialize the code for their types.
@usableFromInline
package struct FairQueue<Holder: Hashable, Source: Hashable, Element> {
  @usableFromInline
  struct Lanes {
    /// Bounded by ``Intake/Limits/totalBytes`` and ``Limits/sessions``, for its waiting elements.
    @usableFromInline var elements: [Source: Deque<(element: Element, cost: Int)>] = [:]
    @usableFromInline var schedule = FairSchedule<Source>()

    @inlinable init() {}

    /// The cost of the next element; nil if no element waits.
    @inlinable var nextCost: Int? {
      mutating get { schedule.next.flatMap { elements[$0]?.first?.cost } }
    }

    /// - Returns: Whether no element of the source waited.
    @inlinable mutating func append(_ element: Element, from source: Source, cost: Int) -> Bool {
      elements[source, default: []].append((element, cost))
      guard elements[source]?.count == 1 else { return false }
      schedule.plan(source, cost: cost)
      return true
    }

    @inlinable mutating func popFirst() -> Element? {
      guard let source = schedule.take() else { return nil }
      let first = elements[source]?.popFirst()
      if let cost = elements[source]?.first?.cost {
        schedule.plan(source, cost: cost)
      } else {
        elements[source] = nil
      }
      return first?.element
    }

    @inlinable mutating func remove(_ source: Source) -> [Element] {
      schedule.remove(source)
      return elements.removeValue(forKey: source)?.map(\.element) ?? []
    }
  }

  /// Bounded by the waiting elements, as each of ``Lanes/elements`` is.
  @usableFromInline var lanes: [Holder: Lanes] = [:]
  @usableFromInline var schedule = FairSchedule<Holder>()
  /// Holders that were passed over, and are not planned, in the order in which this happened.
  ///
  /// Bounded by ``lanes``.
  @usableFromInline var parked: OrderedSet<Holder> = []

  /// Creates an empty queue.
  @inlinable package init() {}

  /// Whether no element waits.
  @inlinable package var isEmpty: Bool { lanes.isEmpty }

  /// Adds an element.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - source: The source of the element. A source belongs to one holder.
  ///   - holder: The holder of the source.
  ///   - cost: The cost of serving the element, in one unit for all.
  @inlinable
  package mutating func append(
    _ element: Element,
    from source: Source,
    of holder: Holder,
    cost: Int,
  ) {
    let isFirst = lanes[holder, default: Lanes()].append(element, from: source, cost: cost)
    // An element after another one of its source changes no turn.
    if isFirst { plan(holder) }
  }

  /// Takes the next element.
  ///
  /// - Parameter waiting: The holders that are passed over.
  /// - Returns: The element; nil if no other holder has waiting elements.
  @inlinable
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
  /// - Returns: The dropped elements, in their order.
  @inlinable
  @discardableResult
  package mutating func remove(_ source: Source, of holder: Holder) -> [Element] {
    let removed = lanes[holder]?.remove(source) ?? []
    plan(holder)
    return removed
  }

  /// Plans a holder by the cost of its next element, or forgets a holder without one.
  @inlinable
  mutating func plan(_ holder: Holder) {
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
