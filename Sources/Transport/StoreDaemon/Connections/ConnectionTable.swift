import StoreHistory
import StoreProtocol
import StoreServer
import ZeroMQ

/// The connections of a daemon's sockets, as reported by the monitors and by admissions.
///
/// A value without I/O or a clock; ``ConnectionGuard`` is its shell. A connection is identified by
/// its descriptor, which the system reuses, and after its admission also by its serial, which is
/// never reused. The first frame links the two: a serial belongs to the connection that has its
/// descriptor now if the serial was issued after that connection was accepted. An older serial
/// belonged to an earlier connection with the same descriptor.
struct ConnectionTable {
  /// One of the daemon's sockets.
  enum Side: Hashable, Sendable {
    case control
    case publishing
  }

  /// Nanoseconds within which a local control connection must be greeted.
  static let probation: Int64 = 1_000_000_000
  /// The same over tcp: a handshake takes several round trips, and a key that is handed in must
  /// reach the disk before the answer.
  static let farProbation: Int64 = 10_000_000_000

  struct Limits: Hashable, Sendable {
    /// Connections in all: descriptors are finite, and the process ends when it has no more
    /// of them.
    var connections: Int
    /// Connections of the daemon's own user, and of one program of that user: a program that does
    /// not close its connections excludes no other program.
    var connectionsOfOwner: Int
    var connectionsOfOwnProgram: Int
    /// Connections of all users other than the daemon's own.
    var connectionsOfOthers: Int
    /// Connections of one of these users: a single user cannot exclude the others.
    var connectionsOfUser: Int
    /// Connections of one key, of all tickets together, and of all keyless tcp peers together.
    var connectionsOfKey: Int
    /// Connections over tcp whose peer is not identified yet.
    ///
    /// One key, together with these, has at most as many as a user.
    var connectionsOfUnknown: Int
    /// Connections that one holder may open at once, after a rest: all clients reconnect at once
    /// after a restart of the daemon.
    var burst = 16_384
    /// Connections per second after the burst: more than a script that starts client after client.
    var perSecond = 256

    /// Derives the limits from the number of the process's descriptors.
    ///
    /// Some stay free: connections are accepted before they can be refused, and each of the two
    /// monitors may have a thousand unread events.
    init(descriptors: Int) {
      connections = descriptors - min(2304, descriptors / 2)
      connectionsOfOwner = connections - connections / 4
      connectionsOfOwnProgram = connections / 2
      // Each takes some 100 KB of memory in the library, so there are fewer than descriptors. A
      // session has two; the rest is for connections that begin and end.
      let sessions = StoreProtocol.Limits()
      connectionsOfOthers = min(connections / 2, sessions.sessionsOfOthers * 5 / 2)
      let most = sessions.sessionsPerUser * 5 / 2
      connectionsOfUser = min(connectionsOfOthers - connectionsOfOthers / 4, most)
      connectionsOfKey = min(connectionsOfOthers / 2, most / 2)
      connectionsOfUnknown = min(connectionsOfOthers / 4, most / 2)
    }
  }

  private struct Key: Hashable {
    var side: Side
    var descriptor: Int32
  }

  /// Peers whose connections are counted together.
  private enum Group: Hashable {
    case user(UInt32)
    case key(String)
    case tickets
    /// Over tcp without a key, if that is allowed.
    case keyless
    /// Over tcp, before the first frame identifies the peer.
    case unknown

    init(_ user: UInt32?, _ name: PeerName?) {
      if let user {
        self = .user(user)
        return
      }
      self =
        switch name {
        case .key(let name, _): .key(name)
        case .ticket: .tickets
        case .process, .loopback: .keyless
        case nil: .unknown
        }
    }
  }

  private struct Entry {
    let user: UInt32?
    let program: PeerProgram
    let identity: Connection.Identity?
    let acceptedAt: Int64
    /// Lower serials were issued to earlier connections.
    let firstSerial: UInt64
    var serial: UInt64?
    /// The name by which it was admitted; nil for one without a key, or until it is identified.
    var name: PeerName?
    var isGreeted = false
    var isRefused = false

