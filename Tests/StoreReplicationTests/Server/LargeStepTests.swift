import StoreActor
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreProtocol
@testable import StoreReplica
@testable import StoreServer

/// Revisions that are too large to publish: docs/PROTOCOL.md §9, §13.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct LargeStepTests {
  private static let limit = Limits().messageBytes

  private func published(_ bench: Bench) -> [[UInt8]] {
    bench.takeFrames().compactMap { if case .publish(_, let body) = $0 { body } else { nil } }
  }

  private func messages(_ bodies: [[UInt8]]) throws -> [PublishedMessage] {
    try bodies.map { try PublishedMessage(frame: $0[...]) }
  }

  // MARK: The daemon

  @Test("§13: a step that is too large for a message is published as a marker, in order")
  func marker() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    try bench.join(1, hello, nonce: 1, [.follow("counter")])
    _ = bench.takeFrames()
    bench.root.send(.counter(.incrementButtonTapped))
    bench.root.send(.counter(.filled(bytes: 2 * Self.limit)))
    bench.root.send(.counter(.incrementButtonTapped))
    try bench.endTurn()
    let messages = try messages(published(bench))
    let marker = PublishedMessage.marker(PublishedMessage.Marker(sequence: 2, revision: 2))
    try #require(messages.count == 3)
    #expect(messages[1] == marker)
    guard case .deltas(let before) = messages[0], case .deltas(let after) = messages[2] else {
      Issue.record("\(messages)")
      return
    }
    #expect(before.sequence == 1 && before.steps.map(\.revision) == [1])
    #expect(after.sequence == 3 && after.steps.map(\.revision) == [3])
    #expect(bench.server.counters.markers == 1)
  }

  @Test("§13: a step is published if it fits in a message, to the byte")
  func boundary() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    try bench.join(1, hello, nonce: 1, [.follow("counter")])
    var largest = 0
    for bytes in (Self.limit - 100)...Self.limit {
      bench.root.send(.counter(.filled(bytes: 0)))
      try bench.endTurn()
      _ = bench.takeFrames()
      let before = bench.server.counters.markers
      bench.root.send(.counter(.filled(bytes: bytes)))
      try bench.endTurn()
      let size = published(bench).map(\.count).max() ?? 0
      #expect(size <= Self.limit)
      if bench.server.counters.markers == before { largest = max(largest, size) }
    }
    #expect(bench.server.counters.markers > 0)
    #expect(largest > Self.limit - 64)
  }

  @Test("§13: steps that do not fit in one message are several messages, without a loss")
  func several() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    try bench.join(1, hello, nonce: 1, [.follow("counter"), .follow("extra")])
    _ = bench.takeFrames()
    for _ in 0..<4 {
      // In both scopes, each of which is a part of the step.
      bench.root.send(.counter(.filled(bytes: Self.limit / 3)))
      bench.root.send(.counter(.extraToggled))
      bench.root.send(.counter(.filled(bytes: 0)))
    }
    try bench.endTurn()
    let bodies = published(bench)
    #expect(bodies.allSatisfy { $0.count <= Self.limit })
    var revisions: [UInt64] = []
    var sequence: UInt64 = 1
    for message in try messages(bodies) {
      guard case .deltas(let run) = message else {
        Issue.record("\(message)")
        continue
      }
      #expect(run.sequence == sequence)
      sequence += UInt64(run.count)
      revisions += run.steps.map(\.revision)
    }
    #expect(bodies.count >= 2)
    #expect(revisions == Array(1...12))
  }

  @Test("§9: replays also wait for credit")
  func credit() throws {
    var limits = Limits()
    limits.creditBytes = 1_000
    let bench = ServerBench(limits: limits)
    let hello = try bench.hello(1)
    try bench.join(1, hello, nonce: 1, [.follow("counter"), .follow("cards/row/1")])
    bench.receive(.credit(nonce: 1, bytes: 1_000), from: 1)
    try bench.endTurn()
    _ = bench.take(1)
    bench.root.send(.counter(.filled(bytes: 2_000)))
    let title = String(repeating: "x", count: 2_000)
    bench.root.send(.cards(.element(id: 1, action: .titleChanged(title: title))))
    try bench.endTurn()
    let position = ClientMessage.Position(epoch: 7, revision: 0)
    let joined = try bench.join(
      1,
      hello,
      nonce: 2,
      [
        .follow("counter", position: position), .follow("cards/row/1", position: position),
      ],
    )
    func replays(_ messages: [DaemonMessage]) -> [Int] {
      messages.compactMap { if case .replay(let replay) = $0 { replay.delta?.count } else { nil } }
    }
    let first = replays(joined.captures)
    #expect(first.count == 1)
    try bench.advance(by: .milliseconds(1))
    #expect(replays(bench.take(1)).isEmpty)
    bench.receive(.credit(nonce: 2, bytes: UInt64(first.first ?? 0)), from: 1)
    try bench.endTurn()
    #expect(replays(bench.take(1)).count == 1)
  }

  // MARK: Clients

  @Test("§9: both replicas reach an unpublished state, without a report of a loss")
  func replicas() throws {
    let bench = ServerBench()
    let wire = try BenchClient(bench)
    let (scope, typed) = try wire.follow("counter", Deck.Counter.self)
    let generic = try wire.watch("counter", Deck.exposures.map(\.description))
    // The third text derives from the previous one by a splice.
    for bytes in [10, 2 * Self.limit, Self.limit, 0, 30 * Self.limit] {
      let ticket = try wire.send(Deck.CounterAction.filled(bytes: bytes), to: scope)
      #expect(typed.shown == bench.root.state.counter)
      #expect(typed.shown?.numberFactAlert?.utf8.count == bytes)
      #expect(generic.replica.digest == typed.digest)
      #expect(ticket.outcome == .applied(revision: bench.root.revision, hasEffects: false))
    }
    #expect(bench.server.counters.markers == 2)
    #expect(wire.client.resyncs == 0)
    #expect(wire.resynchronizations == [])
    // Deltas continue afterward.
    let joins = wire.joins.count
    try wire.send(Deck.CounterAction.incrementButtonTapped, to: scope)
    #expect(typed.shown?.count == 1)
    #expect(wire.joins.count == joins)
    // The bookmark agrees.
    try wire.advance(by: .seconds(1))
    #expect(wire.client.resyncs == 0)
  }

  @Test("§9: a change that fits in a frame is sent as one, a larger one as a snapshot in pieces")
  func forms() throws {
    let bench = ServerBench()
    let wire = try BenchClient(bench)
    _ = try wire.follow("counter", Deck.Counter.self)
    let snapshots = bench.server.counters.snapshots
    try bench.send(.counter(.filled(bytes: 2 * Self.limit)))
    #expect(bench.server.counters.replays == 1)
    #expect(bench.server.counters.snapshots == snapshots)
    try bench.send(.counter(.filled(bytes: 3 << 20)))
    #expect(bench.server.counters.replays == 1)
    #expect(bench.server.counters.snapshots == snapshots + 1)
  }

  @Test("§8: an action is settled only when the state includes its unpublished change")
  func readYourWrites() throws {
    let bench = ServerBench()
    let wire = try BenchClient(bench)
    let (scope, replica) = try wire.follow("counter", Deck.Counter.self)
    bench.holdsJobs = true
    let ticket = try wire.send(Deck.CounterAction.filled(bytes: 2 * Self.limit), to: scope)
    #expect(ticket.outcome == nil)
    #expect(replica.shown == Deck.Counter())
    bench.holdsJobs = false
    try bench.settle()
    #expect(ticket.outcome == .applied(revision: 1, hasEffects: false))
    #expect(replica.shown == bench.root.state.counter)
  }

  @Test("§9: a marker during the join of another scope causes a join of both, from each position")
  func whileJoining() throws {
    let bench = ServerBench()
    let wire = try BenchClient(bench)
    let (_, counter) = try wire.follow("counter", Deck.Counter.self)
    wire.published.isHeld = true
    bench.holdsJobs = true
    // The join, its fence and its echo follow the marker.
    try bench.send(.counter(.filled(bytes: 2 * Self.limit)))
    let (_, cards) = try wire.follow("cards", IdentifiedArrayOf<Deck.Card>.self)
    wire.published.isHeld = false
    bench.holdsJobs = false
    try bench.settle()
    #expect(counter.shown == bench.root.state.counter)
    #expect(cards.shown == bench.root.state.cards)
    #expect(wire.client.resyncs == 0)
    #expect(
      wire.joins.last?.map(\.position?.revision) == [0, 1],
      "the kept scope continues at its revision, and the other one at the echo",
    )
  }

  @Test("§9: a marker after the echo waits for the captures, and then causes another join")
  func behindEcho() throws {
    let bench = ServerBench()
    let wire = try BenchClient(bench)
    bench.holdsJobs = true
    let (_, replica) = try wire.follow("counter", Deck.Counter.self)
    try bench.send(.counter(.incrementButtonTapped), .counter(.filled(bytes: 2 * Self.limit)))
    #expect(replica.shown == nil)
    bench.holdsJobs = false
    try bench.settle()
    #expect(replica.shown == bench.root.state.counter)
    #expect(wire.joins.last?.first?.position?.revision == 1)
    #expect(wire.client.resyncs == 0)
  }

  @Test("§9: a marker that follows a gap shows the loss")
  func afterLoss() throws {
    let bench = ServerBench()
    let wire = try BenchClient(bench)
    let (_, replica) = try wire.follow("counter", Deck.Counter.self)
    wire.published.isHeld = true
    try bench.send(.counter(.incrementButtonTapped))
    try bench.send(.counter(.filled(bytes: 2 * Self.limit)))
    wire.published.lose(1)
    wire.published.isHeld = false
    try bench.settle()
    #expect(wire.client.resyncs == 1)
    #expect(replica.shown == bench.root.state.counter)
  }

  @Test("§8: outputs of an unpublished step follow it, each once")
  func outputs() throws {
    let yard = BenchOf<Yard.State, Yard.Action>()
    let wire = try BenchClient(yard)
    let bell = try wire.watch("bell", Yard.exposures.map(\.description))
    try yard.send(
      .bell(.rung),
      .bell(.recast(bytes: 2 * Self.limit)),
      .bell(.touched),
    )
    try yard.send(.bell(.rung))
    #expect(bell.sounds == ["bell 1", "recast", "bell 1", "bell 2"])
    #expect(
      bell.log.dropFirst(2) == [
        "delta 1", "shown 1", "delta 3", "shown 3", "output 1", "output 2", "output 3", "delta 4",
        "shown 4", "output 4",
      ]
    )
    #expect(wire.client.resyncs == 0)
  }

  @Test("§13: outputs that exceed a message are divided, and a single larger output is omitted")
  func largeOutputs() throws {
    let yard = BenchOf<Yard.State, Yard.Action>()
    let wire = try BenchClient(yard)
    let bell = try wire.watch("bell", Yard.exposures.map(\.description))
    var sizes: [Int] = []
    wire.published.alter = { published in
      sizes.append(published.body?.count ?? 0)
      return published
    }
    let half = Self.limit / 2
    try yard.send(
      .bell(.shouted(bytes: half)),
      .bell(.shouted(bytes: Self.limit)),
      .bell(.shouted(bytes: half + 1)),
    )
    #expect(bell.sounds.map { $0?.utf8.count } == [half, half + 1])
    #expect(sizes.allSatisfy { $0 <= Self.limit })
    #expect(yard.server.counters.outputsTooLarge == 1)
  }
}
