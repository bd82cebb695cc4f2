import StoreProtocol
import StoreServer
import Testing
import ZeroMQ

@testable import StoreDaemon

@Suite("Table of connections")
struct ConnectionTableTests {
  private static let second: Int64 = 1_000_000_000
  private static let me: UInt32 = 1000

  private func table(_ descriptors: Int = 65_536) -> ConnectionTable {
    ConnectionTable(limits: ConnectionTable.Limits(descriptors: descriptors), ownUser: Self.me)
  }

  @Test(
    "Some descriptors stay free",
    arguments: [(65_536, 63_232), (4096, 2048), (1024, 512), (20_000, 17_696)],
  )
  func room(descriptors: Int, connections: Int) {
    #expect(ConnectionTable.Limits(descriptors: descriptors).connections == connections)
  }

  @Test func `More descriptors do not let another user or a key take more memory`() {
    let many = ConnectionTable.Limits(descriptors: 1 << 20)
    #expect(many.connectionsOfOthers == 7_680 && many.connectionsOfUser == 640)
    // Together with the unidentified ones, a key has at most as many as a user.
    #expect(many.connectionsOfKey + many.connectionsOfUnknown == many.connectionsOfUser)
    #expect(many.connectionsOfOwner == many.connections - many.connections / 4)
  }

  @Test func `Budgets of users are forgotten once they have recovered`() {
    var table = table()
    for user in 0..<2_000 as Range<UInt32> {
      let isWelcome = table.accept(1, .control, user: 5_000 + user, now: Int64(user) * Self.second)
      #expect(isWelcome)
      table.disconnect(1, .control)
    }
    #expect(table.budgetCount < 200)
    // All at one moment: no budget has recovered.
    for user in 0..<1_000 as Range<UInt32> {
      _ = table.accept(1, .control, user: 9_000 + user, now: 3_000 * Self.second)
      table.disconnect(1, .control)
    }
    #expect(table.budgetCount >= 1_000)
  }

  @Test("A connection beyond the limit is refused, and counts until it ends")
  func full() {
    var table = table(64)
    func accept(_ descriptor: Int32, _ side: ConnectionTable.Side = .control) -> Bool {
      table.accept(descriptor, side, user: Self.me, now: 0)
    }
    let accepted = (0..<16).count { accept($0) }
    #expect(accepted == 16)
    let isAccepted = accept(40, .publishing)
    #expect(!isAccepted)
    #expect(table.count == 17)
    table.disconnect(0, .control)
    let isStillFull = !accept(0)
    #expect(isStillFull)
    for descriptor: Int32 in [0, 1] { table.disconnect(descriptor, .control) }
    table.disconnect(40, .publishing)
    let hasRoom = accept(1)
    #expect(hasRoom)
  }

  @Test func `A program of the daemon's user leaves room to its others, and they to others`() {
    var table = table(64)
    var descriptor: Int32 = 0
    func come(_ count: Int, _ user: UInt32, program: UInt64) -> Int {
      (0..<count).count { _ in
        descriptor += 1
        let program = PeerProgram(number: program)
        let isWelcome = table.accept(descriptor, .control, user: user, program: program, now: 0)
        if !isWelcome { table.disconnect(descriptor, .control) }
        return isWelcome
      }
    }
    #expect(come(32, Self.me, program: 1) == 16)
    #expect(come(32, Self.me, program: 2) == 8)
    #expect(come(32, Self.me, program: 3) == 0)
    #expect(come(32, 7, program: 4) == 8)
    // After the end of the first program's connections, others of the same user have room.
    for descriptor: Int32 in 1...16 { table.disconnect(descriptor, .control) }
    #expect(come(32, Self.me, program: 3) == 16)
  }