    var group: Group { Group(user, name) }
  }

  /// A connection that is to be shut down.
  struct Ended: Hashable {
    var descriptor: Int32
    /// Distinguishes it from later connections with its descriptor; nil if it ended before that
    /// was known.
    var identity: Connection.Identity?
  }

  private struct Budget {
    var left: Double
    var at: Int64
  }

  private let limits: Limits
  private let ownUser: UInt32
  /// Bounded by ``Limits/connections``.
  private var entries: [Key: Entry] = [:]
  /// Bounded by ``entries``: a group without connections has no count.
  private var counts: [Group: Int] = [:]
  /// Connections of the daemon's own user, by their programs.
  ///
  /// Bounded by ``entries``, in the same way.
  private var ownPrograms: [PeerProgram: Int] = [:]
  /// Bounded by ``mostBudgets``.
  private var budgets: [Group: Budget] = [:]
  private static let fewBudgets = 64
  private var mostBudgets = Self.fewBudgets
  private var nextSerial: UInt64 = 1
  /// Bounded by ``Limits/connections``, and during a delay of the main thread by
  /// ``Limits/perSecond``.
  private var gone: [UInt64] = []
  /// Bounded by ``Limits/connections``, in the same way.
  private var excess: [Ended] = []
  /// Bounded by ``entries``, in the same way.
  private var floods: [(serial: UInt64?, side: Side)] = []
  /// Control connections in the order in which they were accepted, without those refused: local
  /// ones, and those over tcp.
  private var (nearby, faraway) = (Probation(), Probation())
  /// Silent connections of the publishing socket, per user, with one value for all over tcp.
  ///
  /// Bounded by ``entries``.
  private var silent: [UInt32?: SilentSubscribers] = [:]

  /// Connections that have the same time limit for their greeting.
  private struct Probation {
    /// Bounded by ``Limits/burst`` and ``Limits/perSecond`` of all admissible groups, while the
    /// first one waits.
    private var connections: [(descriptor: Int32, acceptedAt: Int64)] = []

    mutating func append(_ descriptor: Int32, _ now: Int64) {
      connections.append((descriptor, now))
    }

    /// The acceptance time of the oldest connection that still waits.
    mutating func first(where isSilent: (Int32, Int64) -> Bool) -> Int64? {
      let waiting = connections.firstIndex { isSilent($0.descriptor, $0.acceptedAt) }
      connections.removeFirst(waiting ?? connections.count)
      return connections.first?.acceptedAt
    }

    /// Takes those that were accepted up to a moment and still wait, each once.
    mutating func take(
      until moment: Int64,
      where isSilent: (Int32, Int64) -> Bool,
    ) -> [Int32] {
      let count = connections.firstIndex { $0.acceptedAt > moment } ?? connections.count
      let silent = connections.prefix(count).filter { isSilent($0.descriptor, $0.acceptedAt) }
      connections.removeFirst(count)
      return silent.map(\.descriptor)
    }
  }

  init(limits: Limits, ownUser: UInt32) {
    self.limits = limits
    self.ownUser = ownUser
  }

  var count: Int { entries.count }

