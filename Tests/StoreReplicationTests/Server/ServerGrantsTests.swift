import GenericState
import StoreActor
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreReplica
@testable import StoreServer

/// The effects of grants at the daemon: docs/PROTOCOL.md §8, §9, §15.
@MainActor
@Suite struct ServerGrantsTests {
  private static let owner: UInt8 = 1
  private static let ann: UInt8 = 2
  private static let bob: UInt8 = 3
  private static let stranger: UInt8 = 4

  /// Peer 1 is the owner's, 2 is user 1000's, 3 is user 1001's, 4 is user 1002's.
  private func bench(_ lines: Grants.Line...) -> ServerBench {
    let bench = ServerBench()
    bench.turn.apply(Grants(owner: 999, lines: lines))
    for peer in [1, 2, 3, 4] as [UInt8] {
      let user = 998 + UInt32(peer)
      bench.addresses[ServerBench.peer(peer)] = "localhost:\(user):100:\(peer)"
    }
    return bench
  }

  private func line(
    _ user: UInt32,
    _ scopes: String...,
    sees: Bool = true,
    sends: SendRight = .nothing,
  ) -> Grants.Line {
    Grants.Line(
      grantee: .user(user),
      scopes: scopes.compactMap { ScopePattern($0) },
      sees: sees,
      sends: sends,
    )
  }

  @discardableResult
  private func hello(_ bench: ServerBench, _ peer: UInt8) throws -> DaemonMessage.HelloOK {
    try bench.hello(peer, features: .known)
  }

  private func apply(_ bench: ServerBench, _ lines: Grants.Line...) throws {
    bench.turn.apply(Grants(owner: 999, lines: lines))
    try bench.endTurn()
  }

  /// Joins scopes, one of them restricted, and takes the messages that follow the answer.
  @discardableResult
  private func joinOwn(
    _ bench: ServerBench,
    _ peer: UInt8,
    nonce: UInt64,
    _ requests: [ClientMessage.JoinRequest],
  ) throws -> [DaemonMessage] {
    bench.receive(.join(nonce: nonce, requests), from: peer)
    try bench.endTurn()
    let messages = bench.take(peer).drop { if case .joined = $0 { false } else { true } }
    guard case .joined(nonce, let topic, _)? = messages.first else {
      Issue.record("No answer but \(messages)")
      return []
    }
    #expect(topic?.kind == .unicastView)
    return Array(messages.dropFirst())
  }

  private func codes(_ answers: [DaemonMessage.JoinAnswer]) -> [String] {
    answers.map { if case .refused(let failure) = $0 { failure.code } else { "joined" } }
  }

  @Test func `A user without a line gets no session`() throws {
    let bench = bench(line(1000, "counter"))
    bench.receive(
      .hello(
        ClientMessage.Hello(
          clientID: ServerBench.clientID(4),
          token: nil,
          firstSequence: 1,
          name: "",
          isListed: true,
        )
      ),
      from: Self.stranger,
    )
    try bench.endTurn()
    guard case .refused(code: "unauthorised", _)? = bench.take(Self.stranger).first else {
      Issue.record("Not refused")
      return
    }
    #expect(bench.root.state.sessions.isEmpty)
  }