  @Test("Others get half of the room, and leave the other half to the daemon's user")
  func others() {
    var table = table(64)
    // One user leaves room for the others: unidentified ones over tcp count as one.
    for (user, most) in [(nil, 4), (7, 12), (8, 0)] as [(UInt32?, Int)] {
      let accepted = (0..<32).filter { table.accept($0, .control, user: user, now: 0) }
      #expect(accepted.count == most, "\(user ?? 0)")
      for descriptor: Int32 in 0..<32 { table.disconnect(descriptor, .control) }
      let base = Int32(100 * (user ?? 1))
      for descriptor in 0..<Int32(most) {
        _ = table.accept(base + descriptor, .control, user: user, now: 0)
      }
      #expect(table.count == (user == nil ? 4 : 16))
    }
    let mine = (16..<40).count { table.accept($0, .publishing, user: Self.me, now: 0) }
    #expect(mine == 16)
  }

  @Test func `Each key has its share, and all leave room to others and to the daemon's user`() {
    var table = table(64)
    var descriptor: Int32 = 0
    /// Connects over tcp, and sends a frame with the key if there is one.
    func come(_ count: Int, _ key: String?) -> Int {
      (0..<count).count { _ in
        descriptor += 1
        guard table.accept(descriptor, .control, user: nil, now: 0) else {
          table.disconnect(descriptor, .control)
          return false
        }
        guard let key else { return true }
        let name = PeerName.key(key, [1])
        let isKept = table.identify(table.makeSerial(), descriptor, .control, as: name)
        let excess = table.takeExcess().map(\.descriptor)
        #expect(excess == (isKept ? [] : [descriptor]))
        if !isKept { table.disconnect(descriptor, .control) }
        return isKept
      }
    }
    // Of 32 connections in all, users other than the daemon's have 16, and a key half of these.
    #expect(come(32, "laptop") == 8)
    // Together with the unidentified ones it has as many as a user may have.
    #expect(come(32, nil) == 4)
    #expect(come(32, "phone") == 0)
    for silent in descriptor - 63...descriptor { table.disconnect(silent, .control) }
    #expect(come(32, "phone") == 8)
    #expect(come(32, "tablet") == 0)
    let isUserIn = table.accept(900, .control, user: 7, now: 0)
    #expect(!isUserIn)
    table.disconnect(900, .control)
    let mine = (1000..<1032).count { table.accept($0, .control, user: Self.me, now: 0) }
    #expect(mine == 16)
    // Ended connections no longer count for their keys.
    for descriptor: Int32 in 1...8 { table.disconnect(descriptor, .control) }
    for descriptor: Int32 in 1000..<1032 { table.disconnect(descriptor, .control) }
    #expect(come(4, "laptop") == 4 && come(4, "phone") == 0)
  }

  @Test func `Frequent connections of one key cost no other key`() {
    var table = table()
    var descriptor: Int32 = 0
    func come(_ count: Int, _ key: String, at now: Int64) -> Int {
      (0..<count).count { _ in
        descriptor += 1
        defer { table.disconnect(descriptor, .control) }
        guard table.accept(descriptor, .control, user: nil, now: now) else { return false }
        let name = PeerName.key(key, [1])
        let serial = table.makeSerial()
        let isKept = table.identify(serial, descriptor, .control, as: name, now: now)
        _ = table.takeExcess()
        return isKept
      }
    }
    #expect(come(20_000, "laptop", at: 0) == 16_384)
    #expect(come(20_000, "phone", at: 0) == 16_384)
    #expect(come(1000, "laptop", at: Self.second) == 256)
  }

  @Test func `Connections of revoked keys are ended, and so are unidentified ones`() {
    var table = table()
    for descriptor: Int32 in 0..<5 {
      let user: UInt32? = descriptor == 4 ? Self.me : nil
      _ = table.accept(descriptor, .control, user: user, now: 0)
    }
    // The last one over tcp has no key.
    let (old, new) = (PeerName.key("laptop", [1]), PeerName.key("laptop", [2]))
    for (descriptor, name) in [(0, old), (1, new), (2, nil)] as [(Int32, PeerName?)] {
      let serial = table.makeSerial()
      let isThere = table.identify(serial, descriptor, .control, as: name)
      let isStillThere = table.identify(serial, descriptor, .control)
      #expect(isThere && isStillThere)
    }
    let ended = table.connections(ofUsersBut: { $0 == Self.me }, namesBut: { $0 == new })
    #expect(Set(ended.map(\.descriptor)) == [0, 3])
  }