  /// Records a new connection.
  ///
  /// - Parameters:
  ///   - descriptor: Its descriptor, which an earlier connection may have had.
  ///   - side: The socket that has accepted it.
  ///   - user: The user at its other end; nil over tcp.
  ///   - program: The user's program.
  ///   - identity: Distinguishes it from later connections with its descriptor.
  ///   - now: Nanoseconds of a monotonic clock.
  /// - Returns: Whether it may stay; otherwise it is to be shut down.
  mutating func accept(
    _ descriptor: Int32,
    _ side: Side,
    user: UInt32?,
    program: PeerProgram,
    identity: Connection.Identity? = nil,
    now: Int64,
  ) -> Bool {
    let key = Key(side: side, descriptor: descriptor)
    forget(key)
    let group = Group(user, nil)
    let isRefused = !hasRoom(for: group, program) || !spend(group, now)
    entries[key] = Entry(
      user: user,
      program: program,
      identity: identity,
      acceptedAt: now,
      firstSerial: nextSerial,
      isRefused: isRefused,
    )
    counts[group, default: 0] += 1
    if user == ownUser { ownPrograms[program, default: 0] += 1 }
    guard !isRefused else { return false }
    switch side {
    case .control where user == nil: faraway.append(descriptor, now)
    case .control: nearby.append(descriptor, now)
    case .publishing: silent[user, default: .init()].append(descriptor, program, now: now)
    }
    return true
  }

  private func hasRoom(for group: Group, _ program: PeerProgram) -> Bool {
    guard entries.count < limits.connections else { return false }
    let own = Group.user(ownUser)
    if group == own {
      return counts[own, default: 0] < limits.connectionsOfOwner
        && ownPrograms[program, default: 0] < limits.connectionsOfOwnProgram
    }
    return entries.count - counts[own, default: 0] < limits.connectionsOfOthers
      && counts[group, default: 0] < most(of: group)
  }

  private func most(of group: Group) -> Int {
    switch group {
    case .user: limits.connectionsOfUser
    case .key, .tickets, .keyless: limits.connectionsOfKey
    case .unknown: limits.connectionsOfUnknown
    }
  }

  private func budget(of group: Group, _ now: Int64) -> Budget {
    guard var budget = budgets[group] else { return Budget(left: Double(limits.burst), at: now) }
    let earned = Double(max(0, now - budget.at)) / 1e9 * Double(limits.perSecond)
    budget.left = min(Double(limits.burst), budget.left + earned)
    budget.at = now
    return budget
  }

  private mutating func spend(_ group: Group, _ now: Int64) -> Bool {
    var budget = budget(of: group, now)
    let isEnough = budget.left >= 1
    if isEnough { budget.left -= 1 }
    budgets[group] = budget
    // A full budget equals a new one, so full ones are removed. The search for them is amortized.
    if budgets.count > mostBudgets {
      budgets = budgets.filter { self.budget(of: $0.key, now).left < Double(limits.burst) }
      mostBudgets = max(Self.fewBudgets, 2 * budgets.count)
    }
    return isEnough
  }

  /// The number of recorded budgets.
  var budgetCount: Int { budgets.count }

  /// Refunds the cost of a connection to its group of unidentified peers.
  private mutating func refund(_ group: Group, _ now: Int64) {
    var budget = budget(of: group, now)
    budget.left = min(Double(limits.burst), budget.left + 1)
    budgets[group] = budget
  }

  /// Records that a connection has ended.
  ///
  /// - Returns: Whether ``takeGone()`` reports it.
  @discardableResult
  mutating func disconnect(_ descriptor: Int32, _ side: Side) -> Bool {
    forget(Key(side: side, descriptor: descriptor))
  }

  @discardableResult
  private mutating func forget(_ key: Key) -> Bool {
    guard let entry = entries.removeValue(forKey: key) else { return false }
    uncount(entry.group)
    if entry.user == ownUser {
      let count = ownPrograms[entry.program, default: 1] - 1
      ownPrograms[entry.program] = count == 0 ? nil : count
    }
    if key.side == .publishing { silent[entry.user]?.remove(key.descriptor) }
    if entry.isGreeted { silent[entry.user]?.part(entry.program) }
    if silent[entry.user]?.isEmpty ?? false { silent[entry.user] = nil }
    guard let serial = entry.serial else { return false }
    gone.append(serial)
    return true
  }

  private mutating func uncount(_ group: Group) {
    let count = counts[group, default: 1] - 1
    counts[group] = count == 0 ? nil : count
  }

  /// Issues a serial for an admitted connection.
  mutating func makeSerial() -> UInt64 {
    defer { nextSerial += 1 }
    return nextSerial
  }

