import StoreActor
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreReplica
@testable import StoreServer

/// The state that an action requires: docs/PROTOCOL.md §8.
@MainActor
@Suite("Actions with a condition", .timeLimit(.minutes(1)))
struct ActionConditionTests {
  private func request(
    _ action: Deck.CounterAction,
    _ counter: Deck.Counter?,
  ) throws -> ClientMessage.ActionRequest {
    ClientMessage.ActionRequest(
      handle: 1,
      action: try action.encoded()[...],
      deadline: nil,
      condition: counter._$digest,
    )
  }

  @Test("The action is applied to this state only, and otherwise a conflict without a revision")
  func condition() throws {
    let bench = ServerBench()
    try bench.join(1, try bench.hello(1), nonce: 1, [.follow("counter")])
    let requests = [
      try request(.incrementButtonTapped, Deck.Counter()),
      try request(.incrementButtonTapped, Deck.Counter()),
      try request(.incrementButtonTapped, Deck.Counter(count: 1)),
      try request(.incrementButtonTapped, nil),
    ]
    bench.receive(.actions(first: 1, requests), from: 1)
    try bench.endTurn()
    #expect(bench.root.state.counter.count == 2)
    let outcomes = bench.take(1).outcomes
    #expect(outcomes.map { $0.applied?.revision } == [1, nil, 2, nil])
    guard case .failed(let failure) = outcomes[1] else { return }
    #expect(failure.code == Outcome.conflict)
    #expect(failure.message == #"The state of "counter" is another one by now."#)
    // A repeated action receives the same outcome, although the state would fit by now.
    bench.root.send(.counter(.decrementButtonTapped))
    bench.receive(.actions(first: 3, [requests[2]]), from: 1)
    try bench.endTurn()
    #expect(bench.take(1).outcomes.map { $0.applied?.revision } == [2])
    #expect(bench.root.state.counter.count == 1)
  }

  @Test("With a journal, the newest reduced state counts, not the newest durable one")
  func journal() throws {
    let journal = BenchJournal()
    let bench = ServerBench(journal: journal)
    try bench.join(1, try bench.hello(1), nonce: 1, [.follow("counter")])
    bench.root.send(.counter(.incrementButtonTapped))
    let requests = [
      try request(.incrementButtonTapped, Deck.Counter()),
      try request(.incrementButtonTapped, Deck.Counter(count: 1)),
    ]
    bench.receive(.actions(first: 1, requests), from: 1)
    try bench.endTurn()
    #expect(bench.root.state.counter.count == 2)
    #expect(bench.server.revision == 0)
  }

  @Test("The bytes of another user's actions include the cost of the condition")
  func cost() throws {
    var limits = Limits()
    (limits.actionBytesPerSecond, limits.actionBytesAtOnce) = (1_000, 2_000)
    limits.conditionCost = 1_500
    let bench = ServerBench(limits: limits)
    bench.addresses[ServerBench.peer(1)] = "localhost:1000:100:1"
    try bench.admitUser(1000, to: "counter")
    try bench.join(1, try bench.hello(1), nonce: 1, [.follow("counter")])
    let requests = [
      try request(.incrementButtonTapped, Deck.Counter()),
      try request(.incrementButtonTapped, Deck.Counter(count: 1)),
    ]
    bench.receive(.actions(first: 1, requests), from: 1)
    try bench.endTurn()
    // The one for lack of room is sent first.
    #expect(bench.take(1).outcomes.map { $0.applied?.revision } == [nil, 1])
  }

  @Test("A client's store sends the digest of the state that it shows")
  func store() throws {
    let daemon = ServerBench()
    let bench = try BenchClient(daemon)
    let core = RemoteStoreCore<Deck.Counter, Deck.CounterAction>("counter", of: bench.client)
    try bench.settle()
    let first = core.sendIfUnchanged(.incrementButtonTapped)
    // Its state does not show the first action yet.
    let second = core.sendIfUnchanged(.incrementButtonTapped)
    let third = core.send(.incrementButtonTapped)
    try bench.settle()
    #expect(core.state.count == 2)
    #expect(first.isFinished && second.isFinished && third.isFinished)
    let last = core.sendIfUnchanged(.incrementButtonTapped)
    daemon.root.send(.counter(.decrementButtonTapped))
    try bench.settle()
    #expect(core.state.count == 1 && last.isFinished)
    let requests = bench.sent.flatMap { message -> [ClientMessage.ActionRequest] in
      if case .actions(_, let requests) = message { requests } else { [] }
    }
    let zero = Optional(Deck.Counter())._$digest
    let two = Optional(Deck.Counter(count: 2))._$digest
    #expect(requests.map(\.condition) == [zero, zero, nil, two])
  }

  @Test("A daemon that does not know conditions receives no such action")
  func oldDaemon() throws {
    let daemon = try PlayedDaemon()
    daemon.wire.published.append((Welcome(epoch: 77).encoded(), nil))
    try daemon.greet()
    try daemon.helloOK(last: 0, isResumed: false, frameBytes: 1_024, features: .traces)
    try daemon.answer(revision: 1, sequence: 0)
    _ = daemon.take()
    _ = daemon.client.submit("up".encoded(), to: daemon.scope, condition: Digest(rawValue: 1))
    try daemon.wire.settle()
    let requests = daemon.take().flatMap { message -> [ClientMessage.ActionRequest] in
      if case .actions(_, let requests) = message { requests } else { [] }
    }
    // The empty action takes its sequence.
    #expect(requests.map(\.handle) == [0])
    #expect(requests.map(\.condition) == [nil])
  }

  @Test("A message contains a trace and a condition together or alone")
  func messages() throws {
    for trace in [nil, "", "span"] {
      for condition in [nil, Digest(rawValue: 0), Digest(rawValue: .max)] {
        let request = ClientMessage.ActionRequest(
          handle: 3,
          action: [0x61, 0x61],
          deadline: 5,
          trace: trace,
          condition: condition,
        )
        let bytes = ClientMessage.actions(first: 1, [request, request]).encoded()
        let read = try ClientMessage(frame: bytes[...])
        #expect(read == .actions(first: 1, [request, request]))
      }
    }
  }

  @Test("The largest action with a condition still fits into a frame")
  func largest() throws {
    let daemon = try PlayedDaemon()
    daemon.wire.published.append((Welcome(epoch: 77).encoded(), nil))
    try daemon.greet()
    try daemon.helloOK(last: 0, isResumed: false, frameBytes: 1_024, features: .known)
    try daemon.answer(revision: 1, sequence: 0)
    _ = daemon.take()
    let most = ReplicaClient.actionBytes(inFrameOf: 1_024)
    for bytes in most - 20...most {
      let action = String(repeating: "x", count: bytes - 3).encoded()
      let condition = Digest(rawValue: .max)
      _ = daemon.client.submit(action, to: daemon.scope, condition: condition)
    }
    try daemon.wire.settle()
    let sent = daemon.take()
    #expect(!sent.isEmpty && sent.allSatisfy { $0.encoded().count <= 1_024 })
  }
}
