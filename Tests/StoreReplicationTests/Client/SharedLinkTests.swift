import Foundation
import StoreActor
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreReplica

@ObservableState
private struct Card: Equatable, ReplicatedState, Sendable {
  var title = "first"
  var count = 1
}

/// The values that a daemon shares.
///
/// One of them is stored in a file.
@Reducer
private struct Shop {
  @ObservableState
  struct State: Equatable, Sendable {
    @Shared(.fileStorage(Shop.file)) var total = 1
    @Shared(.inMemory("size")) var size = 1
    @Shared(.inMemory("card")) var card = Card()
  }

  static let file = URL(fileURLWithPath: "/total.json")

  enum Action: Sendable { case set(Int) }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .set(let value) = action {
        state.$total.withLock { $0 = value }
        state.$size.withLock { $0 = value }
      }
      return .none
    }
  }
}

/// Values that are shared with a daemon.
///
/// Each test decides which messages arrive, and when.
@Suite(.timeLimit(.minutes(1)))
@MainActor
struct SharedLinkTests {
  private let bench: BenchOf<Shop.State, Shop.Action>
  private let wire: BenchClient
  private let scopes: ClientSharedScopes
  private let files = LockIsolated<[URL: Data]>([:])

  init() throws {
    let files = files
    let root = RootCore<Shop.State, Shop.Action>(
      initialState: { Shop.State() },
      reducer: { Shop() },
      withDependencies: { $0.defaultFileStorage = .inMemory(files: files) },
    )
    bench = BenchOf(
      root,
      exposures: [
        Expose("total", shared: \.$total, isEditable: true),
        Expose("size", shared: \.$size, isEditable: true),
        Expose("card", shared: \.$card, isEditable: true),
      ],
    )
    wire = try BenchClient(bench)
    scopes = ClientSharedScopes(wire.client)
  }

  private func share(_ name: String = "total") -> Shared<Int> {
    withDependencies {
      $0.sharedScopes = scopes
    } operation: {
      Shared(wrappedValue: -1, .store(name))
    }
  }

  /// Returns a shared value that has arrived.
  private func shared(_ name: String = "total") async throws -> Shared<Int> {
    let value = share(name)
    try await turns { !value.isLoading }
    #expect(value.wrappedValue == 1)
    return value
  }

  /// Returns a shared card that has arrived.
  private func card() async throws -> Shared<Card> {
    let card = withDependencies {
      $0.sharedScopes = scopes
    } operation: {
      Shared(wrappedValue: Card(title: "none"), .store("card"))
    }
    try await turns { !card.isLoading }
    #expect(card.wrappedValue == Card())
    return card
  }

  /// Sends an update whose outcome does not arrive before the control pipe is released.
  private func counting(_ card: Shared<Card>) async throws -> Task<Void, any Error> {
    wire.control.isHeld = true
    let counting = Task { try await Shared.update(card) { $0.count += 10 } }
    await tasks { wire.client.pendingActions == 1 }
    return counting
  }

  /// Runs tasks and delivers messages until the condition holds.
  private func turns(until condition: () -> Bool) async throws {
    for _ in 0..<10_000 where !condition() {
      await Task.yield()
      try bench.settle()
    }
    #expect(condition())
  }

  /// Runs tasks without delivering messages until the condition holds.
  private func tasks(until condition: () -> Bool) async {
    for _ in 0..<10_000 where !condition() { await Task.yield() }
    #expect(condition())
  }

  private func code(_ error: (any Error)?) -> ActionFailure.Code? {
    (error as? ActionFailure)?.code
  }

  // MARK: Edits

  @Test func `Changes while one is under way become one`() async throws {
    let total = try await shared()
    total.withLock { $0 = 2 }
    await tasks { wire.client.pendingActions == 1 }
    for value in 3...5 { total.withLock { $0 = value } }
    try await turns { bench.root.state.total == 5 }
    #expect(bench.root.revision == 2)
    try await total.save()
    #expect(total.saveError == nil && total.wrappedValue == 5)
  }

  @Test func `Edits on top of a refused one are refused with it`() async throws {
    let total = try await shared()
    total.withLock { $0 = 2 }
    await tasks { wire.client.pendingActions == 1 }
    total.withLock { $0 = 3 }
    bench.root.state.$total.withLock { $0 = 50 }
    try await turns { total.wrappedValue == 50 }
    #expect(code(total.saveError) == .conflict)
    #expect(bench.root.state.total == 50 && bench.root.revision == 1)
    total.withLock { $0 += 1 }
    try await turns { bench.root.state.total == 51 }
    #expect(total.saveError == nil)
  }

