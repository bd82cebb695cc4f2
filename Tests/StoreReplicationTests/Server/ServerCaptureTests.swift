import StoreActor
import StoreState
import Testing

@testable import StoreProtocol
@testable import StoreReplica
@testable import StoreServer

/// Captures, encoded on another thread: docs/PROTOCOL.md §9.
@MainActor
@Suite struct ServerCaptureTests {
  @Test("The daemon continues while a joiner's snapshot is encoded, and the joiner catches up")
  func goesOn() throws {
    let bench = ServerBench()
    bench.holdsJobs = true
    let wire = try BenchClient(bench)
    let (_, replica) = try wire.follow("counter", Deck.Counter.self)
    try bench.send(.counter(.incrementButtonTapped))
    #expect(replica.shown == nil)
    #expect(bench.server.counters.deltas == 1)

    bench.finishJobs()
    try bench.settle()
    #expect(replica.shown == Deck.Counter(count: 1))
    #expect(bench.server.counters.snapshots == 1)
  }

  @Test("Clients that join a scope at the same version share one capture")
  func shared() throws {
    let bench = ServerBench()
    bench.holdsJobs = true
    for peer in UInt8(1)...3 {
      try bench.join(peer, try bench.hello(peer), nonce: 1, [.follow("cards")])
    }
    #expect(bench.jobs.count == 1)
    bench.finishJobs()
    try bench.settle()
    for peer in UInt8(1)...3 {
      let cards = try bench.take(peer).last?.snapshot(IdentifiedArrayOf<Deck.Card>.self)
      #expect(cards?.count == 2)
    }
  }

  @Test func `§13: a client that never takes its snapshots ends, and another is sent its own`()
    throws
  {
    var limits = Limits()
    (limits.creditBytes, limits.chunkBytes, limits.capturedBytes) = (100, 100, 80_000)
    let bench = ServerBench(limits: limits)
    for peer in 1...5 as ClosedRange<UInt8> {
      bench.addresses[ServerBench.peer(peer)] = "localhost:\(peer == 1 ? 999 : 1_000):1:\(peer)"
    }
    for peer in 1...5 as ClosedRange<UInt8> {
      // Each client joins at another state.
      bench.root.send(.counter(.filled(bytes: 18_000 + Int(peer))))
      try bench.join(peer, try bench.hello(peer), nonce: 1, [.follow("counter")])
    }
    let kept = bench.server.joins.capturedBytes
    #expect(kept > 40_000 && kept <= 80_000)
    #expect(bench.server.counters.byName.contains { $0 == ("capturedBytes", UInt64(kept)) })
    let cuts = Set(bench.cuts.map(\.peer))
    #expect(!cuts.isEmpty && !cuts.contains(ServerBench.peer(1)))
    #expect(bench.cuts.allSatisfy { $0.reason.contains("does not take the snapshots") })
    // A client that gives credit receives the whole capture, which is then no longer kept.
    for _ in 0..<1_000 where bench.server.joins.capturedBytes == kept {
      bench.receive(.credit(nonce: 1, bytes: 100), from: 1)
      try bench.endTurn()
    }
    #expect(bench.server.joins.capturedBytes < kept)
    for peer in 2...5 as ClosedRange<UInt8> { bench.receive(.bye, from: peer) }
    try bench.endTurn()
    #expect(bench.server.joins.capturedBytes == 0)
  }

  @Test("A capture is shared while its scope is unchanged, regardless of other changes")
  func sharedWhileSame() throws {
    let bench = ServerBench()
    bench.holdsJobs = true
    try bench.join(1, try bench.hello(1), nonce: 1, [.follow("cards")])
    bench.root.send(.secretChanged)
    try bench.join(2, try bench.hello(2), nonce: 1, [.follow("cards")])
    #expect(bench.jobs.count == 1)
    let early = bench.jobs
    bench.jobs = []
    bench.root.send(.cards(.element(id: 1, action: .titleChanged(title: "new"))))
    try bench.join(3, try bench.hello(3), nonce: 1, [.follow("cards")])
    #expect(bench.jobs.count == 1)
    bench.finishJobs()
    try bench.settle()
    bench.jobs = early
    #expect(bench.take(1).isEmpty)
    let cards = try bench.take(3).last?.snapshot(IdentifiedArrayOf<Deck.Card>.self)
    #expect(cards?[id: 1]?.title == "new")
  }

