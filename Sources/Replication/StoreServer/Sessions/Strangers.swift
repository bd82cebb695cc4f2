import DequeModule
import StoreProtocol

/// Connections without a session, each with a deadline to open one.
struct Strangers {
  /// Bounded by ``ConnectionTable/Limits/connections``.
  private var since: [PeerID: Instant] = [:]
  /// In the order in which they became strangers; some entries are outdated.
  ///
  /// Bounded by ``since``, and by as many outdated entries.
  private var order: Deque<(peer: PeerID, since: Instant)> = []

  func contains(_ peer: PeerID) -> Bool { since[peer] != nil }

  /// Adds a connection, which has no session from now on.
  mutating func add(_ peer: PeerID, now: Instant) {
    since[peer] = now
    order.append((peer, now))
    // Most entries are outdated: the cost is amortized O(1) for each entry.
    if order.count > 2 * since.count + 64 {
      order.removeAll { [since] in since[$0.peer] != $0.since }
    }
  }

  /// Removes a connection that has a session now, or has ended.
  mutating func remove(_ peer: PeerID) { since[peer] = nil }

  /// The time since which the oldest stranger has had no session; nil without strangers.
  var first: Instant? {
    mutating get {
      while let first = order.first, !isStranger(first) { order.removeFirst() }
      return order.first?.since
    }
  }

  /// Removes and returns the connections whose deadline has passed.
  mutating func take(at moment: Instant, after time: Duration) -> [PeerID] {
    var taken: [PeerID] = []
    while let first, first.advanced(by: time) <= moment {
      let peer = order.removeFirst().peer
      since[peer] = nil
      taken.append(peer)
    }
    return taken
  }

  private func isStranger(_ entry: (peer: PeerID, since: Instant)) -> Bool {
    since[entry.peer] == entry.since
  }
}