  @Test func `An edit on top of an expired one is sent in its own time`() async throws {
    wire.client.actionTimeToLive = .seconds(100)
    let total = try await shared()
    wire.losesSent = true
    wire.control.isHeld = true
    wire.published.isHeld = true
    try bench.advance(by: .seconds(60))
    #expect(!wire.client.isLive)
    total.withLock { $0 = 2 }
    await tasks { wire.client.pendingActions == 1 }
    try bench.settle()
    try bench.advance(by: .seconds(60))
    total.withLock { $0 = 3 }
    for _ in 0..<100 { await Task.yield() }
    #expect(total.saveError == nil)
    try bench.advance(by: .seconds(60))
    #expect(code(total.saveError) == .expired)
    #expect(total.wrappedValue == 3)
    wire.losesSent = false
    wire.control.isHeld = false
    wire.published.isHeld = false
    try wire.connect()
    try await turns { bench.root.state.total == 3 && total.saveError == nil }
    #expect(total.wrappedValue == 3 && bench.root.revision == 1)
  }

  @Test func `The time of an edit that waits for another one is its own`() async throws {
    wire.client.actionTimeToLive = .seconds(100)
    let total = try await shared()
    wire.losesSent = true
    wire.control.isHeld = true
    wire.published.isHeld = true
    try bench.advance(by: .seconds(60))
    total.withLock { $0 = 2 }
    await tasks { wire.client.pendingActions == 1 }
    try bench.settle()
    try bench.advance(by: .seconds(10))
    total.withLock { $0 = 3 }
    for _ in 0..<100 { await Task.yield() }
    try bench.settle()
    // Both actions have expired.
    try bench.advance(by: .seconds(200))
    #expect(wire.client.pendingActions == 0)
    #expect(code(total.saveError) == .expired)
    #expect(total.wrappedValue == 1)
  }

  @Test func `The time of an edit that waits is counted from when it was made`() async throws {
    wire.client.actionTimeToLive = .seconds(100)
    let total = try await shared()
    wire.losesSent = true
    wire.control.isHeld = true
    wire.published.isHeld = true
    try bench.advance(by: .seconds(60))
    total.withLock { $0 = 2 }
    await tasks { wire.client.pendingActions == 1 }
    try bench.settle()
    // The client takes no turn meanwhile.
    bench.clock.advance(by: .seconds(90))
    total.withLock { $0 = 3 }
    for _ in 0..<100 { await Task.yield() }
    try bench.settle()
    try bench.advance(by: .seconds(10))
    #expect(wire.client.pendingActions == 1 && total.wrappedValue == 3)
    try bench.settle()
    try bench.advance(by: .seconds(89))
    #expect(wire.client.pendingActions == 1 && total.wrappedValue == 3)
    try bench.advance(by: .seconds(1))
    #expect(code(total.saveError) == .expired && total.wrappedValue == 1)
  }

  @Test func `An unsent edit is sent, though the value is shared again meanwhile`() async throws {
    do {
      let total = try await shared()
      total.withLock { $0 = 2 }
      await tasks { wire.client.pendingActions == 1 }
      total.withLock { $0 = 3 }
    }
    let again = share()
    #expect(again.isLoading && again.wrappedValue == -1)
    try await turns { !again.isLoading }
    #expect(again.wrappedValue == 3)
    #expect(bench.root.state.total == 3 && bench.root.revision == 2)
    again.withLock { $0 = 4 }
    try await turns { bench.root.state.total == 4 }
    #expect(again.saveError == nil)
  }

  @Test func `A refused edit leaves the state unchanged`() async throws {
    let total = try await shared()
    total.withLock { $0 = 2 }
    bench.root.state.$total.withLock { $0 = 50 }
    files.setValue([:])
    try await turns { total.saveError != nil }
    #expect(files.value.isEmpty)
    total.withLock { $0 = 51 }
    try await turns { bench.root.state.total == 51 }
    #expect(files.value.count == 1)
  }

  // MARK: Updates

  @Test func `There is one update under way`() async throws {
    let total = try await shared()
    let runs = LockIsolated(0)
    let updates = (0..<3).map { _ in
      Task {
        try await Shared.update(total) {
          $0 += 10
          runs.withValue { $0 += 1 }
        }
      }
    }
    await tasks { wire.client.pendingActions > 0 }
    for _ in 0..<100 { await Task.yield() }
    #expect(wire.client.pendingActions == 1)
    try await turns { bench.root.state.total == 31 }
    for update in updates { try await update.value }
    #expect(runs.value == 3)
    #expect(total.wrappedValue == 31)
  }

