import Foundation
import StoreActor
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

/// Two counters of a daemon, one of which other processes may change.
@Reducer
private struct Till {
  @ObservableState
  struct State: DurableState, Equatable, ReplicatedState, Sendable {
    @Shared(.inMemory("total")) var total = 0
    var sales = 0
  }

  enum Action: Equatable, Sendable, WireAction { case sold(Int) }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .sold(let price) = action {
        state.sales += 1
        state.$total.withLock { $0 += price }
      }
      return .reply(state.sales)
    }
  }
}

@CasePathable
private enum TillAction: Equatable, Sendable { case till(Till.Action) }

@Suite(.timeLimit(.minutes(1))) @MainActor struct ServerSharedTests {
  private let journal = BenchJournal()
  private let recorder = Recorder(revision: 0)

  private func bench() -> BenchOf<Till.State, TillAction> {
    let root = RootCore<Till.State, TillAction>(
      initialState: { Till.State() },
      reducer: { Scope(state: \.self, action: \.till) { Till() } },
    )
    let port = TypedRoot(
      root,
      exposures: [
        Expose("till", state: \.self, action: \.till, replies: Int.self),
        Expose("total", shared: \.$total, isEditable: true),
      ],
      limits: Limits(),
      journal: RootJournal(DurableForm(Till.State.self), recorder: recorder),
    ) { _ in nil }
    return BenchOf(root, port, recorder: recorder, journal: journal, epoch: 7)
  }

  private func sold(_ price: Int) throws -> ClientMessage.ActionRequest {
    ClientMessage.ActionRequest(
      handle: 1,
      action: try Till.Action.sold(price).encoded()[...],
      deadline: nil,
    )
  }

  private func sync(_ bench: Bench) throws {
    let batch = try #require(journal.batches.last)
    bench.turn.finish(.durable(through: batch.revisions.upperBound))
    try bench.endTurn()
  }

  @Test func `Earlier changes of shared values by others are not part of a client's action`() throws
  {
    let bench = bench()
    let hello = try bench.hello(1)
    try bench.join(1, hello, nonce: 1, [.follow("till")])
    @Shared(.inMemory("total")) var total = 0
    $total.withLock { $0 = 100 }
    bench.receive(.actions(first: 1, [try sold(5)]), from: 1)
    try bench.endTurn()
    try sync(bench)
    #expect(bench.root.state == Till.State(total: 105, sales: 1))
    #expect(total == 105)
    let origins = try journal.records.map(\.origin)
    try #require(origins.count == 2)
    #expect(origins[0] == .daemon)
    guard case .client(let action) = origins[1] else {
      Issue.record("The action is \(origins[1])'s.")
      return
    }
    #expect(action.client == ServerBench.clientID(1) && action.sequence == 1)
    #expect(action.action == Array(try sold(5).action))
  }

  @Test func `A client receives its reply although others have changed a shared value`() throws {
    let bench = bench()
    let hello = try bench.hello(1, features: .replies)
    try bench.join(1, hello, nonce: 1, [.follow("till")])
    @Shared(.inMemory("total")) var total = 0
    // An observer of the first change makes another one.
    var changes = 0
    let observer = bench.root.observeChanges {
      changes += 1
      if changes == 1 { $total.withLock { $0 += 1 } }
    }
    $total.withLock { $0 = 100 }
    bench.receive(.actions(first: 1, [try sold(5), try sold(6)]), from: 1)
    try bench.endTurn()
    try sync(bench)
    let outcomes = bench.take(1).outcomes
    let replies = outcomes.compactMap { outcome -> Int? in
      guard case .replied(let reply) = outcome else { return nil }
      return reply.value?.decoded(as: Int.self)
    }
    #expect(replies == [1, 2])
    #expect(bench.root.state.total == 112)
    let recorded = try journal.records.map { $0.details.reply?.value?.decoded(as: Int.self) }
    #expect(recorded.suffix(2) == [1, 2])
    observer.cancel()
  }

  @Test func `An edit is applied to the value that it was made for, and to no other`() throws {
    let bench = bench()
    let hello = try bench.hello(1)
    try bench.join(1, hello, nonce: 1, [.follow("total")])
    @Shared(.inMemory("total")) var total = 0
    let delta = try #require(5.delta(from: 0))
    let edits = [
      SharedEdit.edited(base: 0._$digest.rawValue, delta: Data(delta)),
      .edited(base: 0._$digest.rawValue, delta: Data(delta)),
      .edited(base: 5._$digest.rawValue, delta: Data([0xff])),
      .edited(base: 5._$digest.rawValue, delta: Data()),
    ]
    let requests = try edits.map {
      ClientMessage.ActionRequest(handle: 1, action: try $0.encoded()[...], deadline: nil)
    }
    bench.receive(.actions(first: 1, requests), from: 1)
    try bench.endTurn()
    try sync(bench)
    let outcomes = bench.take(1).outcomes
    let codes = outcomes.map { outcome in
      if case .failed(let failure) = outcome { failure.code } else { "applied" }
    }
    #expect(codes == ["applied", "conflict", "rejected", "rejected"])
    #expect(total == 5 && bench.root.state.total == 5)
    #expect(bench.root.revision == 1)
    guard case .client(let action)? = try journal.records.first?.origin else {
      Issue.record("The edit has no owner.")
      return
    }
    #expect(action.scope == "total" && action.sequence == 1)
  }
}