  /// Records which connection a serial belongs to.
  ///
  /// - Parameters:
  ///   - serial: The serial.
  ///   - descriptor: The connection's descriptor.
  ///   - side: The socket that has accepted it.
  ///   - name: The name by which it was admitted; nil if the library does not report one.
  ///   - now: Nanoseconds of a monotonic clock.
  /// - Returns: False if that connection has ended. Also false at the identification of a
  ///   connection whose key has too many connections or no budget for one; ``takeExcess()`` then
  ///   returns it.
  mutating func identify(
    _ serial: UInt64,
    _ descriptor: Int32,
    _ side: Side,
    as name: PeerName? = nil,
    now: Int64 = 0,
  ) -> Bool {
    let key = Key(side: side, descriptor: descriptor)
    guard let entry = entries[key], serial >= entry.firstSerial else { return false }
    entries[key]?.serial = serial
    if side == .publishing, entry.serial == nil { silent[entry.user]?.remove(descriptor) }
    guard let name, entry.name == nil else { return true }
    entries[key]?.name = name
    return count(key, for: Group(entry.user, name), insteadOf: entry.group, now)
  }

  /// Counts a connection over tcp for its key, as soon as the key is known.
  ///
  /// - Returns: Whether it may stay.
  private mutating func count(
    _ key: Key,
    for group: Group,
    insteadOf former: Group,
    _ now: Int64,
  ) -> Bool {
    guard group != former else { return true }
    uncount(former)
    refund(former, now)
    counts[group, default: 0] += 1
    if counts[group, default: 0] <= most(of: group), spend(group, now) { return true }
    entries[key]?.isRefused = true
    excess.append(Ended(descriptor: key.descriptor, identity: entries[key]?.identity))
    return false
  }

  /// Takes the connections that exceed the limits of their keys, each once.
  mutating func takeExcess() -> [Ended] {
    defer { excess = [] }
    return excess
  }

  /// The holder of the connection with a serial.
  ///
  /// - Parameters:
  ///   - serial: The serial.
  ///   - descriptor: The connection's descriptor.
  ///   - side: The socket that has accepted it.
  ///   - name: The name on its frames; nil for one without a key.
  /// - Returns: The holder; unknown for a connection that has ended.
  func holder(
    of serial: UInt64,
    _ descriptor: Int32,
    _ side: Side,
    as name: PeerName? = nil,
  ) -> Holder {
    let key = Key(side: side, descriptor: descriptor)
    guard let entry = entries[key], serial >= entry.firstSerial, entry.serial ?? serial == serial
    else { return .unknown }
    return holder(of: entry, as: name)
  }

  /// The holder of the connection that has a descriptor now.
  func holder(at descriptor: Int32, _ side: Side) -> Holder {
    entries[Key(side: side, descriptor: descriptor)].map { holder(of: $0) } ?? .unknown
  }

  private func holder(of entry: Entry, as name: PeerName? = nil) -> Holder {
    if let user = entry.user {
      return Holder(user: user, process: entry.program.number, owner: ownUser)
    }
    return switch name ?? entry.name {
    case .key(let name, _): .key(name)
    case .ticket: .tickets
    case .process(let user, _, let process):
      Holder(user: user, process: UInt64(process), owner: ownUser)
    case .loopback, nil: .network
    }
  }

  /// Records that a control connection has identified itself and was greeted.
  mutating func greet(_ serial: UInt64, _ descriptor: Int32) {
    let key = Key(side: .control, descriptor: descriptor)
    guard let entry = entries[key], entry.serial == serial, !entry.isGreeted else { return }
    entries[key]?.isGreeted = true
    silent[entry.user, default: .init()].welcome(entry.program)
  }

  /// Takes the serials of ended connections that were identified, each once.
  mutating func takeGone() -> [UInt64] {
    defer { gone = [] }
    return gone
  }

