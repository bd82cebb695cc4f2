import Testing
import ZeroMQ

@testable import StoreDaemon

@Suite("Who goes on sending while nobody is heard")
struct FloodWatchTests {
  private static let millisecond: Int64 = 1_000_000

  private func connection(_ descriptor: Int32, acceptedAt: Int64 = 0) -> FloodWatch.Connection {
    FloodWatch.Connection(descriptor: descriptor, side: .control, acceptedAt: acceptedAt)
  }

  /// Looks every five milliseconds at connections of which so much is queued at each look.
  ///
  /// - Returns: At which look, from 0 on, each was found to flood.
  private func looks(
    _ count: Int,
    rounds: (Int) -> UInt64 = { _ in 1 },
    accepted: (Int) -> Int64 = { _ in 0 },
    queued: (Int, Int32) -> Int,
  ) -> [Int32: [Int]] {
    var watch = FloodWatch()
    var found: [Int32: [Int]] = [:]
    for look in 0..<count {
      let floods = watch.look(
        at: [connection(1, acceptedAt: accepted(look)), connection(2)],
        rounds: rounds(look),
        now: Int64(look) * 5 * Self.millisecond,
      ) { queued(look, $0) }
      for flood in floods { found[flood.descriptor, default: []].append(look) }
    }
    return found
  }

  @Test func `Who has as much waiting at every look for so long is a flood, once each time`() {
    let found = looks(14) { _, descriptor in descriptor == 1 ? 100_000 : 0 }
    #expect(found == [1: [6, 13]])
  }

  @Test func `A little that waits is no flood`() {
    #expect(looks(50) { _, _ in FloodWatch.queuedBytes - 1 } == [:])
  }

  @Test func `Who was read in between begins anew`() {
    #expect(looks(50) { look, _ in look % 6 == 5 ? 0 : 100_000 } == [:])
  }

  @Test func `What becomes less, as of one who has sent a window and waits, is no flood`() {
    #expect(looks(50) { look, _ in 1_000_000 >> (look / 6) } == [:])
    // What is filled again and again does not become less.
    #expect(looks(7) { look, _ in 60_000 + look % 2 * 30_000 } == [1: [6], 2: [6]])
  }

  @Test func `Nobody floods while the main thread hears everybody now and then`() {
    #expect(looks(50, rounds: { UInt64($0 / 6) }) { _, _ in 100_000 } == [:])
    #expect(looks(50, rounds: { UInt64($0 / 7) }) { _, _ in 100_000 } != [:])
  }

  @Test func `Another connection with the same descriptor begins anew`() {
    let found = looks(9, accepted: { $0 < 4 ? 0 : 1 }) { _, descriptor in
      descriptor == 1 ? 100_000 : 0
    }
    #expect(found == [:])
  }

  @Test func `It looks more often while somebody has much waiting`() {
    var watch = FloodWatch()
    #expect(watch.interval == 50 * Self.millisecond)
    for (count, interval) in [(1 << 20, 5), (0, 50)] as [(Int, Int64)] {
      _ = watch.look(at: [connection(1)], rounds: 1, now: 0) { _ in count }
      #expect(watch.interval == interval * Self.millisecond)
    }
  }

  @Test func `The table tells whose connection was cut, and nothing of one that is over`() {
    var table = ConnectionTable(limits: .init(descriptors: 4096), ownUser: 1)
    let program = PeerProgram(number: 1)
    for descriptor: Int32 in 5...7 {
      let now = Int64(descriptor)
      _ = table.accept(descriptor, .control, user: 1, program: program, now: now)
    }
    let serial = table.makeSerial()
    let isThere = table.identify(serial, 5, .control)
    #expect(isThere)
    let senders = table.senders.sorted { $0.descriptor < $1.descriptor }
    #expect(senders.map(\.acceptedAt) == [5, 6, 7])
    table.disconnect(7, .control)
    _ = table.accept(7, .control, user: 1, program: program, now: 8)
    let names = senders.map { table.cut($0) }
    #expect(names == ["\(serial)", "unknown", nil])
    let told = [table.takeFloods(), table.takeFloods()]
    #expect(told.map { $0.map(\.serial) } == [[serial], []])
  }
}
