import StoreActor
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreProtocol
@testable import StoreReplica
@testable import StoreServer

/// Joining at the daemon: docs/PROTOCOL.md §9.
@MainActor
@Suite struct ServerJoinTests {
  @Test("§9: a join is answered with the view's topic, its fence with an echo and a capture")
  func join() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    let joined = try bench.join(1, hello, nonce: 1, [.follow("counter")])
    #expect(joined.topic.kind == .view)
    #expect(joined.answers == [.accepted(handle: 1)])
    #expect(joined.echo.nonce == 1)
    #expect(joined.echo.revision == 0)
    #expect(joined.echo.sequence == 0)
    #expect(joined.captures.count == 1)
    #expect(try joined.captures.first?.snapshot(Deck.Counter.self) == Deck.Counter())
  }

  @Test("§8: an absent scope is captured as absent")
  func absent() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    let joined = try bench.join(
      1,
      hello,
      nonce: 1,
      [.follow("extra"), .follow("cards/row/1"), .follow("cards/row/9")],
    )
    #expect(joined.answers.count == 3)
    #expect(try joined.captures[0].snapshot(Deck.Extra.self) == nil)
    #expect(try joined.captures[1].snapshot(Deck.Card.self)?.title == "one")
    #expect(try joined.captures[2].snapshot(Deck.Card.self) == nil)
  }

  @Test("§9: an unknown scope is refused with the nearest names, the others are joined")
  func unknownScope() throws {
    let bench = ServerBench()
    try bench.hello(1)
    let (topic, answers) = try bench.ask(1, nonce: 1, [.follow("countr"), .follow("counter")])
    #expect(topic != nil)
    guard case .refused(let failure) = answers[0], failure.code == "unknownScope" else {
      Issue.record("Not refused")
      return
    }
    #expect(failure.details.first == "counter")
    #expect(answers[1] == .accepted(handle: 1))
  }

  @Test("§8.1: a present row has one name, even if several equal ids differ in bytes")
  func namesOfOneRow() throws {
    let bench = BenchOf<Aviary.State, Aviary.Action>(
      RootCore(initialState: { Aviary.State() }, reducer: { Aviary() }),
      exposures: [Expose(each: "birds", state: \.birds, action: \.birds)],
      epoch: 1,
    )
    let wire = try BenchClient(bench)
    let names = ["birds/\u{e9}", "birds/e\u{301}"]
    let copies = try names.map { try wire.follow($0, Aviary.Bird.self) }
    #expect(copies.map(\.scope.handle) == [1, 1])
    bench.root.send(.birds(.element(id: "e\u{301}", action: .titleChanged(title: "song"))))
    try wire.settle()
    #expect(copies.map { $0.replica.shown?.song } == ["song", "song"])
    // An absent row has each of its names.
    let absent = try ["birds/\u{f6}", "birds/o\u{308}"].map {
      try wire.follow($0, Aviary.Bird.self)
    }
    #expect(Set(absent.map(\.scope.handle)).count == 2)
    for _ in 0..<8 { try wire.advance(by: .milliseconds(250)) }
    #expect(wire.resynchronizations == [])
    #expect(wire.joins.count <= 4)
  }

  /// Rows whose ids are texts.
  private struct Aviary: Reducer {
    struct Bird: ReplicatedRecord, Equatable, Identifiable {
      var id = "\u{e9}"
      var song = ""

      static let layout = RecordLayout<Self>(
        "Bird",
        [.field("id", \.id), .field("song", \.song)],
      )
    }

    struct State: Sendable {
      var birds: IdentifiedArrayOf<Bird> = [Bird()]
    }

    enum Action: CasePathable, Sendable {
      case birds(IdentifiedAction<String, Deck.CardAction>)

      struct AllCasePaths: Sendable {
        var birds: AnyCasePath<Action, IdentifiedAction<String, Deck.CardAction>> {
          AnyCasePath(
            embed: { .birds($0) },
            extract: { action in if case .birds(let action) = action { action } else { nil } },
          )
        }
      }

      static var allCasePaths: AllCasePaths { AllCasePaths() }
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        if case .birds(.element(let id, .titleChanged(let song))) = action {
          state.birds[id: id]?.song = song
        }
        return .none
      }
    }
  }

  @Test("§8.1: a row's scope with an invalid id is refused")
  func badRow() throws {
    let bench = ServerBench()
    try bench.hello(1)
    let (topic, answers) = try bench.ask(1, nonce: 1, [.follow("cards/row/first")])
    #expect(topic == nil)
    guard case .refused(let failure) = answers[0], failure.code == "unknownScope" else {
      Issue.record("Not refused")
      return
    }
    #expect(failure.message.contains("cards/row/first"))
  }

  @Test("§9: a client with other types is refused")
  func schemaMismatch() throws {
    let bench = ServerBench()
    try bench.hello(1)
    let right = SchemaRegistry.document(for: Deck.Counter.self).hash
    let wrong = SchemaRegistry.document(for: Deck.Card.self).hash
    func request(_ hash: Digest, _ scope: String) -> ClientMessage.JoinRequest {
      ClientMessage.JoinRequest(
        scope: scope,
        mode: .follow,
        stateHash: hash,
        actionHash: nil,
        position: nil,
      )
    }
    let (_, answers) = try bench.ask(
      1,
      nonce: 1,
      [request(right, "counter"), request(wrong, "counter")],
    )
    #expect(answers[0] == .accepted(handle: 1))
    guard case .refused(let failure) = answers[1], failure.code == "schemaMismatch" else {
      Issue.record("Not refused")
      return
    }
  }

  @Test("§13: scopes beyond the limit are refused, the others joined")
  func tooManyScopes() throws {
    var limits = Limits()
    limits.scopesPerSession = 1
    let bench = ServerBench(limits: limits)
    try bench.hello(1)
    let (topic, answers) = try bench.ask(1, nonce: 1, [.follow("counter"), .follow("cards")])
    #expect(topic != nil)
    guard case .refused(let failure) = answers[1], failure.code == "tooManyScopes" else {
      Issue.record("Not refused")
      return
    }
  }

  @Test("§9: the fence captures at exactly its revision, after the pending deltas")
  func fenceRevision() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    let first = try bench.join(1, hello, nonce: 1, [.follow("counter")])
    let second = try bench.hello(2)
    _ = try bench.ask(2, nonce: 1, [.follow("counter")])
    // Reduced in the turn of the fence, and not published yet.
    let action = try Deck.CounterAction.incrementButtonTapped.encoded()[...]
    let request = ClientMessage.ActionRequest(handle: 1, action: action, deadline: nil)
    bench.receive(.actions(first: 1, [request, request]), from: 1)
    bench.receive(upstream: Fence(token: second.token, nonce: 1).encoded())
    bench.receive(.actions(first: 3, [request]), from: 1)
    _ = bench.takeOrder()
    try bench.endTurn()
    #expect(bench.takeOrder() == ["deltas", "echo", "deltas", "acks", "snapshot"])
    guard case .echo(let echo)? = bench.take(second.privateTopic).first else {
      Issue.record("No echo")
      return
    }
    #expect(echo.revision == 2)
    #expect(echo.sequence == 2)
    let captured = try #require(try bench.take(2).first?.snapshot(Deck.Counter.self))
    #expect(captured.count == 2)
    #expect(bench.take(first.topic).count == 2)
  }

  @Test("§6: clients that follow the same scopes share a view, in any order of requests")
  func sharedView() throws {
    let bench = ServerBench()
    let one = try bench.hello(1)
    let two = try bench.hello(2)
    let three = try bench.hello(3)
    let first = try bench.join(1, one, nonce: 1, [.follow("counter"), .follow("cards")])
    let second = try bench.join(2, two, nonce: 1, [.follow("cards"), .follow("counter")])
    let third = try bench.join(3, three, nonce: 1, [.follow("counter")])
    #expect(first.topic == second.topic)
    #expect(first.topic != third.topic)
  }

  @Test("§6: a view without followers returns under another topic")
  func freshTopic() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    let first = try bench.join(1, hello, nonce: 1, [.follow("counter")])
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    try bench.join(1, hello, nonce: 2, [.follow("cards")])
    let third = try bench.join(1, hello, nonce: 3, [.follow("counter")])
    #expect(third.topic != first.topic)
    #expect(third.echo.sequence == 0)
  }

  @Test("§9: a fence of an unknown nonce or token is counted and ignored")
  func strayFences() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    _ = try bench.ask(1, nonce: 1, [.follow("counter")])
    bench.receive(upstream: Fence(token: hello.token, nonce: 2).encoded())
    bench.receive(upstream: Fence(token: ServerBench.clientID(9), nonce: 1).encoded())
    try bench.endTurn()
    #expect(!bench.hasPublished)
    #expect(bench.take(1).isEmpty)
    #expect(bench.server.counters.strayFences == 2)
    bench.receive(upstream: Fence(token: hello.token, nonce: 1).encoded())
    bench.receive(upstream: Fence(token: hello.token, nonce: 1).encoded())
    try bench.endTurn()
    #expect(bench.take(hello.privateTopic).count == 1)
    #expect(bench.server.counters.strayFences == 3)
  }

  @Test("§9: the fence of an older join leaves a newer one waiting for its own")
  func olderFence() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    _ = try bench.ask(1, nonce: 1, [.follow("counter")])
    _ = try bench.ask(1, nonce: 2, [.follow("counter"), .follow("cards")])
    bench.receive(upstream: Fence(token: hello.token, nonce: 1).encoded())
    bench.receive(upstream: Fence(token: hello.token, nonce: 2).encoded())
    try bench.endTurn()
    #expect(bench.take(hello.privateTopic).count == 2)
    #expect(bench.server.counters.strayFences == 0)
  }

  @Test("§7: a join whose nonce does not grow ends the session")
  func oldNonce() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    try bench.join(1, hello, nonce: 3, [.follow("counter")])
    bench.receive(.join(nonce: 3, []), from: 1)
    try bench.endTurn()
    guard case .goodbye(code: "protocolError", _)? = bench.take(1).first else {
      Issue.record("The session continues")
      return
    }
  }

  @Test("§9: a snapshot is sent in pieces, within the credit")
  func pieces() throws {
    var limits = Limits()
    limits.chunkBytes = 1_000
    limits.creditBytes = 3_000
    let bench = ServerBench(limits: limits)
    bench.root.send(.counter(.filled(bytes: 10_000)))
    let hello = try bench.hello(1)
    let joined = try bench.join(1, hello, nonce: 1, [.follow("counter")])
    var messages = joined.captures
    #expect(messages.count == 3)
    bench.receive(.credit(nonce: 99, bytes: 3_000), from: 1)
    try bench.endTurn()
    #expect(bench.take(1).isEmpty)
    var bytes: [UInt8] = []
    while !messages.isEmpty {
      for case .snapshot(let piece) in messages {
        #expect(piece.offset == UInt64(bytes.count))
        #expect(piece.revision == joined.echo.revision)
        bytes += piece.bytes
        bench.receive(.credit(nonce: 1, bytes: UInt64(piece.bytes.count)), from: 1)
      }
      try bench.endTurn()
      messages = bench.take(1)
    }
    #expect(try Deck.Counter?(encoded: bytes) == bench.root.state.counter)
  }

  @Test("§9: from a kept revision the changes are sent, or their absence")
  func replay() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    bench.root.send(.counter(.incrementButtonTapped))
    bench.root.send(.counter(.incrementButtonTapped))
    let position = ClientMessage.Position(epoch: 7, revision: 1)
    let joined = try bench.join(
      1,
      hello,
      nonce: 1,
      [.follow("counter", position: position), .follow("extra", position: position)],
    )
    guard case .replay(let counter) = joined.captures[0],
      case .replay(let extra) = joined.captures[1]
    else {
      Issue.record("No replays but \(joined.captures)")
      return
    }
    #expect(extra.delta == nil)
    #expect(counter.revision == 2)
    let old: Deck.Counter? = Deck.Counter(count: 1)
    #expect(try old.applying(delta: try #require(counter.delta))?.count == 2)
  }

  @Test("§9: the removal of a scope is a change, and not the absence of a change")
  func replayOfAbsence() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    bench.root.send(.counter(.extraToggled))
    bench.root.send(.counter(.extraToggled))
    let position = ClientMessage.Position(epoch: 7, revision: 1)
    let joined = try bench.join(1, hello, nonce: 1, [.follow("extra", position: position)])
    guard case .replay(let replay)? = joined.captures.first else {
      Issue.record("No replay")
      return
    }
    #expect(replay.delta == [0xf6])
  }

  @Test(
    "§9: a snapshot is sent if the revision is dropped, in the future, or of another epoch",
    arguments: [
      ClientMessage.Position(epoch: 7, revision: 0),
      ClientMessage.Position(epoch: 7, revision: 99),
      ClientMessage.Position(epoch: 8, revision: 5),
    ],
  )
  func snapshotInstead(_ position: ClientMessage.Position) throws {
    var limits = Limits()
    limits.versions = 3
    let bench = ServerBench(limits: limits)
    let hello = try bench.hello(1)
    for _ in 0..<5 { bench.root.send(.counter(.incrementButtonTapped)) }
    let joined = try bench.join(1, hello, nonce: 1, [.follow("counter", position: position)])
    #expect(try joined.captures.first?.snapshot(Deck.Counter.self)?.count == 5)
    let kept = ClientMessage.Position(epoch: 7, revision: 3)
    let again = try bench.join(1, hello, nonce: 2, [.follow("counter", position: kept)])
    guard case .replay? = again.captures.first else {
      Issue.record("Revision 3 of 3, 4, 5 is not kept")
      return
    }
  }

  @Test("§9: from a dropped revision an equal state is left as it is, and another one is replaced")
  func comparison() throws {
    var limits = Limits()
    limits.versions = 3
    let bench = ServerBench(limits: limits)
    let state: Deck.Counter? = bench.root.state.counter
    for _ in 0..<9 { bench.root.send(.secretChanged) }
    func join(_ peer: UInt8, _ revision: UInt64, _ digest: Digest?) throws -> Bench.Joined {
      let position = ClientMessage.Position(epoch: 7, revision: revision)
      let request = ClientMessage.JoinRequest.follow("counter", position: position, digest: digest)
      return try bench.join(peer, try bench.hello(peer), nonce: 1, [request])
    }
    let equal = state._$digest
    // Several clients share a comparison.
    for peer in 1...3 as ClosedRange<UInt8> {
      guard case .replay(let replay)? = try join(peer, 0, equal).captures.first else {
        Issue.record("No replay")
        continue
      }
      #expect(replay.delta == nil && replay.revision == 9)
    }
    #expect(bench.server.counters.snapshots == 0)
    let other = Digest(rawValue: equal.rawValue ^ 1)
    #expect(try join(4, 0, other).captures.first?.snapshot(Deck.Counter.self) == state)
    // A position that the daemon does not have is not trusted.
    #expect(try join(5, 99, equal).captures.first?.snapshot(Deck.Counter.self) == state)
    #expect(try join(6, 0, nil).captures.first?.snapshot(Deck.Counter.self) == state)
  }

  @Test("A comparison that fails is replaced by a snapshot of the same version")
  func failedComparison() throws {
    var limits = Limits()
    limits.versions = 3
    let bench = ServerBench(limits: limits)
    for _ in 0..<9 { bench.root.send(.counter(.incrementButtonTapped)) }
    let former: Deck.Counter? = Deck.Counter(count: 1)
    let joined = try bench.join(
      1,
      try bench.hello(1),
      nonce: 1,
      [
        .follow(
          "counter",
          position: ClientMessage.Position(epoch: 7, revision: 1),
          digest: former._$digest,
        )
      ],
    )
    #expect(try joined.captures.first?.snapshot(Deck.Counter.self)?.count == 9)
    bench.server.checkInvariants()
  }

  @Test("§8: a scope that is kept from the present view is not captured again")
  func kept() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    try bench.join(1, hello, nonce: 1, [.follow("counter")])
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    let joined = try bench.join(
      1,
      hello,
      nonce: 2,
      [.other("counter", .keep), .follow("cards")],
    )
    #expect(joined.captures.count == 1)
    #expect(joined.echo.previousSequence == 1)
    #expect(joined.echo.sequence == 0)
    #expect(joined.answers == [.accepted(handle: 1), .accepted(handle: 2)])
  }

  @Test("§8: a scope that should be kept and is not in the present view is captured")
  func keptWithoutView() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    let first = try bench.join(1, hello, nonce: 1, [.other("counter", .keep)])
    #expect(first.captures.count == 1)
    let second = try bench.join(1, hello, nonce: 2, [.other("cards", .keep)])
    #expect(second.captures.count == 1)
  }

  @Test("§8: a send-only scope is in no view; without followed scopes there is no topic")
  func sendOnly() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    try bench.join(1, hello, nonce: 1, [.follow("counter")])
    let (topic, answers) = try bench.ask(1, nonce: 2, [.other("counter", .sendOnly)])
    #expect(topic == nil)
    #expect(answers == [.accepted(handle: 1)])
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    #expect(!bench.hasPublished)
  }

  @Test("§9: a scope asked for twice is captured once")
  func twice() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    let joined = try bench.join(1, hello, nonce: 1, [.follow("counter"), .follow("counter")])
    #expect(joined.answers == [.accepted(handle: 1), .accepted(handle: 1)])
    #expect(joined.captures.count == 1)
  }
}
