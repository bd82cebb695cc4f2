import StoreActor
import Testing

@Suite("The origin of an action", .timeLimit(.minutes(1)))
@MainActor
struct OriginTests {
  private static let ann = ActionOrigin(
    identity: .user(1000, group: 100, process: 71),
    session: 3,
  )
  private static let bob = ActionOrigin(
    identity: .user(1001, group: 100, process: 72),
    session: 4,
  )

  private func core() -> RootCore<Diary.State, Diary.Action> {
    RootCore(initialState: { Diary.State() }, reducer: { Diary() })
  }

  @Test("In process the origin is the process itself")
  func inProcess() async {
    let core = core()
    await core.send(.note("tap", then: .sends)).finish()
    #expect(core.state.entries == [Entry("tap", .process), Entry("effect", .process)])
  }

  @Test("All consequences of a client's action have the client as origin, to the last effect")
  func lineage() async throws {
    let core = core()
    var task: StoreTask?
    core.batch(as: Self.ann) { task = core.sendFromAfar(.note("tap", then: .runs)) }
    core.send(.note("meanwhile", then: .nothing))
    try await #require(task).finish()
    #expect(
      core.state.entries == [
        Entry("tap", Self.ann), Entry("meanwhile", .process), Entry("seen by run", Self.ann),
        Entry("effect", Self.ann),
      ]
    )
  }

  @Test("Another origin's effect that continues within a batch keeps its origin")
  func foreign() {
    let core = core()
    core.batch(as: Self.ann) { _ = core.sendFromAfar(.note("chain", then: .chains)) }
    core.batch(as: Self.bob) {
      _ = core.sendFromAfar(.note("cancels", then: .cancels))
      _ = core.sendFromAfar(.note("next", then: .nothing))
    }
    #expect(
      core.state.entries == [
        Entry("chain", Self.ann), Entry("cancels", Self.bob), Entry("end of the chain", Self.ann),
        Entry("next", Self.bob),
      ]
    )
  }

  @Test("An observer that sends an action on a commit sends for the process")
  func observers() {
    let core = core()
    let subscription = core.observeChanges {
      guard core.state.entries.count == 1 else { return }
      core.send(.note("told", then: .nothing))
    }
    core.batch(as: Self.ann) {
      _ = core.sendFromAfar(.note("tap", then: .nothing))
      _ = core.sendFromAfar(.note("again", then: .nothing))
    }
    withExtendedLifetime(subscription) {}
    #expect(
      core.state.entries == [
        Entry("tap", Self.ann), Entry("told", .process), Entry("again", Self.ann),
      ]
    )
  }

  @Test("A value that was kept from a client's action has no client as origin afterward")
  func kept() {
    let core = core()
    core.batch(as: Self.ann) { _ = core.sendFromAfar(.note("tap", then: .keeps)) }
    core.send(.note("later", then: .keeps))
    #expect(core.state.entries == [Entry("tap", Self.ann), Entry("later", .process)])
    #expect(core.state.kept?.origin == .process)
  }

  @Test("A test sets the origin, also for effects")
  func testStore() async {
    let store = TestStore(initialState: Diary.State()) {
      Diary()
    } withDependencies: {
      $0.origin = Self.ann
    }
    await store.send(.note("tap", then: .sends)) { $0.entries = [Entry("tap", Self.ann)] }
    await store.receive(.note("effect", then: .nothing)) {
      $0.entries.append(Entry("effect", Self.ann))
    }
    store.dependencies.origin = Self.bob
    await store.send(.note("tap", then: .nothing)) { $0.entries.append(Entry("tap", Self.bob)) }
  }
}

private struct Entry: Equatable, Sendable {
  let text: String
  let origin: ActionOrigin

  init(_ text: String, _ origin: ActionOrigin) {
    self.text = text
    self.origin = origin
  }
}

/// A reducer that records the origins of its actions.
private struct Diary: Reducer {
  struct State: Equatable, Sendable {
    var entries: [Entry] = []
    var kept: Kept?
  }

  /// A value that was created while an action was reduced.
  struct Kept: Equatable, Sendable {
    @Dependency(\.origin) var origin

    static func == (_: Self, _: Self) -> Bool { true }
  }

  enum Action: Equatable, Sendable {
    case note(String, then: Then)
  }

  enum Then: Equatable, Sendable {
    case nothing, sends, runs, chains, cancels, keeps
  }

  @Dependency(\.origin) var origin

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .note(let text, let then):
        state.entries.append(Entry(text, origin))
        return effect(of: then, &state)
      }
    }
  }

  private func effect(of then: Then, _ state: inout State) -> Effect<Action> {
    switch then {
    case .nothing: return .none
    case .sends: return .run { await $0(.note("effect", then: .nothing)) }
    case .runs:
      return .run { send in
        @Dependency(\.origin) var origin
        if origin.session == 3 { await send(.note("seen by run", then: .nothing)) }
        await send(.note("effect", then: .nothing))
      }
    case .chains:
      return .concatenate(
        // It ends when it is cancelled, within the batch that cancels it.
        Effect(.source(EffectSource { _ in })).cancellable(id: "gate"),
        .send(.note("end of the chain", then: .nothing)),
      )
    case .cancels: return .cancel(id: "gate")
    case .keeps:
      if state.kept == nil { state.kept = Kept() }
      return .none
    }
  }
}
