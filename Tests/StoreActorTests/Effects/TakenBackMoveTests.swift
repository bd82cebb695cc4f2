import StoreActor
import Testing

@Suite("A child's new id in a discarded step", .timeLimit(.minutes(1)))
@MainActor
struct TakenBackMoveTests {
  private func core(_ item: Renamed.State) -> RootCore<Shelf.State, Shelf.Action> {
    RootCore(initialState: { Shelf.State(item: item) }, reducer: { Shelf() })
  }

  /// Waits until no effect runs; a cancelled effect ends in its own turn.
  private func end(of core: RootCore<Shelf.State, Shelf.Action>) async {
    while core.hasRunningEffects { await Task.yield() }
  }

  @Test("is reverted, so that the child's effects continue and are found")
  func takenBack() async {
    let core = core(Renamed.State(id: 1))
    core.send(.item(.start))
    #expect(core.hasRunningEffects)
    // The child changes its id, and then the action's target is absent.
    #expect(core.sendFromAfar(.item(.part(.rename))) == nil)
    #expect(core.state.item?.id == 1)
    core.send(.item(.nothing))
    #expect(core.hasRunningEffects)
    core.send(.item(.stop))
    await end(of: core)
  }

  @Test("is kept if the action's target is present")
  func kept() async {
    let core = core(Renamed.State(id: 1, part: Counter.State()))
    core.send(.item(.start))
    #expect(core.sendFromAfar(.item(.part(.rename))) != nil)
    #expect(core.state.item?.id == 2)
    #expect(core.hasRunningEffects)
    // A later discarded step does not revert a kept id.
    core.send(.item(.drop))
    #expect(core.sendFromAfar(.item(.part(.rename))) == nil)
    core.send(.item(.stop))
    await end(of: core)
  }

  fileprivate struct Counter: Reducer {
    struct State: Equatable, Sendable {}
    enum Action: Sendable { case rename }
    var body: some ReducerOf<Self> { EmptyReducer() }
  }

  /// A child that changes its id.
  fileprivate struct Renamed: Reducer {
    struct State: Equatable, Identifiable, Sendable {
      var id: Int
      var part: Counter.State?
    }

    @CasePathable
    enum Action: Sendable {
      case start, stop, nothing, drop
      case part(Counter.Action)
    }

    enum CancelID { case work }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .start:
          return .run { _ in try await Task.never() }.cancellable(id: CancelID.work)
        case .stop: return .cancel(id: CancelID.work)
        case .drop: state.part = nil
        case .part: state.id += 1
        case .nothing: break
        }
        return .none
      }
      .ifLet(\.part, action: \.part) { Counter() }
    }
  }

  fileprivate struct Shelf: Reducer {
    struct State: Equatable, Sendable { var item: Renamed.State? }

    @CasePathable
    enum Action: Sendable { case item(Renamed.Action) }

    var body: some ReducerOf<Self> {
      EmptyReducer().ifLet(\.item, action: \.item) { Renamed() }
    }
  }
}
