import DequeModule
import StoreProtocol

/// Connections without a session, each with a deadline to get one.
struct Strangers {
  /// Bounded by ``ConnectionTable/Limits/connections``.
  private var since: [PeerID: Instant] = [:]
  /// In the order in which they became nobody's; of some it is true no more.
  ///
  /// Bounded by ``since``, with as many that are somebody's.
  private var order: Deque<(peer: PeerID, since: Instant)> = []

  func contains(_ peer: PeerID) -> Bool { since[peer] != nil }

  /// A connection is nobody's from now on.
  mutating func add(_ peer: PeerID, now: Instant) {
    since[peer] = now
    order.append((peer, now))
    // Most of them have become somebody's: each is looked at once for each time that it did.
    if order.count > 2 * since.count + 64 {
      order.removeAll { [since] in since[$0.peer] != $0.since }
    }
  }

  /// A connection is somebody's, or over.
  mutating func remove(_ peer: PeerID) { since[peer] = nil }

  /// Since when the one is nobody's that has been it the longest.
  var first: Instant? {
    mutating get {
      while let first = order.first, !isStranger(first) { order.removeFirst() }
      return order.first?.since
    }
  }

  /// Those whose time is over at a moment; each is told once.
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