  @Test func `An update that others are quicker than rests longer each time, and ends`()
    async throws
  {
    let total = try await shared()
    let (runs, contested) = (LockIsolated(0), bench.root.state.$total)
    let update = Task {
      try await Shared.update(total) {
        $0 += 1
        runs.withValue { $0 += 1 }
        contested.withLock { $0 += 100 }
      }
    }
    try await turns { runs.value == 2 }
    for _ in 0..<100 {
      await Task.yield()
      try bench.settle()
    }
    // No further run starts before time passes.
    #expect(runs.value == 2)
    try bench.advance(by: .milliseconds(20))
    try await turns { runs.value == 3 }
    for _ in 0..<40 where runs.value < 16 {
      try bench.advance(by: .seconds(1))
      for _ in 0..<100 {
        await Task.yield()
        try bench.settle()
      }
    }
    await #expect { try await update.value } throws: { code($0) == .conflict }
    #expect(runs.value == 16)
    #expect(bench.root.state.total == 1_601)
  }

  @Test func `An update that rests lets others pass, and is made when it is its turn`()
    async throws
  {
    let total = try await shared()
    let (runs, contested) = (LockIsolated(0), bench.root.state.$total)
    let update = Task {
      try await Shared.update(total) {
        $0 += 1
        let run = runs.withValue {
          $0 += 1
          return $0
        }
        if run < 3 { contested.withLock { $0 += 100 } }
      }
    }
    try await turns { runs.value == 2 }
    let other = Task { try await Shared.update(total) { $0 += 10 } }
    try await turns { bench.root.state.total == 211 }
    try await other.value
    try bench.advance(by: .seconds(1))
    try await turns { bench.root.state.total == 212 }
    try await update.value
    #expect(runs.value == 3)
  }

  @Test func `An update that rests ends with the connection`() async throws {
    let total = try await shared()
    let (runs, contested) = (LockIsolated(0), bench.root.state.$total)
    let update = Task {
      try await Shared.update(total) {
        $0 += 1
        runs.withValue { $0 += 1 }
        contested.withLock { $0 += 100 }
      }
    }
    try await turns { runs.value == 2 }
    for _ in 0..<100 {
      await Task.yield()
      try bench.settle()
    }
    wire.client.close("It is over.", at: wire.now)
    await #expect(throws: ActionFailure.self) { try await update.value }
    #expect(runs.value == 2)
  }

  @Test func `An update waits for the edit before it, and a cancelled one does not run`()
    async throws
  {
    let total = try await shared()
    total.withLock { $0 = 2 }
    await tasks { wire.client.pendingActions == 1 }
    let update = Task { try await Shared.update(total) { $0 += 10 } }
    let cancelled = Task { try await Shared.update(total) { $0 += 100 } }
    for _ in 0..<100 { await Task.yield() }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    try await turns { bench.root.state.total == 12 }
    try await update.value
    #expect(total.wrappedValue == 12 && total.saveError == nil)
    #expect(bench.root.revision == 2)
  }

  @Test func `A change of another property is applied on top of an update in progress`()
    async throws
  {
    let card = try await card()
    let counting = try await counting(card)
    card.withLock { $0.title = "second" }
    try await turns { bench.root.state.card.count == 11 }
    #expect(card.wrappedValue == Card(title: "second"))
    wire.control.isHeld = false
    try await turns { bench.root.state.card.title == "second" }
    try await counting.value
    try await card.save()
    #expect(card.saveError == nil && bench.root.revision == 2)
    #expect(bench.root.state.card == Card(title: "second", count: 11))
    #expect(card.wrappedValue == bench.root.state.card)
  }

  @Test func `An edit on top of a change during an update keeps the update`() async throws {
    let card = try await card()
    let counting = try await counting(card)
    card.withLock { $0.title = "second" }
    try await turns { bench.root.state.card.count == 11 }
    let root = bench.root
    let commits = root.observeChanges {
      // The new title derives from a card that still shows the old count.
      if root.state.card.title == "second" { card.withLock { $0.title += " and third" } }
    }
    wire.control.isHeld = false
    try await turns { root.state.card.title == "second and third" }
    commits.cancel()
    try await counting.value
    try await card.save()
    #expect(card.saveError == nil)
    #expect(root.state.card == Card(title: "second and third", count: 11))
    #expect(card.wrappedValue == root.state.card)
  }

  @Test func `A change of the same value is refused, because the update would be lost`()
    async throws
  {
    let total = try await shared()
    wire.control.isHeld = true
    let update = Task { try await Shared.update(total) { $0 += 10 } }
    await tasks { wire.client.pendingActions == 1 }
    total.withLock { $0 += 1 }
    try await turns { bench.root.state.total == 11 }
    wire.control.isHeld = false
    try await turns { total.saveError != nil }
    try await update.value
    #expect(code(total.saveError) == .conflict)
    #expect(bench.root.state.total == 11 && total.wrappedValue == 11)
  }