  /// The connections of users and names that are not admitted, and unidentified ones over tcp: a
  /// peer that reconnects is checked again.
  func connections(
    ofUsersBut admitsUser: (UInt32) -> Bool,
    namesBut admitsName: (PeerName) -> Bool,
  ) -> [Ended] {
    entries.filter { _, entry in
      if let user = entry.user { return !admitsUser(user) }
      if let name = entry.name { return !admitsName(name) }
      return entry.serial == nil
    }
    .map { Ended(descriptor: $0.key.descriptor, identity: $0.value.identity) }
  }

  /// Distinguishes a connection from later ones with its descriptor.
  func identity(_ descriptor: Int32, _ side: Side) -> Connection.Identity? {
    entries[Key(side: side, descriptor: descriptor)]?.identity
  }

  /// All connections that were not refused.
  var senders: [FloodWatch.Connection] {
    entries.compactMap { key, entry in
      entry.isRefused
        ? nil
        : FloodWatch.Connection(
          descriptor: key.descriptor,
          side: key.side,
          acceptedAt: entry.acceptedAt,
        )
    }
  }

  /// Records that a connection is to be shut down for a flood.
  ///
  /// - Returns: Whether it still exists; ``takeFloods()`` then reports it.
  mutating func cut(_ connection: FloodWatch.Connection) -> Bool {
    let key = Key(side: connection.side, descriptor: connection.descriptor)
    guard let entry = entries[key], entry.acceptedAt == connection.acceptedAt else { return false }
    floods.append((entry.serial, connection.side))
    return true
  }

  /// Takes the connections that were shut down for a flood, each once, by their serials as far as
  /// these were known.
  mutating func takeFloods() -> [(serial: UInt64?, side: Side)] {
    defer { floods = [] }
    return floods
  }

  /// The earliest deadline of a connection that was not greeted yet, or is silent.
  var firstSilentEnd: Int64? {
    mutating get {
      let entries = entries
      let isSilent = { Self.isSilent(entries, $0, $1) }
      let ends = [
        nearby.first(where: isSilent).map { $0 + Self.probation },
        faraway.first(where: isSilent).map { $0 + Self.farProbation },
        silent.values.compactMap(\.end).min(),
      ]
      return ends.compactMap(\.self).min()
    }
  }

  /// Takes the connections whose deadline to be greeted, or to send, is not after a moment,
  /// each once.
  mutating func takeSilent(at moment: Int64) -> [Ended] {
    let entries = entries
    let isSilent = { Self.isSilent(entries, $0, $1) }
    let control =
      nearby.take(until: moment - Self.probation, where: isSilent)
      + faraway.take(until: moment - Self.farProbation, where: isSilent)
    let publishing = silent.keys.flatMap { silent[$0]?.take(at: moment) ?? [] }
    return control.map { Ended(descriptor: $0, identity: identity($0, .control)) }
      + publishing.map { Ended(descriptor: $0, identity: identity($0, .publishing)) }
  }

  private static func isSilent(
    _ entries: [Key: Entry],
    _ descriptor: Int32,
    _ acceptedAt: Int64,
  ) -> Bool {
    guard let entry = entries[Key(side: .control, descriptor: descriptor)] else { return false }
    return entry.acceptedAt == acceptedAt && !entry.isGreeted && !entry.isRefused
  }
}

extension ConnectionTable {
  /// The serial of a connection and the name of its peer, as far as these are known.
  func peer(_ descriptor: Int32, _ side: Side) -> (serial: UInt64?, name: String?) {
    let entry = entries[Key(side: side, descriptor: descriptor)]
    let name: String? =
      switch (entry?.user, entry?.name) {
      case (let user?, _): entry.map { "user \(user), pid \($0.program.number)" }
      case (nil, .key(let name, _)?): "key \(name)"
      case (nil, .ticket?), (nil, .process?), (nil, .loopback?), (nil, nil): nil
      }
    return (entry?.serial, name)
  }
}
