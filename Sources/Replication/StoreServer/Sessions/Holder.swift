import HeapModule
package import StoreActor
package import StoreHistory
import StoreProtocol

/// The account to which shares of limits are charged.
///
/// More connections do not increase a share.
///
/// It is known before the hello, from the transport's data on the connection.
package enum Holder: Hashable, Sendable {
  /// A process of the daemon's user, or of root.
  case program(user: UInt32, process: UInt64)
  /// Another user of the machine.
  case user(UInt32)
  /// A key, by its name.
  case key(String)
  /// All peers that are admitted by tickets.
  case tickets
  /// All peers over tcp without a key.
  case network
  /// All unidentified peers.
  case unknown

  /// The holder of a local connection.
  ///
  /// - Parameters:
  ///   - user: The user at its other end.
  ///   - process: The process; 0 if it is not known.
  ///   - owner: The daemon's user.
  package init(user: UInt32, process: UInt64, owner: UInt32?) {
    self = user == owner || user == 0 ? .program(user: user, process: process) : .user(user)
  }

  /// Whether it is a process of the daemon's user or of root.
  ///
  /// Each limit has a reserve for these.
  package var isOwner: Bool { if case .program = self { true } else { false } }

  /// Whether it represents unrelated peers that only their connections distinguish.
  package var isJoint: Bool {
    switch self {
    case .program, .user, .key: false
    case .tickets, .network, .unknown: true
    }
  }
}

extension Holder {
  /// One connection's part of a limited amount.
  package struct Part<ID> {
    package let id: ID
    package let holder: Holder
    package let amount: Int

    package init(id: ID, holder: Holder, amount: Int) {
      self.id = id
      self.holder = holder
      self.amount = amount
    }
  }

  /// The connections to end to free an amount: repeatedly the largest one of the holder with the
  /// largest remaining sum.
  ///
  /// More connections bring no advantage. A holder with less than others keeps its connections.
  ///
  /// - Parameters:
  ///   - amount: The amount to free.
  ///   - parts: Each connection's part.
  /// - Returns: The connections.
  package static func greediest<ID: Comparable>(freeing amount: Int, of parts: [Part<ID>]) -> [ID] {
    var groups: [Holder: Greedy<ID>] = [:]
    for part in parts where part.amount > 0 { groups[part.holder, default: Greedy()].add(part) }
    var heap = Heap(groups.values)
    var (taken, left): ([ID], Int) = ([], amount)
    while left > 0, var most = heap.popMax() {
      let part = most.takeMost()
      taken.append(part.id)
      left -= part.amount
      if !most.isEmpty { heap.insert(most) }
    }
    return taken
  }

  /// The connections to end if a sum exceeds its limit.
  ///
  /// At least an eighth of the limit is freed, so that the search is rare.
  ///
  /// - Parameters:
  ///   - sum: The sum of all parts.
  ///   - limit: The greatest allowed sum.
  ///   - parts: Returns each connection's part; only called if the sum exceeds the limit.
  /// - Returns: The connections.
  package static func greediest<ID: Comparable>(
    of sum: Int,
    within limit: Int,
    _ parts: () -> [Part<ID>],
  ) -> [ID] {
    guard sum > limit else { return [] }
    return greediest(freeing: max(sum - limit, limit / 8), of: parts())
  }

  /// The parts of one holder.
  ///
  /// They are sorted when one of them has to be ended. For other holders, which may have thousands,
  /// only the sum is computed.
  private struct Greedy<ID: Comparable>: Comparable {
    private struct Entry {
      let amount: Int
      let id: ID
    }

    /// Bounded by ``ConnectionTable/Limits/connections``, one entry for each.
    private var entries: [Entry] = []
    private(set) var sum = 0
    /// The greatest amount, and the id that is ended first among equal amounts.
    private var most: (amount: Int, id: ID)?
    /// Whether the entries are in the order of their amounts.
    private var isSorted = false
    /// From this index on, entries of equal amounts are sorted by their ids too.
    private var orderedFrom = Int.max

    var isEmpty: Bool { entries.isEmpty }

    mutating func add(_ part: Part<ID>) {
      entries.append(Entry(amount: part.amount, id: part.id))
      sum += part.amount
      if let most, (part.amount, part.id) < most { return }
      most = (part.amount, part.id)
    }

    /// Removes and returns the connection with the greatest amount.
    ///
    /// Requires an entry.
    mutating func takeMost() -> (amount: Int, id: ID) {
      if !isSorted { sort() }
      isSorted = true
      orderLast()
      let entry = entries.removeLast()
      sum -= entry.amount
      orderLast()
      most = entries.last.map { ($0.amount, $0.id) }
      return (entry.amount, entry.id)
    }

    /// Sorts by amounts only: comparing these is much faster than comparing ids of any type.
    private mutating func sort() {
      let amounts = entries.enumerated().map { (amount: $1.amount, place: $0) }
        .sorted { $0.amount < $1.amount }
      entries = amounts.map { entries[$0.place] }
    }

    /// Sorts the last entries, which have equal amounts, by their ids.
    private mutating func orderLast() {
      guard let amount = entries.last?.amount, entries.count <= orderedFrom else { return }
      orderedFrom = (entries.lastIndex { $0.amount < amount } ?? -1) + 1
      if entries.count - orderedFrom > 1 { entries[orderedFrom...].sort { $0.id < $1.id } }
    }

    static func == (left: Self, right: Self) -> Bool { !(left < right) && !(right < left) }

    static func < (left: Self, right: Self) -> Bool {
      guard let one = left.most, let other = right.most else { return left.sum < right.sum }
      return (left.sum, one.amount, one.id) < (right.sum, other.amount, other.id)
    }
  }
}

extension Grants {
  /// The holder of a client with an identity.
  package func holder(of identity: ActionOrigin.Identity) -> Holder {
    switch identity {
    case .nobody, .process: .unknown
    // Over tcp, only a key identifies a client.
    case .loopback, .unknown: .network
    case .user(let user, _, let process):
      Holder(user: user, process: UInt64(process), owner: owner)
    case .key(let name): KeyTicket(word: name) == nil ? .key(name) : .tickets
    }
  }
}