  @Test("§9: a joiner during a capture receives that capture, and then the changes since")
  func late() throws {
    let bench = ServerBench()
    bench.holdsJobs = true
    let hello = try bench.hello(1, features: .snapshotThenReplay)
    let first = try bench.join(1, hello, nonce: 1, [.follow("cards")])
    bench.root.send(.cards(.element(id: 1, action: .titleChanged(title: "new"))))
    let other = try bench.hello(2, features: .snapshotThenReplay)
    let second = try bench.join(2, other, nonce: 1, [.follow("cards")])
    // The only job for the second joiner is the change since the captured version.
    #expect(bench.jobs.flatMap(\.works).map { $0.old?.revision } == [nil, 0])
    #expect(bench.server.counters.captures == 2)
    try bench.advance(by: .milliseconds(300))
    #expect(bench.take(1) == [.working(nonce: 1)])
    #expect(bench.take(2) == [.working(nonce: 1)], "Two waits get one message")

    bench.finishJobs()
    try bench.settle()
    let one = bench.take(1)
    let state = try one.last?.snapshot(IdentifiedArrayOf<Deck.Card>.self)
    #expect(one.count == 1 && state?[id: 1]?.title == "one")
    guard case .deltas(let run)? = bench.take(first.topic).first else {
      Issue.record("The change was not published")
      return
    }
    #expect(run.steps.map(\.revision) == [1])
    try expectBoth(bench.take(2), from: first.echo.revision, to: second.echo.revision, bench)
    #expect(bench.server.counters.snapshots == 2)
    #expect(bench.server.counters.replays == 1)
  }

  /// Expects the snapshot of one revision, and the changes from it to the newest one.
  private func expectBoth(
    _ messages: [DaemonMessage],
    from old: UInt64,
    to new: UInt64,
    _ bench: ServerBench,
  ) throws {
    guard messages.count == 2, case .snapshot(let piece) = messages[0],
      case .replay(let replay) = messages[1]
    else {
      Issue.record("It got \(messages)")
      return
    }
    #expect(old < new && piece.revision == old && replay.revision == new)
    let captured = try messages[0].snapshot(IdentifiedArrayOf<Deck.Card>.self)
    #expect(captured?[id: 1]?.title == "one")
    let delta = try #require(replay.delta)
    let reached = try captured.applying(delta: delta)
    #expect(reached == bench.root.state.cards)
  }