  @Test("A user may open a burst of connections, and then so many per second")
  func budget() {
    var table = table()
    var descriptor: Int32 = 0
    func come(_ count: Int, at now: Int64) -> Int {
      (0..<count).count { _ in
        descriptor += 1
        defer { table.disconnect(descriptor, .control) }
        return table.accept(descriptor, .control, user: Self.me, now: now)
      }
    }
    #expect(come(20_000, at: 0) == 16_384)
    #expect(come(1000, at: Self.second) == 256)
    #expect(come(1000, at: 2 * Self.second) == 256)
    #expect(come(20_000, at: 1000 * Self.second) == 16_384)
    // Another user has a budget of its own.
    let isAccepted = table.accept(1, .control, user: nil, now: 1000 * Self.second)
    #expect(isAccepted)
  }

  @Test("A serial belongs to the connection that had its descriptor when it was issued")
  func identity() {
    var table = table()
    _ = table.accept(7, .control, user: Self.me, now: 0)
    let first = table.makeSerial()
    table.disconnect(7, .control)
    _ = table.accept(7, .control, user: Self.me, now: 1)
    let second = table.makeSerial()
    #expect(first != second)
    // The first connection's frame is read only now.
    let isFirst = table.identify(first, 7, .control)
    #expect(!isFirst)
    let isSecond = table.identify(second, 7, .control)
    #expect(isSecond)
    let isElsewhere = table.identify(second, 7, .publishing)
    #expect(!isElsewhere)
    let told1 = table.takeGone()
    #expect(told1 == [])
    table.disconnect(7, .control)
    let told2 = table.takeGone()
    #expect(told2 == [second])
    let told3 = table.takeGone()
    #expect(told3 == [])
    let isOver = !table.identify(second, 7, .control)
    #expect(isOver)
  }

  @Test func `The holder of a connection is found by its serial`() {
    var table = table()
    _ = table.accept(1, .control, user: 7, now: 0)
    _ = table.accept(2, .control, user: nil, now: 0)
    let (near, far) = (table.makeSerial(), table.makeSerial())
    let isNear = table.identify(near, 1, .control)
    let isFar = table.identify(far, 2, .control, as: .key("laptop", [1]))
    #expect(isNear && isFar)
    #expect(table.holder(of: near, 1, .control) == .user(7))
    #expect(table.holder(of: far, 2, .control) == .key("laptop"))
    #expect(table.holder(of: far, 1, .control) == .unknown)
    #expect(table.holder(of: near, 1, .publishing) == .unknown)
  }

  @Test func `A peer over tcp has more time, because each round trip takes its own`() {
    var table = table()
    _ = table.accept(1, .control, user: nil, now: 0)
    _ = table.accept(2, .control, user: Self.me, now: 2 * Self.second)
    let ends = table.firstSilentEnd
    #expect(ends == 3 * Self.second)
    let near = table.takeSilent(at: 9 * Self.second).map(\.descriptor)
    #expect(near == [2])
    let farEnd = table.firstSilentEnd
    #expect(farEnd == 10 * Self.second)
    let far = table.takeSilent(at: 10 * Self.second).map(\.descriptor)
    #expect(far == [1])
  }

