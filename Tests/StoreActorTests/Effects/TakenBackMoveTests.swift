import StoreActor
import Testing

@Suite("A child's new id in a step that comes to nothing", .timeLimit(.minutes(1)))
@MainActor
struct TakenBackMoveTests {
  private func core(_ item: Renamed.State) -> RootCore<Shelf.State, Shelf.Action> {
    RootCore(initialState: { Shelf.State(item: item) }, reducer: { Shelf() })
  }

  /// Waits until nothing runs any more; a cancelled effect ends in a turn of its own.
  private func end(of core: RootCore<Shelf.State, Shelf.Action>) async {
    while core.hasRunningEffects { await Task.yield() }
  }

  @Test("is taken back, so that what the child has running goes on and is found")
  func takenBack() async {
    let core = core(Renamed.State(id: 1))
    core.send(.item(.start))
    #expect(core.hasRunningEffects)
    // The child goes to another id, and then what the action is for is absent.
    #expect(core.sendFromAfar(.item(.part(.rename))) == nil)
    #expect(core.state.item?.id == 1)
    core.send(.item(.nothing))
    #expect(core.hasRunningEffects)
    core.send(.item(.stop))
    await end(of: core)
  }

  @Test("is kept where the action was for something that is there")
  func kept() async {
    let core = core(Renamed.State(id: 1, part: Counter.State()))
    core.send(.item(.start))
    #expect(core.sendFromAfar(.item(.part(.rename))) != nil)
    #expect(core.state.item?.id == 2)
    #expect(core.hasRunningEffects)
    // What was kept is not taken back by a later step that comes to nothing.
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

  /// A child that changes its own id.
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
