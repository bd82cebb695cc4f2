import DequeModule
import StoreHistory

/// Sessions that are counted together.
enum SessionGroup: Hashable, Sendable {
  case all
  /// The sessions with full rights, and the others.
  case owners, others
  case holder(Holder)
}

/// The number of sessions of each group.
struct SessionCounts {
  /// Bounded by ``Limits/sessions``: a group without one has no count.
  private var counts: [SessionGroup: Int] = [:]

  subscript(group: SessionGroup) -> Int { counts[group] ?? 0 }

  mutating func add(_ count: Int, to groups: [SessionGroup]) {
    for group in groups {
      let sum = self[group] + count
      counts[group] = sum == 0 ? nil : sum
    }
  }
}

/// Sessions that lost a connection, by group, in the order of the losses.
///
/// A session that has reconnected, or ended, is skipped when it is reached.
@MainActor
struct LostSessions {
  private struct Entry {
    /// Weak, so that a session that has ended leaves no memory in use.
    weak var session: Session?
    let stamp: UInt64
  }

  /// Bounded by ``most``.
  private var queues: [SessionGroup: Deque<Entry>] = [:]
  private var count = 0
  private var lastStamp: UInt64 = 0
  /// The number of entries beyond which the skippable ones are dropped.
  private let most: Int

  init(sessions: Int) { most = 8 * sessions }

  mutating func append(_ session: Session) {
    lastStamp += 1
    session.lostStamp = lastStamp
    for group in session.groups {
      queues[group, default: []].append(Entry(session: session, stamp: lastStamp))
      count += 1
    }
    if count > most { dropSkipped() }
  }

  /// Takes the session of a group that was lost first; nil if all are connected.
  mutating func popFirst(of group: SessionGroup) -> Session? {
    while let entry = queues[group]?.popFirst() {
      count -= 1
      if queues[group]?.isEmpty ?? false { queues[group] = nil }
      if let session = entry.session, Self.isLost(entry) { return session }
    }
    return nil
  }

  private mutating func dropSkipped() {
    queues = queues.compactMapValues { queue in
      let left = queue.filter { Self.isLost($0) }
      return left.isEmpty ? nil : Deque(left)
    }
    count = queues.values.reduce(0) { $0 + $1.count }
  }

  private static func isLost(_ entry: Entry) -> Bool {
    entry.session.map { $0.isOpen && $0.lostStamp == entry.stamp } ?? false
  }
}