  @Test("Exactly the connections that were not greeted in time are reported, each once")
  func silence() {
    var table = table()
    for descriptor: Int32 in 1...4 {
      _ = table.accept(descriptor, .control, user: Self.me, now: Int64(descriptor))
    }
    _ = table.accept(5, .publishing, user: Self.me, now: 1)
    let told4 = table.firstSilentEnd
    #expect(told4 == Self.second + 1)
    let serial = table.makeSerial()
    _ = table.identify(serial, 1, .control)
    // The serial of another connection has no effect.
    table.greet(serial + 1, 1)
    let told5 = table.firstSilentEnd
    #expect(told5 == Self.second + 1)
    table.greet(serial, 1)
    let told6 = table.firstSilentEnd
    #expect(told6 == Self.second + 2)
    table.disconnect(2, .control)
    let told7 = table.takeSilent(at: Self.second + 3).map(\.descriptor)
    #expect(told7 == [3])
    let told8 = table.takeSilent(at: Self.second + 3).map(\.descriptor)
    #expect(told8 == [])
    let told9 = table.firstSilentEnd
    #expect(told9 == Self.second + 4)
    // A later connection has the same descriptor.
    table.disconnect(4, .control)
    _ = table.accept(4, .control, user: Self.me, now: 9)
    let told10 = table.takeSilent(at: Self.second + 8).map(\.descriptor)
    #expect(told10 == [])
    let told11 = table.takeSilent(at: Self.second + 9).map(\.descriptor)
    #expect(told11 == [4])
    let told12 = table.firstSilentEnd
    #expect(told12 == nil)
  }

  @Test func `As many silent subscribers are allowed as peers were greeted on the other socket`() {
    var table = table()
    _ = table.accept(1, .control, user: Self.me, now: 0)
    let serial = table.makeSerial()
    _ = table.identify(serial, 1, .control)
    table.greet(serial, 1)
    // A second greeting has no effect.
    table.greet(serial, 1)
    for descriptor: Int32 in 2...5 {
      _ = table.accept(descriptor, .publishing, user: Self.me, now: Int64(descriptor))
    }
    // Connections of another user, and those that have sent, do not count.
    _ = table.accept(6, .publishing, user: 7, now: 6)
    let spoken = table.makeSerial()
    let hasSpoken = table.identify(spoken, 4, .publishing)
    #expect(hasSpoken)
    let end = table.firstSilentEnd
    #expect(end == 3 * Self.second + 3)
    let early = table.takeSilent(at: 3 * Self.second + 2).map(\.descriptor)
    #expect(early == [])
    // The older of two silent ones ends first, and then the next.
    let first = table.takeSilent(at: 3 * Self.second + 3).map(\.descriptor)
    #expect(first == [2])
    let second = table.takeSilent(at: 3 * Self.second + 5).map(\.descriptor)
    #expect(second == [3])
    let other = table.takeSilent(at: 3 * Self.second + 6).map(\.descriptor)
    #expect(other == [6])
    let rest = table.firstSilentEnd
    #expect(rest == nil)
    // The last one may stay as long as the control connection does.
    table.disconnect(1, .control)
    let last = table.takeSilent(at: 4 * Self.second).map(\.descriptor)
    #expect(last == [5])
    for descriptor: Int32 in 2...6 { table.disconnect(descriptor, .publishing) }
    #expect(table.count == 0)
  }

  @Test func `Of silent connections those go first of whose program most are silent`() {
    var table = table()
    // Program 1 follows no scope, 2 is greeted and holds many, 3 is not greeted and holds one.
    for (descriptor, number) in [(1, 1), (2, 2)] as [(Int32, UInt64)] {
      let program = PeerProgram(number: number)
      _ = table.accept(descriptor, .control, user: 7, program: program, now: 0)
      let serial = table.makeSerial()
      _ = table.identify(serial, descriptor, .control)
      table.greet(serial, descriptor)
    }
    for (descriptor, number) in [(11, 1), (12, 2), (13, 3), (14, 2), (15, 2)]
      as [(Int32, UInt64)]
    {
      let program = PeerProgram(number: number)
      let now = Int64(descriptor)
      _ = table.accept(descriptor, .publishing, user: 7, program: program, now: now)
    }
    let taken = table.takeSilent(at: 10 * Self.second).map(\.descriptor)
    #expect(taken == [12, 13, 14])
    let rest = table.takeSilent(at: 20 * Self.second).map(\.descriptor)
    #expect(rest == [])
  }
}

extension ConnectionTable {
  /// Records a new connection of an unknown program.
  fileprivate mutating func accept(
    _ descriptor: Int32,
    _ side: Side,
    user: UInt32?,
    now: Int64,
  ) -> Bool {
    accept(descriptor, side, user: user, program: PeerProgram(number: 0), now: now)
  }
}
