import HeapModule
package import StoreActor
import StoreProtocol

/// The one for whom a share of a limit is counted: connections cost nothing, holders do.
///
/// It is known before a hello, from what the transport says of a connection.
package enum Holder: Hashable, Sendable {
  /// A process of the daemon's user, or of root.
  case program(user: UInt32, process: UInt64)
  /// Another user of the machine.
  case user(UInt32)
  /// A key, by its name.
  case key(String)
  /// All who come with tickets.
  case tickets
  /// All who come over tcp without a key.
  case network
  /// All of whom nothing is known.
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

  /// Whether the daemon is its own: each limit has a reserve for these.
  package var isOwner: Bool { if case .program = self { true } else { false } }

  /// Whether it stands for peers that have nothing to do with each other, because nothing tells
  /// them apart but their connections.
  package var isJoint: Bool {
    switch self {
    case .program, .user, .key: false
    case .tickets, .network, .unknown: true
    }
  }
}

extension Holder {
  /// What one connection has of something.
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

  /// The connections to end so that an amount becomes free: always the one that has most, of the
  /// holder that has most by then.
  ///
  /// So having more connections brings no advantage, and a holder with less than others loses
  /// nothing.
  ///
  /// - Parameters:
  ///   - amount: How much is to become free.
  ///   - parts: What each connection has.
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

  /// The connections to end where a sum exceeds its limit.
  ///
  /// At least an eighth of the limit becomes free, so that they are looked for seldom.
  ///
  /// - Parameters:
  ///   - sum: How much all parts are.
  ///   - limit: How much they may be.
  ///   - parts: What each connection has; only asked for if the sum exceeds the limit.
  /// - Returns: The connections.
  package static func greediest<ID: Comparable>(
    of sum: Int,
    within limit: Int,
    _ parts: () -> [Part<ID>],
  ) -> [ID] {
    guard sum > limit else { return [] }
    return greediest(freeing: max(sum - limit, limit / 8), of: parts())
  }

  /// What a holder has.
  ///
  /// Its connections are put in order when one of them has to go, so those of other holders, who
  /// may have thousands, cost no more than adding them up.
  private struct Greedy<ID: Comparable>: Comparable {
    private struct Entry {
      let amount: Int
      let id: ID
    }

    /// Bounded by ``ConnectionTable/Limits/connections``, one entry for each.
    private var entries: [Entry] = []
    private(set) var sum = 0
    /// The greatest amount, and the id that goes first of those who have it.
    private var most: (amount: Int, id: ID)?
    /// Whether the entries are in the order of their amounts.
    private var isSorted = false
    /// From here on entries of one amount are in the order of their ids as well.
    private var orderedFrom = Int.max

    var isEmpty: Bool { entries.isEmpty }

    mutating func add(_ part: Part<ID>) {
      entries.append(Entry(amount: part.amount, id: part.id))
      sum += part.amount
      if let most, (part.amount, part.id) < most { return }
      most = (part.amount, part.id)
    }

    /// Takes the connection with most; there is one.
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

    /// By amounts alone, which are compared much faster than ids of any type.
    private mutating func sort() {
      let amounts = entries.enumerated().map { (amount: $1.amount, place: $0) }
        .sorted { $0.amount < $1.amount }
      entries = amounts.map { entries[$0.place] }
    }

    /// Puts the last entries, of one amount, in the order of their ids.
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
  /// The holder of a client that the transport knows by an identity.
  package func holder(of identity: ActionOrigin.Identity) -> Holder {
    switch identity {
    case .nobody, .process: .unknown
    // No key identifies a client over tcp without one.
    case .loopback, .unknown: .network
    case .user(let user, _, let process):
      Holder(user: user, process: UInt64(process), owner: owner)
    case .key(let name): KeyTicket(word: name) == nil ? .key(name) : .tickets
    }
  }
}

extension Access {
  /// The holder of a client.
  package func holder(of caller: Caller) -> Holder { grants.holder(of: caller.identity) }
}
