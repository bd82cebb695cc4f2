import StoreHistory
import StoreProtocol
import StoreServer
import ZeroMQ

/// The connections of a daemon's sockets, as reported by the monitors and by admissions.
///
/// A value without I/O or a clock; ``ConnectionGuard`` is its shell. A connection is known by its
/// descriptor, which is used anew, and from its admission on by its serial, which never is. The two
/// come together when the first frame is read: a serial belongs to the connection that has its
/// descriptor now if it was given out after that one was accepted. An older serial was that of an
/// earlier connection with the same descriptor.
struct ConnectionTable {
  /// Which of the daemon's sockets.
  enum Side: Hashable, Sendable {
    case control
    case publishing
  }

  /// Nanoseconds after which a control connection of this machine must have been greeted.
  static let probation: Int64 = 1_000_000_000
  /// The same over tcp, where a handshake takes some ways to and fro, and a key that is handed in
  /// has to reach the disk before it is answered.
  static let farProbation: Int64 = 10_000_000_000

  struct Limits: Hashable, Sendable {
    /// Connections in all: descriptors are finite, and running out of them ends the process.
    var connections: Int
    /// Connections of the daemon's own user, and of one program of that user: so one that forgets
    /// to close them keeps nobody out.
    var connectionsOfOwner: Int
    var connectionsOfOwnProgram: Int
    /// Connections of all together who are not the daemon's own user.
    var connectionsOfOthers: Int
    /// Connections of one of these users: so none of the others is kept out by one alone.
    var connectionsOfUser: Int
    /// Connections of one key, of all who come with tickets, and of all over tcp without a key.
    var connectionsOfKey: Int
    /// Connections over tcp of which nothing is known yet.
    ///
    /// One key, with its own and with these, has no more than a user.
    var connectionsOfUnknown: Int
    /// Connections of one holder that may come at once, after a rest: everybody comes back at once
    /// when a daemon was started again.
    var burst = 16_384
    /// And how many a second from then on: more than a script that starts client after client.
    var perSecond = 256

    /// What a process with so many descriptors can do.
    ///
    /// Some stay free: connections are accepted before they can be refused, and the two monitors
    /// may each have a thousand unread events.
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

  /// Those whose connections are counted together.
  private enum Group: Hashable {
    case user(UInt32)
    case key(String)
    case tickets
    /// Over tcp without a key, where that is allowed.
    case keyless
    /// Over tcp, before the first frame tells whose connection it is.
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
    /// Serials below were given out to others.
    let firstSerial: UInt64
    var serial: UInt64?
    /// The key by which it was admitted; nil for one without a key, or until it is identified.
    var name: PeerName?
    var isGreeted = false
    var isRefused = false

    var group: Group { Group(user, name) }
  }

  /// A connection that is to be shut down.
  struct Ended: Hashable {
    var descriptor: Int32
    /// What tells it from whatever has its descriptor later; nil where it was over before that was
    /// known.
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
  /// Bounded by ``entries``: who has no connection has no count.
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
  /// Bounded by ``Limits/connections``, and while the main thread is held up by
  /// ``Limits/perSecond``.
  private var gone: [UInt64] = []
  /// Bounded by ``Limits/connections``, in the same way.
  private var excess: [Ended] = []
  /// Bounded by ``entries``, in the same way.
  private var floods: [(serial: UInt64?, side: Side)] = []
  /// Control connections in the order in which they were accepted, without those refused: of this
  /// machine, and over tcp.
  private var (nearby, faraway) = (Probation(), Probation())
  /// Who says nothing to the publishing socket, of each user, and of all over tcp together.
  ///
  /// Bounded by ``entries``.
  private var silent: [UInt32?: SilentSubscribers] = [:]

  /// Connections that have to be greeted within the same time.
  private struct Probation {
    /// Bounded by ``Limits/burst`` and ``Limits/perSecond`` of those who may connect, for as long
    /// as one waits.
    private var connections: [(descriptor: Int32, acceptedAt: Int64)] = []

    mutating func append(_ descriptor: Int32, _ now: Int64) {
      connections.append((descriptor, now))
    }

    /// When the oldest was accepted of those that still wait.
    mutating func first(where isSilent: (Int32, Int64) -> Bool) -> Int64? {
      let waiting = connections.firstIndex { isSilent($0.descriptor, $0.acceptedAt) }
      connections.removeFirst(waiting ?? connections.count)
      return connections.first?.acceptedAt
    }

    /// Those accepted up to a moment that still wait; each is told once.
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
  ///   - user: Who is at its other end; nil over tcp.
  ///   - program: Which program of theirs.
  ///   - identity: What tells it from whatever has its descriptor later.
  ///   - now: Nanoseconds of a clock that does not go back.
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
    // Those who have rested are as new ones. They are looked for when there are twice as many.
    if budgets.count > mostBudgets {
      budgets = budgets.filter { self.budget(of: $0.key, now).left < Double(limits.burst) }
      mostBudgets = max(Self.fewBudgets, 2 * budgets.count)
    }
    return isEnough
  }

  /// How many budgets are remembered.
  var budgetCount: Int { budgets.count }

  /// Gives back what a connection has cost those over tcp of whom nothing is known.
  private mutating func refund(_ group: Group, _ now: Int64) {
    var budget = budget(of: group, now)
    budget.left = min(Double(limits.burst), budget.left + 1)
    budgets[group] = budget
  }

  /// Records that a connection has ended.
  ///
  /// - Returns: Whether ``takeGone()`` tells it.
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

  /// A serial for an admitted connection.
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
  ///   - now: Nanoseconds of a clock that does not go back.
  /// - Returns: False when that connection has ended, and the first time that it is known by a key
  ///   with too many connections or without budget for one; ``takeExcess()`` returns it then.
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

  /// Counts a connection over tcp for its key, as soon as that is known.
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

  /// The connections that are more than their keys may have; each is told once.
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
  ///   - name: What its frames are known by; nil for one without a key.
  /// - Returns: The holder; unknown for a connection that is over.
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

  /// Records that a control connection has identified itself, and was welcomed.
  mutating func greet(_ serial: UInt64, _ descriptor: Int32) {
    let key = Key(side: .control, descriptor: descriptor)
    guard let entry = entries[key], entry.serial == serial, !entry.isGreeted else { return }
    entries[key]?.isGreeted = true
    silent[entry.user, default: .init()].welcome(entry.program)
  }

  /// The serials whose connections are over, of those that were identified; each is told once.
  mutating func takeGone() -> [UInt64] {
    defer { gone = [] }
    return gone
  }

  /// The connections of users and names that are not admitted, and those over tcp of which it is
  /// not known yet whose they are: whoever may come back is asked again.
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

  /// What tells a connection from whatever has its descriptor later.
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

  /// Records that a connection is to be shut down because of what it sends.
  ///
  /// - Returns: Whether it is still there; ``takeFloods()`` tells it then.
  mutating func cut(_ connection: FloodWatch.Connection) -> Bool {
    let key = Key(side: connection.side, descriptor: connection.descriptor)
    guard let entry = entries[key], entry.acceptedAt == connection.acceptedAt else { return false }
    floods.append((entry.serial, connection.side))
    return true
  }

  /// The connections that were shut down for what they send, and that nobody was told yet, by
  /// their serials, as far as these were known.
  mutating func takeFloods() -> [(serial: UInt64?, side: Side)] {
    defer { floods = [] }
    return floods
  }

  /// When the first connection is to be shut down that was not greeted yet, or is silent.
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

  /// The connections that should have been greeted, or have spoken, by a moment; each is told once.
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
  /// The serial of a connection, and who is at its other end, as far as these are known.
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
