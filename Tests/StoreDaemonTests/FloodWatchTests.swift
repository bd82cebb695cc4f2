import Testing
import ZeroMQ

@testable import StoreDaemon

@Suite("Floods while the main thread does not read")
struct FloodWatchTests {
  private func connection(_ descriptor: Int32, acceptedAt: Int64 = 0) -> FloodWatch.Connection {
    FloodWatch.Connection(descriptor: descriptor, side: .control, acceptedAt: acceptedAt)
  }

  /// A watch of a process that has grown.
  private func watch() -> FloodWatch {
    var watch = FloodWatch()
    _ = watch.hasGrown(to: 0, rounds: 1)
    _ = watch.hasGrown(to: FloodWatch.growth, rounds: 1)
    return watch
  }

  /// Checks two connections repeatedly, with their backlogs at each check.
  ///
  /// - Returns: The connection that was shut down at each check, from 1 on.
  private func looks(
    _ count: Int,
    accepted: (Int) -> Int64 = { _ in 0 },
    queued: (Int, Int32) -> Int,
  ) -> [Int: Int32] {
    var watch = watch()
    var found: [Int: Int32] = [:]
    for look in 1...count {
      let connections = [connection(1, acceptedAt: accepted(look)), connection(2)]
      found[look] = watch.look(at: connections) { queued(look, $0) }?.descriptor
    }
    return found
  }

  @Test func `Connections are looked at only when the process has grown since all were heard`() {
    var watch = FloodWatch()
    let steps: [(bytes: Int, rounds: UInt64, isGrown: Bool)] = [
      (50, 1, false), (50 + FloodWatch.growth - 1, 1, false), (50 + FloodWatch.growth, 1, true),
      // Messages that were read are counted by the main thread.
      (50 + FloodWatch.growth, 2, false), (50 + 2 * FloodWatch.growth, 2, true),
      // After memory was returned, growth counts from the lower size.
      (20, 2, false), (19 + FloodWatch.growth, 2, false), (20 + FloodWatch.growth, 2, true),
    ]
    for step in steps {
      let isGrown = watch.hasGrown(to: step.bytes, rounds: step.rounds)
      #expect(isGrown == step.isGrown, "\(step)")
      #expect(
        watch.interval == (isGrown ? FloodWatch.interval : FloodWatch.calmInterval),
        "\(step)",
      )
    }
  }

  @Test func `A constant sender is a flood, the one with the most waiting bytes first`() {
    let found = looks(8) { look, descriptor in Int(descriptor) * 100_000 + look % 2 * 10_000 }
    #expect(found == [6: 2, 7: 1])
  }

  @Test func `A flood is one as well while some of it is read`() {
    // Measured: the kernel fills a buffer in large pieces, and it is read in small ones.
    let seen = [104_448, 71_680, 30_720, 79_184, 144_032, 146_344, 97_192]
    #expect(looks(7) { look, descriptor in descriptor == 1 ? seen[look - 1] : 0 } == [6: 1])
  }

  @Test func `A sender without waiting bytes in between starts over`() {
    #expect(looks(50) { look, _ in look % 6 == 0 ? 0 : 100_000 + look } == [:])
  }

  @Test func `A little that waits is no flood`() {
    #expect(looks(50) { look, _ in FloodWatch.queuedBytes - 1 - look % 2 } == [:])
  }

  @Test func `A shrinking backlog, as of a sender of one window that waits, is no flood`() {
    #expect(looks(50) { look, _ in 1_000_000 >> (look / 5) } == [:])
    // A constant backlog is no flood: the connection is not read.
    #expect(looks(50) { _, _ in 100_000 } == [:])
    // A single rise may be one action after the other.
    #expect(looks(50) { look, _ in look < 25 ? 100_000 : 150_000 } == [:])
  }

  @Test func `Another connection with the same descriptor starts over`() {
    let found = looks(
      9,
      accepted: { $0 < 5 ? 0 : 1 },
      queued: { look, descriptor in descriptor == 1 ? 100_000 + look % 2 : 0 },
    )
    #expect(found == [:])
  }

  @Test func `While the process does not grow no connection is examined`() {
    var watch = watch()
    for look in 1..<FloodWatch.looks {
      let flood = watch.look(at: [connection(1)]) { _ in 100_000 + look % 2 }
      #expect(flood == nil)
    }
    _ = watch.hasGrown(to: FloodWatch.growth, rounds: 2)
    _ = watch.hasGrown(to: 2 * FloodWatch.growth, rounds: 2)
    let flood = watch.look(at: [connection(1)]) { _ in 200_000 }
    #expect(flood == nil)
  }

  @Test func `The table names the owner of a cut connection, and ignores one that is over`() {
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
    let areThere = senders.map { table.cut($0) }
    #expect(areThere == [true, true, false])
    let told = [table.takeFloods(), table.takeFloods()]
    #expect(told.map { $0.map(\.serial) } == [[serial, nil], []])
  }
}