  @Test("§9: all joiners that wait for a capture are notified every 300 ms, until it is complete")
  func working() throws {
    let bench = ServerBench()
    bench.holdsJobs = true
    for peer in UInt8(1)...2 {
      let hello = try bench.hello(peer, features: .snapshotThenReplay)
      try bench.join(peer, hello, nonce: UInt64(peer), [.follow("cards")])
    }
    // A client without this feature is not notified.
    try bench.join(3, try bench.hello(3), nonce: 1, [.follow("cards")])
    #expect(bench.server.counters.captures == 1)
    #expect(bench.server.timing.working == .milliseconds(300))
    for _ in 0..<4 {
      try bench.advance(by: .milliseconds(299))
      for peer in UInt8(1)...3 { #expect(bench.take(peer) == []) }
      try bench.advance(by: .milliseconds(1))
      for peer in UInt8(1)...2 { #expect(bench.take(peer) == [.working(nonce: UInt64(peer))]) }
      #expect(bench.take(3) == [])
    }
    bench.finishJobs()
    try bench.settle()
    for peer in UInt8(1)...3 {
      let cards = try bench.take(peer).last?.snapshot(IdentifiedArrayOf<Deck.Card>.self)
      #expect(cards == bench.root.state.cards)
    }
    for _ in 0..<4 { try bench.advance(by: .milliseconds(300)) }
    for peer in UInt8(1)...3 { #expect(bench.take(peer) == []) }
    #expect(bench.server.counters.captures == 1)
  }

  @Test("§9: a client waits for a capture while it is in progress, and does not ask again")
  func patience() throws {
    let bench = ServerBench()
    bench.holdsJobs = true
    try bench.join(1, try bench.hello(1), nonce: 1, [.follow("cards")])
    try bench.send(.cards(.element(id: 1, action: .titleChanged(title: "new"))))
    let wire = try BenchClient(bench)
    let (_, replica) = try wire.follow("cards", IdentifiedArrayOf<Deck.Card>.self)
    for _ in 0..<50 { try bench.advance(by: .milliseconds(100)) }
    #expect(replica.shown == nil)
    bench.holdsJobs = false
    try bench.settle()
    #expect(replica.shown == bench.root.state.cards)
    #expect(wire.joins.count == 1)
    #expect(wire.client.resyncs == 0 && wire.reconnects == 0)
    #expect(bench.server.counters.captures == 2)
  }

  @Test("A capture whose session has ended is not sent")
  func gone() throws {
    let bench = ServerBench()
    bench.holdsJobs = true
    try bench.join(1, try bench.hello(1), nonce: 1, [.follow("cards")])
    bench.receive(.bye, from: 1)
    try bench.endTurn()
    _ = bench.take(1)
    bench.finishJobs()
    try bench.settle()
    #expect(bench.take(1).isEmpty)
    #expect(bench.server.counters.snapshots == 0)
  }

  @Test("A later join of the same session gets its own capture, not the earlier one's")
  func superseded() throws {
    let bench = ServerBench()
    bench.holdsJobs = true
    let hello = try bench.hello(1)
    try bench.join(1, hello, nonce: 1, [.follow("cards")])
    try bench.join(1, hello, nonce: 2, [.follow("counter")])
    bench.finishJobs()
    try bench.settle()
    let pieces = bench.take(1).compactMap { message -> DaemonMessage.SnapshotPiece? in
      if case .snapshot(let piece) = message { piece } else { nil }
    }
    #expect(pieces.map(\.nonce) == [2])
  }

  @Test("A digest that a capture computed is not computed again")
  func digest() throws {
    let bench = ServerBench()
    let joined = try bench.join(1, try bench.hello(1), nonce: 1, [.follow("cards")])
    try bench.advance(by: .milliseconds(300))
    guard case .bookmark(let bookmark)? = bench.take(joined.topic).last else {
      Issue.record("No bookmark")
      return
    }
    let cards: IdentifiedArrayOf<Deck.Card>? = bench.root.state.cards
    #expect(bookmark.digests == [cards._$digest])
    #expect(bench.probe.digests == 0)
    bench.root.send(.cards(.element(id: 1, action: .titleChanged(title: "new"))))
    try bench.endTurn()
    try bench.advance(by: .milliseconds(300))
    #expect(bench.probe.digests == 1)
  }

  @Test("A replay of many changes that exceeds a frame is encoded as a snapshot")
  func largeReplay() throws {
    var limits = Limits()
    limits.frameBytes = 2048
    let bench = ServerBench(limits: limits)
    let hello = try bench.hello(1)
    bench.root.send(.counter(.filled(bytes: 10_000)))
    let position = ClientMessage.Position(epoch: 7, revision: 0)
    let joined = try bench.join(1, hello, nonce: 1, [.follow("counter", position: position)])
    #expect(bench.server.counters.replays == 0)
    let text = try joined.captures.first?.snapshot(Deck.Counter.self)?.numberFactAlert
    #expect(text?.count == 10_000)
  }
}

/// Limits of the snapshot bytes in flight.
@MainActor
@Suite struct HandOutTests {
  private func bench(_ limits: Limits = Limits(), rows: Int) -> ServerBench {
    var state = Deck.State()
    state.cards = IdentifiedArray(
      uniqueElements: (0..<rows).map { Deck.Card(id: $0, title: "card \($0)") }
    )
    return ServerBench(limits: limits, state: state)
  }

  private func snapshotBytes(_ frame: OutgoingFrame) -> (peer: PeerID, bytes: ArraySlice<UInt8>)? {
    guard case .control(let peer, let bytes) = frame,
      case .snapshot(let piece)? = try? DaemonMessage(frame: bytes[...])
    else { return nil }
    return (peer, piece.bytes)
  }

  @Test("A hundred joiners share one capture, each at its own pace, within a limit per turn")
  func manyJoiners() throws {
    var limits = Limits()
    limits.chunkBytes = 1_000
    limits.creditBytes = 8_000
    limits.pieceBytesPerTurn = 20_000
    let bench = bench(limits, rows: 1_000)
    bench.holdsJobs = true
    for peer in UInt8(1)...100 {
      try bench.join(peer, try bench.hello(peer), nonce: 1, [.follow("cards")])
    }
    #expect(bench.server.counters.captures == 1)
    for job in bench.jobs { bench.turn.finish(job.run()) }
    bench.jobs = []
    let expected = Optional(bench.root.state.cards).encoded()
    var taken: [PeerID: [UInt8]] = [:]
    var turns = 0
    while taken.values.contains(where: { $0.count < expected.count }) || taken.isEmpty {
      turns += 1
      try #require(turns < 10_000)
      bench.turn.end()
      let pieces = bench.takeFrames().compactMap { snapshotBytes($0) }
      // No turn sends more because many joiners wait.
      #expect(pieces.reduce(0) { $0 + $1.bytes.count } < 20_000 + 1_000)
      #expect(pieces.allSatisfy { $0.bytes.count <= 1_000 })
      for (peer, bytes) in pieces { taken[peer, default: []] += bytes }
      #expect(taken.values.allSatisfy { $0.count <= 8_000 * turns })
      let credit = Dictionary(pieces.map { ($0.peer, $0.bytes.count) }, uniquingKeysWith: +)
      for (peer, bytes) in credit {
        bench.receive(.credit(nonce: 1, bytes: UInt64(bytes)), from: peer.bytes[1])
      }
    }
    #expect(taken.count == 100)
    #expect(taken.values.allSatisfy { $0 == expected })
    #expect(bench.server.counters.captures == 1)
  }

  @Test("A joiner without credit receives no more than its credit, for any length of time")
  func noCredit() throws {
    var limits = Limits()
    limits.chunkBytes = 1_000
    limits.creditBytes = 4_000
    let bench = bench(limits, rows: 1_000)
    bench.holdsJobs = true
    try bench.join(1, try bench.hello(1), nonce: 1, [.follow("cards")])
    bench.finishJobs()
    var sent = 0
    for _ in 0..<100 {
      bench.turn.end()
      sent += bench.takeFrames().compactMap { snapshotBytes($0)?.bytes.count }
        .reduce(0, +)
    }
    #expect(sent >= 4_000 && sent < 5_000)
  }

  @Test("A daemon holds at most 1.5 MiB for a joiner, besides the capture that joiners share")
  func memoryOfJoins() throws {
    let limits = Limits()
    let bench = ServerBench()
    bench.root.send(.counter(.filled(bytes: 4 << 20)))
    bench.holdsJobs = true
    let peers = UInt8(1)...3
    for peer in peers {
      try bench.join(peer, try bench.hello(peer), nonce: 1, [.follow("counter")])
    }
    // No joiner reads its messages, and thus no joiner gives credit.
    bench.full = Set(peers.map { ServerBench.peer($0) })
    bench.finishJobs()
    for _ in 0..<100 { try bench.advance(by: .milliseconds(10)) }
    #expect(bench.takeFrames().compactMap { snapshotBytes($0) }.isEmpty)
    #expect(bench.server.counters.blockedPeers == 0)
    // The held bytes are sent when each peer reads.
    bench.full = []
    try bench.advance(by: .milliseconds(10))
    var held: [PeerID: Int] = [:]
    var states: [PeerID: Int] = [:]
    for frame in bench.takeFrames() {
      guard case .control(let peer, let bytes) = frame else { continue }
      held[peer, default: 0] += bytes.count
      states[peer, default: 0] += snapshotBytes(frame)?.bytes.count ?? 0
    }
    #expect(held.count == 3 && held.values.allSatisfy { $0 <= 3 << 19 })
    // The credit, plus at most the piece that exceeds it.
    let most = limits.creditBytes + limits.chunkBytes
    #expect(states.values.allSatisfy { $0 >= limits.creditBytes && $0 < most })
    #expect(bench.server.counters.captures == 1)
  }

  @Test("A capture is encoded into pieces, which are cut into few short chunks")
  func chunks() throws {
    var limits = Limits()
    limits.chunkBytes = 1_000
    let bench = bench(limits, rows: 5_000)
    bench.holdsJobs = true
    try bench.join(1, try bench.hello(1), nonce: 1, [.follow("cards")])
    let expected = Optional(bench.root.state.cards).encoded()
    let result = try #require(bench.jobs.first).run()
    guard case .snapshot(let snapshot)? = result.made.first?.content else {
      Issue.record("No snapshot")
      return
    }
    #expect(Array(snapshot.pieces.joined()) == expected)
    #expect(snapshot.pieces.allSatisfy { $0.count <= 8_000 })
    bench.finishJobs()
    try bench.settle()
    let messages = bench.take(1).count
    #expect(messages <= expected.count / 1_000 * 105 / 100 + 1)
  }
}

/// The weight of versions that deltas do not show.
@MainActor
@Suite struct VersionWeightTests {
  private func bench() -> ServerBench {
    var limits = Limits()
    limits.versionBytes = 1 << 20
    return ServerBench(limits: limits)
  }

  @Test("A spliced text weighs its whole size, since each version has its own copy")
  func spliced() throws {
    let bench = bench()
    let hello = try bench.hello(1)
    try bench.join(1, hello, nonce: 1, [.follow("counter")])
    for step in 0..<200 { bench.root.send(.counter(.filled(bytes: 20_000 + step))) }
    #expect(bench.server.counters.deltaBytes < 40_000)
    // 1 MiB is the room of 52 such texts.
    #expect((147...150).contains(bench.port.versions.oldestRevision))
  }

  @Test("Changes in scopes without followers are weighed from time to time, for all")
  func unfollowed() {
    let bench = bench()
    for step in 0..<200 { bench.root.send(.counter(.filled(bytes: 20_000 + step))) }
    #expect(bench.port.versions.oldestRevision >= 122)
    for _ in 0..<200 { bench.root.send(.counter(.incrementButtonTapped)) }
    #expect(bench.port.versions[300] != nil)
  }
}

/// The versions that a ring keeps.
@Suite struct VersionRingTests {
  @Test("The newest versions are kept, up to their number")
  func count() {
    let ring = VersionRing<String>(limit: 3, bytes: 1 << 20, revision: 5)
    for revision in UInt64(5)...8 { ring.append("\(revision)", revision: revision, changed: 0) }
    // The newest of the three, 9, is not in the ring yet: the root holds it.
    #expect((4...10).map { ring[UInt64($0)] } == [nil, nil, nil, "7", "8", nil, nil])
    #expect(ring.newestRevision == 9)
  }

  @Test("Large steps displace old versions before the count limit does")
  func bytes() {
    let ring = VersionRing<Int>(limit: 100, bytes: 10_000, revision: 0)
    for revision in UInt64(0)...19 {
      ring.append(Int(revision), revision: revision, changed: 4000)
    }
    #expect(ring.oldestRevision == 18)
    #expect(ring[18] == 18)
    #expect(ring[17] == nil)
  }

  @Test("A step without a change weighs as much as its own record")
  func leastWeight() {
    let ring = VersionRing<Int>(limit: 100, bytes: 10 * 512, revision: 0)
    for revision in UInt64(0)...19 { ring.append(0, revision: revision, changed: 0) }
    #expect(ring.oldestRevision == 10)
  }

  @Test("The newest version is kept, regardless of the size of its step")
  func newest() {
    let ring = VersionRing<Int>(limit: 100, bytes: 1000, revision: 0)
    ring.append(0, revision: 0, changed: 1 << 30)
    #expect(ring.newestRevision == 1)
    #expect(ring[0] == nil)
    ring.append(1, revision: 1, changed: 1)
    #expect(ring[1] == 1)
  }

  @Test("A ring of one version keeps only the newest")
  func one() {
    let ring = VersionRing<Int>(limit: 1, bytes: 1000, revision: 0)
    ring.append(0, revision: 0, changed: 1)
    #expect(ring[0] == nil)
    #expect(ring.oldestRevision == 1)
    #expect(ring.newestRevision == 1)
  }

  @Test("Every version is released once: removed versions, and those that remain at the end")
  func letsGo() {
    weak var first: Counted?
    weak var last: Counted?
    do {
      let ring = VersionRing<Counted>(limit: 3, bytes: 1 << 20, revision: 0)
      for revision in UInt64(0)...5 {
        let version = Counted()
        if revision == 0 { first = version }
        last = version
        ring.append(version, revision: revision, changed: 0)
      }
      #expect(first == nil)
      #expect(last != nil)
    }
    #expect(last == nil)
  }

  private func append(_ revisions: Range<UInt64>, to ring: VersionRing<Int>, changed: Int = 0) {
    for revision in revisions { ring.append(Int(revision), revision: revision, changed: changed) }
  }

  @Test("After a restart only the bytes limit them, until they are let go of in parts")
  func held() {
    let ring = VersionRing<Int>(limit: 4, bytes: 1 << 20, revision: 0)
    ring.hold()
    append(0..<100, to: ring)
    #expect(ring.oldestRevision == 0 && (0..<100).allSatisfy { ring[$0] == Int($0) })
    ring.letGo(atMost: 30)
    #expect(ring.oldestRevision == 30)
    append(100..<110, to: ring)
    #expect(ring.oldestRevision == 30)
    for _ in 0..<3 { ring.letGo(atMost: 30) }
    #expect(ring.oldestRevision == 107)
    append(110..<120, to: ring)
    #expect(ring.oldestRevision == 117 && ring[117] == 117)
    // Without held versions it has no effect.
    ring.letGo(atMost: 1)
    #expect(ring.oldestRevision == 117)
  }

  @Test("Held versions with large changes are dropped by their bytes")
  func heavy() {
    let ring = VersionRing<Int>(limit: 4, bytes: 10_000, revision: 0)
    ring.hold()
    append(0..<100, to: ring, changed: 1_000)
    #expect(ring.newestRevision - ring.oldestRevision == 10)
  }

  @Test("Versions that are not durable are kept in any case")
  func needed() {
    let ring = VersionRing<Int>(limit: 4, bytes: 10_000, revision: 0)
    ring.hold()
    ring.keep(from: 0)
    append(0..<100, to: ring, changed: 1_000)
    #expect(ring.oldestRevision == 0)
    ring.keep(from: 100)
    #expect(ring.newestRevision - ring.oldestRevision == 10)
  }
}

private final class Counted {}