  @Test func `A later change of others refuses a change that waited for an update`() async throws {
    let card = try await card()
    let counting = try await counting(card)
    card.withLock { $0.title = "second" }
    try await turns { bench.root.state.card.count == 11 }
    bench.root.state.$card.withLock { $0.count = 20 }
    wire.control.isHeld = false
    try await turns { card.saveError != nil }
    try await counting.value
    #expect(code(card.saveError) == .conflict)
    #expect(bench.root.state.card == Card(count: 20) && card.wrappedValue == Card(count: 20))
  }

  @Test func `A change that does not fit an update is refused`() async throws {
    let text = String(repeating: "word ", count: 20)
    let card = try await card()
    card.withLock { $0.title = text }
    try await turns { bench.root.state.card.title == text }
    try await card.save()
    wire.control.isHeld = true
    let update = Task { try await Shared.update(card) { $0.title = "A \($0.title)" } }
    await tasks { wire.client.pendingActions == 1 }
    card.withLock { $0.title += "and the end" }
    try await turns { bench.root.state.card.title == "A \(text)" }
    wire.control.isHeld = false
    try await turns { card.saveError != nil }
    try await update.value
    #expect(code(card.saveError) == .conflict)
    #expect(bench.root.state.card.title == "A \(text)")
    #expect(card.wrappedValue == bench.root.state.card)
  }

  @Test func `The time of an update that waits for another one is its own`() async throws {
    wire.client.actionTimeToLive = .seconds(100)
    let total = try await shared()
    wire.losesSent = true
    wire.control.isHeld = true
    wire.published.isHeld = true
    try bench.advance(by: .seconds(60))
    let updates = (0..<3).map { _ in Task { try await Shared.update(total) { $0 += 1 } } }
    await tasks { wire.client.pendingActions == 1 }
    for _ in 0..<100 { await Task.yield() }
    try bench.settle()
    try bench.advance(by: .seconds(101))
    for update in updates {
      await #expect { try await update.value } throws: { code($0) == .expired }
    }
  }

  // MARK: Received values

  @Test func `A value that there has to be is waited for, and the scope is left`() async throws {
    let required = Task {
      try await withDependencies {
        $0.sharedScopes = scopes
      } operation: {
        try await Shared<Int>(require: .store("total")).wrappedValue
      }
    }
    try await turns { wire.client.unheldScopes == ["total"] }
    #expect(try await required.value == 1)
  }

  @Test func `Waiting for an absent daemon can be cancelled`() async throws {
    wire.control.isHeld = true
    wire.published.isHeld = true
    let total = share()
    let load = Task { try await total.load() }
    let update = Task { try await Shared.update(total) { $0 += 1 } }
    let required = Task {
      try await withDependencies {
        $0.sharedScopes = scopes
      } operation: {
        _ = try await Shared<Int>(require: .store("size"))
      }
    }
    for _ in 0..<100 { await Task.yield() }
    for task in [load, update, required] {
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  @Test func `A value that arrives during a refusal is applied after it`() async throws {
    let total = share()
    for _ in 0..<100 { await Task.yield() }
    var failure: (any Error)?
    withSharedValuesLocked {
      // This edit is too early, and is refused when the lock is released.
      total.withLock { $0 = 9 }
      do { try bench.settle() } catch { failure = error }
    }
    #expect(failure == nil)
    #expect(code(total.saveError) == .notSent)
    try await turns { total.wrappedValue == 1 }
    #expect(!total.isLoading)
    total.withLock { $0 = 2 }
    try await turns { bench.root.state.total == 2 }
    #expect(total.saveError == nil && bench.root.revision == 1)
  }

  @Test func `After the end of the connection the last value and the reason remain`() async throws {
    let total = try await shared()
    total.withLock { $0 = 2 }
    await tasks { wire.client.pendingActions == 1 }
    total.withLock { $0 = 3 }
    let update = Task { try await Shared.update(total) { $0 += 10 } }
    for _ in 0..<100 { await Task.yield() }
    wire.client.close("It is over.", at: wire.now)
    #expect(total.wrappedValue == 1)
    #expect((total.loadError as? ActionFailure)?.message == "It is over.")
    await #expect(throws: ActionFailure.self) { try await update.value }
    total.withLock { $0 = 4 }
    for _ in 0..<100 { await Task.yield() }
    #expect(total.wrappedValue == 1)
    #expect((total.saveError as? ActionFailure)?.message == "It is over.")
    #expect((total.loadError as? ActionFailure)?.message == "It is over.")
  }

  @Test func `A value with an edit under way is ahead of the others until its outcome`()
    async throws
  {
    let (total, size) = (try await shared(), try await shared("size"))
    wire.control.isHeld = true
    total.withLock { $0 = 2 }
    try await turns { bench.root.state.total == 2 }
    bench.root.send(.set(7))
    try await turns { size.wrappedValue == 7 }
    #expect(total.wrappedValue == 2)
    wire.control.isHeld = false
    try await turns { total.wrappedValue == 7 }
    #expect(total.saveError == nil)
  }
}
