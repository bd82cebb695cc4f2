import StoreActor
import Testing

/// A parent whose destination is a plain enum without case paths.
private struct Atrium: Reducer {
  enum Room: Equatable, Sendable {
    case lobby
    case sheet(Worker.State)
    case other(Worker.State)
    case labelled(worker: Worker.State)
    indirect case boxed(Worker.State)
    case alert(AlertState<Ask>)
  }

  enum RoomAction: Equatable, Sendable {
    case work
    case alert(Ask)
  }

  /// Takes no memory, since it has only one case.
  enum Ask: Equatable, Sendable { case confirm }

  struct State: Equatable, Sendable {
    @PresentationState var room: Room?
    var plain: Room?
  }

  @CasePathable
  enum Action: Equatable, Sendable {
    case room(PresentationAction<RoomAction>)
    case plain(RoomAction)
    case go(Room?)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .go(let room) = action {
        state.room = room
        state.plain = room
      }
      return .none
    }
    .ifLet(\.$room, action: \.room) { child }
    .ifLet(\.plain, action: \.plain) { child }
  }

  private var child: some Reducer<Room, RoomAction> {
    Reduce { _, action in
      action == .work ? .run { _ in try await Task.never() } : .none
    }
  }
}

@Suite("Destinations without macros", .timeLimit(.minutes(1)))
@MainActor
struct PlainDestinationTests {
  private typealias Room = Atrium.Room

  @Test("Another case, or another id in it, is another child; equal ones are the same child")
  func identity() async {
    let workers: [@Sendable (Worker.State) -> Room] = [
      Room.sheet, Room.other, { Room.labelled(worker: $0) }, Room.boxed,
    ]
    for (index, room) in workers.enumerated() {
      let next = workers[(index + 1) % workers.count]
      let ends = [nil, room(Worker.State(id: 2)), next(Worker.State(id: 1)), Room.lobby]
      for end in ends {
        let store = Store(initialState: Atrium.State()) { Atrium() }
        store.send(.go(room(Worker.State(id: 1))))
        let tasks = [store.send(.room(.presented(.work))), store.send(.plain(.work))]
        store.send(.go(room(Worker.State(id: 1, ticks: 7))))
        await Task.megaYield()
        #expect(tasks.allSatisfy { !$0.isFinished })
        store.send(.go(end))
        for task in tasks { await task.finish() }
      }
    }
  }

  @Test("An alert is dismissed by its own action only")
  func alert() {
    let alert = Room.alert(AlertState { TextState("Sure?") })
    let store = Store(initialState: Atrium.State(room: alert, plain: alert)) { Atrium() }
    store.send(.room(.presented(.work))).cancel()
    store.send(.plain(.work)).cancel()
    #expect(store.state == Atrium.State(room: alert, plain: alert))
    store.send(.room(.presented(.alert(.confirm))))
    store.send(.plain(.alert(.confirm)))
    #expect(store.state == Atrium.State())
    store.send(.go(.sheet(Worker.State(id: 1))))
    store.send(.room(.presented(.alert(.confirm))))
    #expect(store.room != nil)
  }
}
