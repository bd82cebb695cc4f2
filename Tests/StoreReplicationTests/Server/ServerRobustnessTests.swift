import GenericState
import StoreActor
import StoreSimulation
import StoreState
import Testing

@testable import StoreProtocol
@testable import StoreServer

/// Messages that no well-behaved client sends: docs/PROTOCOL.md §12, §13.
@MainActor
@Suite struct ServerRobustnessTests {
  @Test("§12: an invalid frame ends its peer's session and disturbs no other")
  func malformed() throws {
    let bench = ServerBench()
    let first = try bench.hello(1, isListed: true)
    let second = try bench.hello(2, isListed: true)
    try bench.join(1, first, nonce: 1, [.follow("counter")])
    let other = try bench.join(2, second, nonce: 1, [.follow("counter")])
    bench.receive(frame: [0x82, 0x18], from: 1)
    try bench.endTurn()
    guard case .goodbye(code: "protocolError", let message)? = bench.take(1).first else {
      Issue.record("The session continues")
      return
    }
    #expect(message.contains("not a message"))
    #expect(bench.root.state.sessions == [2])
    #expect(bench.server.counters.malformed == 1)
    #expect(
      try bench.act(2, sequence: 1, .incrementButtonTapped)
        == [.applied(revision: 4, hasEffects: false)]
    )
    #expect(!bench.take(other.topic).isEmpty)
  }

  @Test("§12: a holder's faults are logged once in ten seconds, on any number of connections")
  func loggedOnce() throws {
    let bench = ServerBench()
    for peer in 1...200 as ClosedRange<UInt8> {
      bench.addresses[ServerBench.peer(peer)] = "localhost:\(peer == 200 ? 1001 : 1000):100:1"
      bench.receive(frame: [0xff], from: peer)
    }
    try bench.endTurn()
    #expect(bench.takeNotices().count == 2)
    try bench.advance(by: .seconds(9))
    #expect(bench.takeNotices().isEmpty)
    bench.receive(frame: [0xff], from: 7)
    try bench.advance(by: .seconds(1))
    let texts = bench.takeNotices().map(\.text)
    #expect(texts.count == 1 && texts[0].hasPrefix("199 more like this in ten seconds."))
    #expect(bench.server.nextDeadline == nil)
    #expect(bench.server.counters.malformed == 201)
  }

  @Test func `Sessions that come and go are logged one by one for a while, then as a number`()
    throws
  {
    let bench = ServerBench()
    for client in 1...100 as ClosedRange<UInt8> {
      try bench.hello(1, client: client)
      bench.receive(.bye, from: 1)
      try bench.endTurn()
    }
    #expect(bench.audit.count == 32)
    bench.turn.stop()
    try bench.endTurn()
    #expect(bench.audit.count == 33)
    #expect(bench.audit.last?.text.hasPrefix("168 more like this") ?? false)
  }

  @Test(
    "Random frames on either socket never trap, and others continue",
    arguments: 1...4 as ClosedRange<UInt64>,
  )
  func garbage(seed: UInt64) throws {
    let bench = ServerBench()
    let hello = try bench.hello(9)
    try bench.join(9, hello, nonce: 1, [.follow("counter")])
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let peer = UInt8.random(in: 1...3, using: &generator)
      if Bool.random(using: &generator) { try bench.hello(peer) }
      bench.receive(frame: garbage(&generator), from: peer)
      bench.receive(upstream: garbage(&generator))
      bench.now.instant = bench.now.instant.advanced(by: .milliseconds(1))
      try bench.endTurn()
    }
    #expect(bench.server.counters.malformed > 0)
    #expect(
      try bench.act(9, sequence: 1, .incrementButtonTapped)
        == [.applied(revision: bench.root.revision, hasEffects: false)]
    )
  }

  /// Random bytes, or a real message with some of its bytes changed.
  private func garbage(_ generator: inout SeededGenerator) -> [UInt8] {
    if Bool.random(using: &generator) {
      let count = Int.random(in: 0...60, using: &generator)
      return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
    var frame = MessageSamples.client.randomElement(using: &generator)?.encoded() ?? []
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let place = Int.random(in: 0..<frame.count, using: &generator)
      frame[place] = UInt8.random(in: 0...255, using: &generator)
    }
    return frame
  }

  @Test(
    "Upstream bytes that are neither subscription nor fence are counted",
    arguments: [
      [], [0x02], [0x02, 0x80], [0x03, 0x01], [0x00], [0x01, 0x11],
    ] as [[UInt8]],
  )
  func upstream(_ frame: [UInt8]) throws {
    let bench = ServerBench()
    try bench.hello(1)
    bench.receive(upstream: frame)
    try bench.endTurn()
    let isSubscription = frame.first == 0 || frame.first == 1
    #expect(bench.server.counters.malformed == (isSubscription ? 0 : 1))
    #expect(bench.take(1).isEmpty)
  }

  @Test("§13: joins whose fence does not arrive are forgotten beyond the limit")
  func pendingJoins() throws {
    var limits = Limits()
    limits.pendingJoins = 2
    let bench = ServerBench(limits: limits)
    let hello = try bench.hello(1)
    for nonce: UInt64 in 1...3 { _ = try bench.ask(1, nonce: nonce, [.follow("counter")]) }
    bench.receive(upstream: Fence(token: hello.token, nonce: 1).encoded())
    bench.receive(upstream: Fence(token: hello.token, nonce: 3).encoded())
    try bench.endTurn()
    #expect(bench.server.counters.strayFences == 1)
    #expect(bench.take(hello.privateTopic).count == 1)
  }

  @Test("§8.1: any peer receives the description of the exposures, also before hello")
  func describe() throws {
    let bench = ServerBench()
    bench.receive(.describe(request: 5), from: 1)
    try bench.endTurn()
    guard case .description(request: 5, let item)? = bench.take(1).first else {
      Issue.record("No description")
      return
    }
    var decoder = CBORDecoder(item)
    let list = try decoder.list { (d) throws(CodecError) in try ScopeDescription(from: &d) }
    #expect(list.map(\.pattern) == ["counter", "cards", "cards/row/<id>", "extra"])
    #expect(list[0].state == SchemaRegistry.document(for: Deck.Counter.self))
    #expect(list.find("cards/row/7")?.id == "7")
  }

  @Test("§13: only a peer that exceeds the rate of reports is shut down")
  func reports() throws {
    var limits = Limits()
    limits.questionsPerSecond = 3
    limits.statusesPerSecond = 3
    let bench = ServerBench(limits: limits)
    for request in 1...5 as ClosedRange<UInt64> {
      bench.receive(.describe(request: request), from: 1)
    }
    bench.receive(.status(request: 9), from: 2)
    try bench.endTurn()
    #expect(bench.take(1).count == 3)
    #expect(bench.take(2).count == 1)
    #expect(bench.cuts.map(\.peer) == [ServerBench.peer(1)])
    #expect(bench.server.counters.reportsRefused == 1)
    try bench.advance(by: .seconds(1))
    for request in 1...3 as ClosedRange<UInt64> {
      bench.receive(.status(request: request), from: 2)
    }
    try bench.endTurn()
    #expect(bench.take(2).count == 3)
    #expect(bench.cuts.count == 1)
  }

  @Test("§13: a message with too many actions ends the session before any action is read")
  func actions() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    #expect(hello.actions == 128)
    try bench.join(1, hello, nonce: 1, [.follow("counter")])
    let action = ClientMessage.ActionRequest(
      handle: 1,
      action: try Deck.CounterAction.incrementButtonTapped.encoded()[...],
      deadline: nil,
    )
    bench.receive(.actions(first: 1, Array(repeating: action, count: 128)), from: 1)
    try bench.endTurn()
    #expect(bench.root.state.counter.count == 128)
    _ = bench.take(1)
    // The last action is invalid, and has not been read.
    var frame = ClientMessage.actions(first: 129, Array(repeating: action, count: 129)).encoded()
    frame[frame.count - 1] = 0xff
    bench.receive(frame: frame, from: 1)
    try bench.endTurn()
    guard case .goodbye(code: "protocolError", let message)? = bench.take(1).first else {
      Issue.record("The session continues")
      return
    }
    #expect(message.contains("128 actions at most, found 129"))
    #expect(bench.root.state.counter.count == 128)
  }

  @Test("§13: a join with too many entries ends the session, and few have suggestions")
  func wishes() throws {
    let bench = ServerBench()
    try bench.hello(1)
    let (_, answers) = try bench.ask(
      1,
      nonce: 1,
      Array(repeating: .follow("countr"), count: 1024),
    )
    let details = answers.map { answer in
      if case .refused(let failure) = answer { failure.details } else { [""] }
    }
    #expect(details.prefix(16).allSatisfy { $0 == ["counter"] })
    #expect(details.dropFirst(16).allSatisfy { $0 == [] })
    bench.receive(.join(nonce: 2, Array(repeating: .follow("counter"), count: 2049)), from: 1)
    try bench.endTurn()
    guard case .goodbye(code: "protocolError", _)? = bench.take(1).first else {
      Issue.record("The session continues")
      return
    }
  }

  @Test(
    "An honest peer waits for at most one frame of each holder that floods, on any connections",
    arguments: [1, 3],
  )
  func fairness(holders: Int) throws {
    let bench = ServerBench()
    for peer in 1...3 {
      let address = "localhost:\(1000 + peer % holders):100:\(peer)"
      bench.addresses[ServerBench.peer(UInt8(peer))] = address
    }
    bench.addresses[ServerBench.peer(4)] = "localhost:2000:100:4"
    for peer in 1...4 as ClosedRange<UInt8> {
      try bench.join(peer, try bench.hello(peer), nonce: 1, [.follow("counter")])
    }
    let action = ClientMessage.ActionRequest(
      handle: 1,
      action: try Deck.CounterAction.incrementButtonTapped.encoded()[...],
      deadline: nil,
    )
    // Three peers send a hundred full frames each, of which a turn takes one.
    for number: UInt64 in 0..<100 {
      let frame = ClientMessage.actions(
        first: 1 + 128 * number,
        Array(repeating: action, count: 128),
      )
      for peer in 1...3 as ClosedRange<UInt8> {
        bench.receive(control: frame.encoded(), from: ServerBench.peer(peer))
      }
    }
    var sequence: UInt64 = 0
    var turns = 0
    var (sentAt, answered) = (0, 0)
    while bench.hasIncoming {
      if turns.isMultiple(of: 10) {
        sequence += 1
        sentAt = turns
        let frame = ClientMessage.actions(first: sequence, [action])
        bench.receive(control: frame.encoded(), from: ServerBench.peer(4))
      }
      _ = bench.turn.receive()
      bench.turn.end()
      turns += 1
      let acks = bench.take(4).filter { if case .acks = $0 { true } else { false } }
      if !acks.isEmpty { #expect(turns - sentAt <= holders, "turn \(turns)") }
      answered += acks.count
    }
    #expect(answered == Int(sequence))
    #expect(turns >= 300)
    #expect(bench.root.state.counter.count == 3 * 12_800 + Int(sequence))
  }

  @Test("§8.2: status lists the sessions and the counters")
  func status() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    try bench.join(1, hello, nonce: 1, [.follow("counter")])
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    try bench.advance(by: .seconds(3))
    bench.receive(.ping(number: 1, revision: 1), from: 1)
    bench.receive(.status(request: 6), from: 1)
    try bench.endTurn()
    guard case .status(request: 6, let item)? = bench.take(1).last else {
      Issue.record("No status")
      return
    }
    let value = try GenericValue(encoded: item)
    #expect(value[field: "revision"] == .unsigned(1))
    #expect(value[field: "uptimeMs"] == .unsigned(3_000))
    #expect(value[field: "counters"]?[field: "actionsApplied"] == .unsigned(1))
    guard case .array(let sessions)? = value[field: "sessions"] else {
      Issue.record("No sessions")
      return
    }
    #expect(sessions.first?[field: "scopes"] == .array([.text("counter")]))
    #expect(sessions.first?[field: "appliedRevision"] == .unsigned(1))
    #expect(sessions.first?[field: "unreadBytes"] == .unsigned(0))
    #expect(sessions.first?[field: "user"] == .null)
  }

  @Test("§8.2: a status lists scopes within its limit, and counts the others")
  func statusOfManyScopes() throws {
    var limits = Limits()
    limits.statusNameBytes = 10
    let bench = ServerBench(limits: limits)
    for client: UInt8 in 1...2 {
      let hello = try bench.hello(client)
      try bench.join(client, hello, nonce: 1, [.follow("counter"), .follow("cards")])
    }
    bench.receive(.status(request: 6), from: 1)
    try bench.endTurn()
    guard case .status(request: 6, let item)? = bench.take(1).last,
      case .array(let sessions)? = try GenericValue(encoded: item)[field: "sessions"]
    else {
      Issue.record("No status")
      return
    }
    #expect(
      sessions.map { $0[field: "scopes"] } == [.array([.text("cards")]), .array([])]
    )
    #expect(sessions.map { $0[field: "scopeCount"] } == [.unsigned(2), .unsigned(2)])
  }

  @Test("§8: a pong carries the view's watermark, after the turn's changes")
  func pong() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    try bench.join(1, hello, nonce: 4, [.follow("counter")])
    bench.root.send(.counter(.incrementButtonTapped))
    _ = bench.takeOrder()
    bench.receive(.ping(number: 3, revision: 0), from: 1)
    try bench.endTurn()
    #expect(bench.takeOrder() == ["deltas", "pong"])
    let watermark = DaemonMessage.Watermark(nonce: 4, sequence: 1)
    #expect(bench.take(1) == [.pong(number: 3, revision: 1, watermark: watermark)])
  }

  @Test("A root store continues after its server is detached and released")
  func detached() {
    let root = RootCore(initialState: { Deck.State() }, reducer: { Deck(gate: Gate()) })
    weak var gone: ReplicaServer?
    do {
      let server = ReplicaServer(
        root: root,
        exposures: Deck.exposures,
        epoch: 1,
        processID: 1,
        now: Moment(instant: Instant(nanoseconds: 0), wallMilliseconds: 0),
        generator: SeededGenerator(seed: 1),
      )
      gone = server
      root.send(.counter(.incrementButtonTapped))
      server.detach()
    }
    #expect(gone == nil)
    root.send(.counter(.incrementButtonTapped))
    #expect(root.state.counter.count == 2)
  }
}