  @Test func `A description has the actions that the client may send, and no others`() throws {
    let bench = bench(
      line(1000, "counter", sends: .actions(["incrementButtonTapped", "cardRemoved"])),
      line(1000, "cards/row/1", sends: .everything),
      line(1001, "counter"),
    )
    func described(_ peer: UInt8) throws -> [ScopeDescription] {
      try hello(bench, peer)
      bench.receive(.describe(request: 1), from: peer)
      try bench.endTurn()
      for case .description(request: 1, let item) in bench.take(peer) {
        var decoder = CBORDecoder(item)
        return try decoder.list { (decoder) throws(CodecError) in
          try ScopeDescription(from: &decoder)
        }
      }
      return []
    }
    func cases(_ description: ScopeDescription?) -> [String]? {
      guard let action = description?.action,
        case .choice(let cases)? = action.definition(of: action.root)
      else { return nil }
      return cases.map(\.name)
    }
    let owners = try described(Self.owner)
    #expect(owners == Deck.exposures.map(\.description))
    let anns = try described(Self.ann)
    #expect(anns.map(\.name) == ["counter", "cards/row"])
    #expect(cases(anns.first) == ["incrementButtonTapped", "cardRemoved"])
    #expect(anns.last == owners.first { $0.name == "cards/row" })
    let bobs = try described(Self.bob)
    #expect(cases(bobs.first) == [])
    #expect(anns.map(\.isLimited) == [true, false] && bobs.map(\.isLimited) == [true])
    #expect(!owners.contains { $0.isLimited })
    // A program may join with the described types, or with all of the types.
    for action in [anns[0].action, owners[0].action] {
      let request = ClientMessage.JoinRequest(
        scope: "counter",
        mode: .sendOnly,
        stateHash: owners[0].state.hash,
        actionHash: action.hash,
        position: nil,
      )
      let (_, answers) = try bench.ask(
        Self.ann,
        nonce: action == owners[0].action ? 2 : 1,
        [request],
      )
      #expect(codes(answers) == ["joined"])
    }
    // A description for another user is not her schema.
    let request = ClientMessage.JoinRequest(
      scope: "counter",
      mode: .sendOnly,
      stateHash: nil,
      actionHash: bobs[0].action.hash,
      position: nil,
    )
    #expect(codes(try bench.ask(Self.ann, nonce: 3, [request]).answers) == ["schemaMismatch"])
  }

