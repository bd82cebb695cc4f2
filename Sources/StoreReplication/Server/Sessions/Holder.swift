import HeapModule
package import StoreActor

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
    var groups: [Holder: [Part<ID>]] = [:]
    for part in parts where part.amount > 0 { groups[part.holder, default: []].append(part) }
    var heap = Heap(groups.values.map { Greedy(parts: $0) })
    var (taken, left): ([ID], Int) = ([], amount)
    while left > 0, var most = heap.popMax(), let part = most.parts.popLast() {
      taken.append(part.id)
      left -= part.amount
      most.sum -= part.amount
      if !most.parts.isEmpty { heap.insert(most) }
    }
    return taken
  }

  /// What a holder has, with its connections in the order of their amounts.
  private struct Greedy<ID: Comparable>: Comparable {
    var parts: [Part<ID>]
    var sum: Int

    init(parts: [Part<ID>]) {
      self.parts = parts.sorted { ($0.amount, $0.id) < ($1.amount, $1.id) }
      sum = parts.reduce(0) { $0 + $1.amount }
    }

    private var most: Int { parts.last?.amount ?? 0 }

    static func == (left: Self, right: Self) -> Bool {
      (left.sum, left.most, left.parts.last?.id) == (right.sum, right.most, right.parts.last?.id)
    }

    static func < (left: Self, right: Self) -> Bool {
      if (left.sum, left.most) != (right.sum, right.most) {
        return (left.sum, left.most) < (right.sum, right.most)
      }
      guard let one = left.parts.last?.id, let other = right.parts.last?.id else { return false }
      return one < other
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
  func holder(of caller: Caller) -> Holder { grants.holder(of: caller.identity) }
}