  @Test func `A scope without a grant does not exist, not even as the nearest name`() throws {
    let bench = bench(
      line(1000, "counter"),
      line(1000, "extra", sees: false, sends: .everything),
    )
    try hello(bench, Self.ann)
    let asked = ["counter", "cards", "counte", "card", "extra"].map {
      ClientMessage.JoinRequest.follow($0)
    }
    let (_, answers) = try bench.ask(Self.ann, nonce: 1, asked)
    #expect(
      codes(answers) == [
        "joined", "unknownScope", "unknownScope", "unknownScope", "unauthorised",
      ]
    )
    guard case .refused(let near) = answers[2], case .refused(let other) = answers[3]
    else { return }
    #expect(near.details == ["counter"])
    #expect(other.details.isEmpty)
    bench.receive(.describe(request: 1), from: Self.ann)
    bench.receive(.describe(request: 2), from: Self.stranger)
    try bench.endTurn()
    #expect(try names(bench.take(Self.ann)) == ["counter", "extra"])
    #expect(try names(bench.take(Self.stranger)).isEmpty)
  }

  private func names(_ messages: [DaemonMessage]) throws -> [String] {
    guard case .description(_, let item)? = messages.last else { return ["no description"] }
    var decoder = CBORDecoder(item)
    return try decoder.list { (d) throws(CodecError) in try ScopeDescription(from: &d).name }
  }

  @Test func `Of status others see the sessions of their own user`() throws {
    let bench = bench(line(1000, "counter"), line(1001, "counter"))
    for peer in [Self.owner, Self.ann, Self.bob] { try hello(bench, peer) }
    for (peer, count) in [(Self.owner, 3), (Self.ann, 1), (Self.stranger, 0)] {
      bench.receive(.status(request: 1), from: peer)
      try bench.endTurn()
      guard case .status(_, let item)? = bench.take(peer).last,
        case .array(let sessions)? = try GenericValue(encoded: item)[field: "sessions"],
        case .map(let counters)? = try GenericValue(encoded: item)[field: "counters"]
      else {
        Issue.record("No sessions for \(peer)")
        continue
      }
      #expect(sessions.count == count)
      #expect(counters.isEmpty == (peer != Self.owner))
    }
  }

  @Test func `Actions are taken by their case, and refused ones use up their sequence`() throws {
    let bench = bench(line(1000, "counter", sends: .actions(["incrementButtonTapped"])))
    let session = try hello(bench, Self.ann)
    try bench.join(Self.ann, session, nonce: 1, [.follow("counter")])
    let outcomes = try bench.act(
      Self.ann,
      sequence: 1,
      .incrementButtonTapped,
      .decrementButtonTapped,
      .incrementButtonTapped,
    )
    #expect(outcomes.count == 3)
    #expect(outcomes.first == .applied(revision: 1, hasEffects: false))
    guard case .failed(let failure) = outcomes[1] else {
      Issue.record("Not refused: \(outcomes[1])")
      return
    }
    #expect(failure.code == "unauthorised")
    #expect(bench.root.state.counter.count == 2)
  }

  @Test func `A restricted view is sent to each client on the control socket`() throws {
    let bench = bench(line(1000, "counter", "cards"), line(1001, "counter"))
    try hello(bench, Self.ann)
    var messages = try joinOwn(bench, Self.ann, nonce: 1, [.follow("cards"), .follow("counter")])
    guard case .unicast(.echo(let echo))? = messages.first else {
      Issue.record("No echo: \(messages)")
      return
    }
    #expect(echo.nonce == 1 && echo.previousSequence == 0)
    #expect(messages.count { if case .snapshot = $0 { true } else { false } } == 2)
    // It is followed by deltas, bookmarks, and then an action's outcome.
    bench.receive(
      .actions(
        first: 1,
        [
          ClientMessage.ActionRequest(
            handle: 2,
            action: try Deck.CounterAction.incrementButtonTapped.encoded()[...],
            deadline: nil,
          )
        ],
      ),
      from: Self.ann,
    )
    bench.root.send(.counter(.cardRemoved(id: 1)))
    try bench.endTurn()
    messages = bench.take(Self.ann)
    guard case .unicast(.deltas(let run))? = messages.first, case .acks(let acks)? = messages.last
    else {
      Issue.record("No deltas and outcomes: \(messages)")
      return
    }
    #expect(run.sequence == 1 && run.steps.map(\.revision) == [1])
    #expect(acks.watermark == DaemonMessage.Watermark(nonce: 1, sequence: 1))
    try bench.advance(by: .seconds(1))
    guard case .unicast(.bookmark(let bookmark))? = bench.take(Self.ann).last else {
      Issue.record("No bookmark")
      return
    }
    #expect(bookmark.digests.count == 2)
    #expect(!bench.hasPublished)
  }

  @Test func `In no frame to anybody else is anything of a scope that not everybody may see`()
    throws
  {
    let bench = bench(line(1000, "counter", "extra"), line(1001, "counter"))
    let secret = "nobody else's"
    var told: [PeerID?: Int] = [:]
    bench.onSend = { frame in
      let (peer, bytes): (PeerID?, [UInt8]) =
        switch frame {
        case .control(let peer, let bytes): (peer, bytes)
        case .publish(_, let bytes): (nil, bytes)
        }
      if String(decoding: bytes, as: UTF8.self).contains(secret) { told[peer, default: 0] += 1 }
    }
    for peer in [Self.owner, Self.ann] {
      try hello(bench, peer)
      try joinOwn(bench, peer, nonce: 1, [.follow("counter"), .follow("extra")])
    }
    let bob = try hello(bench, Self.bob)
    try bench.join(Self.bob, bob, nonce: 1, [.follow("counter")])
    bench.root.send(.counter(.extraToggled))
    bench.root.send(.extra(.written(text: secret)))
    bench.root.send(.counter(.incrementButtonTapped))
    try bench.advance(by: .seconds(1))
    // A later follower receives it in a snapshot, or in the changes since.
    try joinOwn(bench, Self.ann, nonce: 2, [.follow("extra")])
    #expect(Set(told.keys) == [ServerBench.peer(Self.owner), ServerBench.peer(Self.ann)])
    #expect(bench.hasPublished)
  }

  @Test func `A client that takes no such views is refused them`() throws {
    let bench = bench(line(1000, "counter", "cards"), line(1001, "counter"))
    let session = try bench.hello(Self.ann)
    let joined = try bench.join(
      Self.ann,
      session,
      nonce: 1,
      [.follow("counter"), .follow("cards")],
    )
    #expect(codes(joined.answers) == ["joined", "unauthorised"])
  }

  @Test func `A narrower grant ends the sessions that use it, and no others`() throws {
    let bench = bench(line(1000, "counter", sends: .everything), line(1001, "counter"))
    for peer in [Self.ann, Self.bob] {
      let session = try hello(bench, peer)
      try bench.join(peer, session, nonce: 1, [.follow("counter")])
    }
    // Additional rights end no connection.
    try apply(bench, line(1000, "*", sends: .everything), line(1001, "*"))
    #expect(bench.cuts.isEmpty)
    try apply(bench, line(1000, "*"), line(1001, "*"))
    guard case .goodbye(code: "narrowed", _)? = bench.take(Self.ann).last else {
      Issue.record("Not ended")
      return
    }
    let own = [ServerBench.peer(Self.ann), ServerBench.publisher(Self.ann)]
    #expect(bench.cuts.map(\.peer) == own)
    #expect(bench.server.sessions.all.map(\.origin.identity.user) == [1001])
  }

  @Test func `When a client with limited rights joins, a view is sent to each alone, at once`()
    throws
  {
    let bench = bench(line(1000, "counter", "cards"))
    let session = try hello(bench, Self.ann)
    let joined = try bench.join(Self.ann, session, nonce: 1, [.follow("cards")])
    #expect(joined.topic.kind == .view)
    try apply(bench, line(1000, "counter", "cards"), line(1001, "counter"))
    bench.root.send(.counter(.cardRemoved(id: 1)))
    try bench.endTurn()
    #expect(bench.take(joined.topic).isEmpty)
    #expect(bench.cuts.map(\.peer) == [ServerBench.peer(Self.ann)])
    // Until its client has joined again, no later change counts as shown.
    let outcomes = bench.server.sessions.all[0].watermark
    #expect(outcomes == DaemonMessage.Watermark(nonce: 1, sequence: 1 << 62))
    // The same applies if the view is interrupted again before the join.
    bench.server.sessions.all[0].scopes.leave()
    #expect(bench.server.sessions.all[0].watermark == outcomes)
    // The session still exists, and its client resumes it.
    bench.addresses[ServerBench.peer(9)] = "localhost:1000:100:2"
    let again = try bench.hello(9, client: Self.ann, token: session.token, features: .known)
    #expect(again.isResumed)
    let position = ClientMessage.Position(epoch: 7, revision: 0)
    let messages = try joinOwn(
      bench,
      9,
      nonce: 2,
      [.follow("cards", position: position)],
    )
    guard case .replay(let replay)? = messages.last else {
      Issue.record("No replay: \(messages)")
      return
    }
    #expect(replay.delta != nil)
  }

  @Test func `Another user has so many sessions and sends so many actions, and the owner more`()
    throws
  {
    var limits = Limits()
    (limits.sessionsPerUser, limits.actionsPerSecond) = (2, 10)
    limits.actionsPerJoinEntry = 0
    let bench = ServerBench(limits: limits)
    let line = line(1000, "counter", sends: .everything)
    bench.turn.apply(Grants(owner: 999, lines: [line]))
    for (peer, user) in [(1, 999), (2, 999), (3, 999), (4, 1000), (5, 1000), (6, 1000)] {
      bench.addresses[ServerBench.peer(UInt8(peer))] = "localhost:\(user):100:\(peer)"
    }
    for peer in 1...5 as ClosedRange<UInt8> {
      let session = try bench.hello(peer)
      try bench.join(peer, session, nonce: 1, [.follow("counter")])
    }
    withKnownIssue { try bench.hello(6) }
    #expect(bench.server.counters.refusedSessions == 1)
    let actions = Array(repeating: Deck.CounterAction.incrementButtonTapped, count: 8)
    func applied(_ peer: UInt8, _ sequence: UInt64) throws -> Int {
      try bench.act(peer, sequence: sequence, actions).count {
        if case .applied = $0 { true } else { false }
      }
    }
    #expect(try [applied(4, 1), applied(5, 1), applied(1, 1), applied(1, 9)] == [8, 2, 8, 8])
    #expect(bench.server.counters.actionsThrottled == 6)
    try bench.advance(by: .milliseconds(500))
    #expect(try applied(5, 9) == 5)
    bench.receive(.bye, from: 4)
    try bench.hello(6)
  }

  @Test func `A program that forgets its sessions leaves room to its user's others, and to others`()
    throws
  {
    var limits = Limits()
    (limits.sessions, limits.sessionsOfOwners, limits.sessionsPerProcess) = (5, 4, 2)
    let bench = ServerBench(limits: limits)
    bench.turn.apply(Grants(owner: 999, lines: [line(1000, "counter")]))
    let processes = [
      (1, 999, 7), (2, 999, 7), (3, 999, 7), (4, 999, 8), (5, 999, 8), (6, 0, 9),
    ]
    for (peer, user, process) in processes + [(7, 1000, 10)] {
      bench.addresses[ServerBench.peer(UInt8(peer))] = "localhost:\(user):100:\(process)"
    }
    for peer in [1, 2] as [UInt8] { try bench.hello(peer) }
    withKnownIssue { try bench.hello(3) }
    for peer in [4, 5] as [UInt8] { try bench.hello(peer) }
    // Root has all rights, too.
    withKnownIssue { try bench.hello(6) }
    try bench.hello(7)
    #expect(bench.server.counters.refusedSessions == 2)
    // Sessions that lost a connection make room for the same holder.
    bench.lose(ServerBench.peer(2))
    try bench.hello(3)
    #expect(bench.server.counters.refusedSessions == 2)
  }

  @Test func `Repeated connections under new names displace no other user's clients`() throws {
    var limits = Limits()
    limits.clients = 4
    let bench = ServerBench(limits: limits)
    let lines = [line(1000, "counter"), line(1001, "counter", sends: .everything)]
    bench.turn.apply(Grants(owner: 999, lines: lines))
    bench.addresses[ServerBench.peer(Self.ann)] = "localhost:1000:100:2"
    for peer in [3, 60] as [UInt8] {
      bench.addresses[ServerBench.peer(peer)] = "localhost:1001:100:\(peer)"
    }
    let bob = try hello(bench, Self.bob)
    try bench.join(Self.bob, bob, nonce: 1, [.follow("counter")])
    _ = try bench.act(Self.bob, sequence: 1, .incrementButtonTapped)
    bench.lose(ServerBench.peer(Self.bob))
    try bench.advance(by: .seconds(2))
    for client in 10..<50 as Range<UInt8> {
      try bench.hello(Self.ann, client: client)
      guard
        case .failed? = try bench.act(Self.ann, sequence: 1, handle: 0, .incrementButtonTapped)
          .first
      else {
        Issue.record("Not refused")
        return
      }
    }
    let again = try bench.hello(60, client: Self.bob)
    #expect(again.lastSequence == 1)
    try bench.join(60, again, nonce: 1, [.follow("counter")])
    #expect(
      try bench.act(60, sequence: 1, .incrementButtonTapped)
        == [.applied(revision: 1, hasEffects: false)]
    )
    #expect(bench.root.state.counter.count == 1)
  }

  @Test func `A client's id, and its outcomes, stay its user's after its end`() throws {
    let bench = bench(
      line(1000, "counter", sends: .everything),
      line(1001, "counter", sends: .everything),
    )
    let ann = try hello(bench, Self.ann)
    try bench.join(Self.ann, ann, nonce: 1, [.follow("counter")])
    _ = try bench.act(Self.ann, sequence: 1, .incrementButtonTapped)
    bench.lose(ServerBench.peer(Self.ann))
    try bench.advance(by: .seconds(2))
    bench.receive(
      .hello(
        ClientMessage.Hello(
          clientID: ServerBench.clientID(Self.ann),
          token: nil,
          firstSequence: 2,
          name: "thief",
          isListed: false,
        )
      ),
      from: Self.bob,
    )
    try bench.endTurn()
    guard case .refused(Outcome.unauthorised, _)? = bench.take(Self.bob).last else {
      Issue.record("Not refused")
      return
    }
    bench.addresses[ServerBench.peer(60)] = "localhost:1000:100:60"
    let again = try bench.hello(60, client: Self.ann)
    #expect(again.lastSequence == 1)
    try bench.join(60, again, nonce: 1, [.follow("counter")])
    #expect(
      try bench.act(60, sequence: 2, .incrementButtonTapped)
        == [.applied(revision: 2, hasEffects: false)]
    )
  }

  @Test func `Refused actions count like sent ones`() throws {
    var limits = Limits()
    (limits.actionsPerSecond, limits.actionsPerJoinEntry) = (10, 0)
    let bench = ServerBench(limits: limits)
    bench.turn.apply(Grants(owner: 999, lines: [line(1000, "counter")]))
    bench.addresses[ServerBench.peer(Self.ann)] = "localhost:1000:100:2"
    try bench.join(Self.ann, try bench.hello(Self.ann), nonce: 1, [.follow("counter")])
    let actions = Array(repeating: Deck.CounterAction.incrementButtonTapped, count: 5)
    func codes(_ sequence: UInt64, handle: UInt64, deadline: UInt64? = nil) throws -> Set<String> {
      let outcomes = try bench.act(
        Self.ann,
        sequence: sequence,
        handle: handle,
        deadline: deadline,
        actions,
      )
      return Set(outcomes.map { if case .failed(let failure) = $0 { failure.code } else { "" } })
    }
    #expect(try codes(1, handle: 0) == ["rejected"])
    #expect(try codes(6, handle: 1) == ["unauthorised"])
    #expect(try codes(11, handle: 0) == ["overloaded"])
    #expect(try codes(16, handle: 1) == ["overloaded"])
    #expect(try codes(21, handle: 1, deadline: 1) == ["overloaded"])
    #expect(bench.server.counters.actionsThrottled == 15)
    guard case .failed(let failure)? = try bench.act(Self.ann, sequence: 26, actions[0]).first
    else {
      Issue.record("The action is not refused")
      return
    }
    // The advice to try again occurs once.
    #expect(
      "\(ActionFailure(failure))"
        == "overloaded: You may send 10 actions a second. Try again later. It was not applied."
    )
  }

  @Test func `Another user has a rate of hellos, and waits for an answer above it`() throws {
    var limits = Limits()
    limits.hellosPerSecond = 3
    let bench = ServerBench(limits: limits)
    bench.turn.apply(Grants(owner: 999, lines: [line(1000, "counter")]))
    for (peer, user) in [(1, 999), (2, 1000)] {
      bench.addresses[ServerBench.peer(UInt8(peer))] = "localhost:\(user):100:\(peer)"
    }
    for client in 10..<13 as Range<UInt8> {
      try bench.hello(Self.ann, client: client, isListed: true)
    }
    let revision = bench.root.revision
    for client in 13..<20 as Range<UInt8> {
      withKnownIssue { try bench.hello(Self.ann, client: client, isListed: true) }
      try bench.hello(Self.owner, client: 100 + client)
    }
    // A returning client is answered, since that opens no session.
    try bench.hello(Self.ann, client: 12)
    #expect(bench.server.counters.hellosThrottled == 7)
    #expect(bench.root.revision == revision)
    // A user that only sends hellos has a full budget again, and is forgotten after leaving.
    try bench.advance(by: .seconds(1))
    try bench.hello(Self.ann, client: 13)
    bench.receive(.bye, from: Self.ann)
    try bench.advance(by: .seconds(1))
    #expect(bench.server.sessions.usage.keys.map { $0 } == [.program(user: 999, process: 1)])
  }

  @Test func `Effects of another user are counted in all sessions, until they have ended`()
    async throws
  {
    var limits = Limits()
    limits.effectsPerUser = 2
    let bench = ServerBench(limits: limits)
    bench.turn.apply(Grants(owner: 999, lines: [line(1000, "counter", sends: .everything)]))
    for (peer, user) in [(1, 999), (4, 1000), (5, 1000), (6, 1000)] {
      bench.addresses[ServerBench.peer(UInt8(peer))] = "localhost:\(user):100:\(peer)"
    }
    func begin(_ peer: UInt8, _ sequence: UInt64 = 1) throws -> Bool {
      let outcomes = try bench.act(peer, sequence: sequence, .numberFactButtonTapped)
      return if case .applied(_, hasEffects: true)? = outcomes.first { true } else { false }
    }
    for peer in [1, 4, 5, 6] as [UInt8] {
      try bench.join(peer, try bench.hello(peer), nonce: 1, [.follow("counter")])
    }
    #expect(try [begin(4), begin(5), begin(6), begin(4, 2)] == [true, true, false, false])
    #expect(try [begin(1), begin(1, 2), begin(1, 3)] == [true, true, true])
    #expect(bench.server.counters.actionsThrottled == 2)
    await eventually { bench.gate.waiting == 5 }
    // Effects end with their sessions, and count as long as they run.
    bench.receive(.bye, from: 4)
    bench.receive(.bye, from: 5)
    #expect(try !begin(6, 2))
    await eventually { bench.gate.waiting == 0 && !bench.root.hasRunningEffects }
    #expect(try begin(6, 3))
    #expect(bench.server.sessions.usage[.user(1000)]?.effects == 1)
    await eventually { bench.gate.waiting == 1 }
    bench.gate.open()
    await eventually { !bench.root.hasRunningEffects }
    #expect(bench.server.sessions.usage[.user(1000)]?.effects == 0)
  }

  @Test func `A used-up budget is not restored by a new connection`() throws {
    var limits = Limits()
    (limits.actionsPerSecond, limits.actionsPerJoinEntry) = (10, 0)
    let bench = ServerBench(limits: limits)
    bench.turn.apply(Grants(owner: 999, lines: [line(1000, "counter", sends: .everything)]))
    let actions = Array(repeating: Deck.CounterAction.incrementButtonTapped, count: 8)
    var applied = 0
    for peer in 4...8 as ClosedRange<UInt8> {
      bench.addresses[ServerBench.peer(peer)] = "localhost:1000:100:\(peer)"
      try bench.join(peer, try bench.hello(peer), nonce: 1, [.follow("counter")])
      applied += try bench.act(peer, sequence: 1, actions).count {
        if case .applied = $0 { true } else { false }
      }
      bench.receive(.bye, from: peer)
      try bench.advance(by: .milliseconds(50))
    }
    // Ten, and two for the fifth of a second until the last action arrived.
    #expect(applied == 12)
    #expect(bench.server.sessions.usage.count == 1)
    try bench.advance(by: .milliseconds(950))
    #expect(bench.server.sessions.usage.isEmpty)
  }

  @Test func `If too much waits in all, the holder with the most bytes is shut down first`() throws
  {
    var limits = Limits()
    limits.allHeldBytes = 300_000
    let bench = ServerBench(limits: limits)
    bench.turn.apply(Grants(owner: 999, lines: [line(1000, "counter"), line(1001, "counter")]))
    for (peer, user) in [(2, 1000), (3, 1001), (4, 1000), (5, 1000)] {
      bench.addresses[ServerBench.peer(UInt8(peer))] = "localhost:\(user):100:\(peer)"
    }
    /// Sends descriptions to one peer, which does not read them.
    func fill(_ peer: UInt8, _ bytes: Int) throws {
      bench.server.hold([UInt8](repeating: 0, count: bytes), for: ServerBench.peer(peer))
      try bench.endTurn()
    }
    for peer in 2...5 as ClosedRange<UInt8> { try bench.hello(peer) }
    bench.full = Set((2...5 as ClosedRange<UInt8>).map { ServerBench.peer($0) })
    for (peer, bytes) in [(3, 100_000), (2, 60_000), (4, 70_000), (5, 50_000)] {
      try fill(UInt8(peer), bytes)
    }
    #expect(bench.cuts.isEmpty)
    try fill(3, 30_000)
    #expect(bench.cuts.map(\.peer) == [ServerBench.peer(4)])
    // The largest backlog now belongs to another user.
    try fill(3, 80_000)
    #expect(bench.cuts.map(\.peer) == [ServerBench.peer(4), ServerBench.peer(3)])
  }

  @Test func `A client that does not read a view of its own is shut down`() throws {
    var limits = Limits()
    limits.heldBytes = 100_000
    let bench = ServerBench(limits: limits)
    bench.turn.apply(Grants(owner: 999, lines: [line(1000, "counter"), line(1001, "cards")]))
    bench.addresses[ServerBench.peer(Self.ann)] = "localhost:1000:100:2"
    try hello(bench, Self.ann)
    try joinOwn(bench, Self.ann, nonce: 1, [.follow("counter")])
    bench.full = [ServerBench.peer(Self.ann)]
    for _ in 0..<4 {
      bench.root.send(.counter(.filled(bytes: 0)))
      try bench.endTurn()
      bench.root.send(.counter(.filled(bytes: 40_000)))
      try bench.endTurn()
    }
    #expect(bench.cuts.map(\.peer).contains(ServerBench.peer(Self.ann)))
    #expect(bench.server.sessions.all.isEmpty)
  }
}
