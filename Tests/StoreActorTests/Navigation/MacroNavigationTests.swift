import StoreActor
import StoreState
import Testing

@Reducer
struct EditItem {
  @ObservableState
  struct State: Equatable, ReplicatedState, Identifiable {
    let id: Int
    var title = ""
    @Presents var alert: AlertState<Action.Alert>?
  }

  enum Action: BindableAction, WireAction, Equatable {
    case binding(BindingAction<State>)
    case alert(PresentationAction<Alert>)
    case cancelTapped
    case discardTapped

    @CasePathable
    enum Alert: WireAction, Equatable {
      case discard
    }
  }

  @Dependency(\.dismiss) var dismiss

  var body: some ReducerOf<Self> {
    BindingReducer()
    Reduce { state, action in
      switch action {
      case .cancelTapped, .alert(.presented(.discard)):
        return .run { _ in await dismiss() }
      case .discardTapped:
        state.alert = AlertState {
          TextState("Discard \(state.title)?")
        } actions: {
          ButtonState(role: .destructive, action: .discard) { TextState("Discard") }
        }
        return .none
      case .binding, .alert:
        return .none
      }
    }
    .ifLet(\.$alert, action: \.alert)
  }
}

@Reducer
struct ItemList {
  @Reducer(state: .equatable, .replicatedState, action: .equatable, .wireAction)
  enum Destination {
    case edit(EditItem)
    @ReducerCaseEphemeral case alert(AlertState<Alert>)

    @CasePathable
    enum Alert: WireAction, Equatable {
      case confirmDeletion
    }
  }

  @Reducer(state: .equatable, .replicatedState, action: .equatable, .wireAction)
  enum Path {
    case detail(EditItem)
    case copy(EditItem)
  }

  @ObservableState
  struct State: Equatable, ReplicatedState {
    @Presents var destination: Destination.State?
    var path = StackState<Path.State>()
    var deletions = 0
  }

  enum Action: WireAction, Equatable {
    case destination(PresentationAction<Destination.Action>)
    case path(StackActionOf<Path>)
    case editTapped(id: Int)
    case deleteTapped
    case detailTapped(id: Int)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .editTapped(let id):
        state.destination = .edit(EditItem.State(id: id))
      case .deleteTapped:
        state.destination = .alert(
          AlertState {
            TextState("Delete?")
          } actions: {
            ButtonState(action: .confirmDeletion) { TextState("Delete") }
          }
        )
      case .detailTapped(let id):
        state.path.append(.detail(EditItem.State(id: id)))
      case .destination(.presented(.alert(.confirmDeletion))):
        state.deletions += 1
      case .destination, .path:
        break
      }
      return .none
    }
    .ifLet(\.$destination, action: \.destination)
    .forEach(\.path, action: \.path)
  }
}

@Reducer
struct OptionalScreens {
  @Reducer(state: .equatable)
  enum Screen {
    case edit(EditItem)
    case copy(EditItem)
  }

  @ObservableState
  struct State: Equatable {
    var screen: Screen.State?
    var screens: IdentifiedArray<Int, Screen.State>
  }

  enum Action {
    case screen(Screen.Action)
    case screens(IdentifiedAction<Int, Screen.Action>)
  }

  var body: some ReducerOf<Self> {
    EmptyReducer()
      .ifLet(\.screen, action: \.screen)
      .forEach(\.screens, action: \.screens)
  }
}

@Suite("Navigation with the macros", .timeLimit(.minutes(1)))
@MainActor
struct MacroNavigationTests {
  @Test("A destination edits and dismisses itself")
  func destination() async {
    let store = TestStore(initialState: ItemList.State()) { ItemList() }
    await store.send(.editTapped(id: 1)) {
      $0.destination = .edit(EditItem.State(id: 1))
    }
    await store.send(\.destination.edit.binding.title, "Milk") {
      $0.$destination[case: \.edit]?.title = "Milk"
    }
    await store.send(\.destination.edit.discardTapped) {
      $0.destination?.modify(\.edit) {
        $0.alert = AlertState {
          TextState("Discard Milk?")
        } actions: {
          ButtonState(role: .destructive, action: .discard) { TextState("Discard") }
        }
      }
    }
    await store.send(\.destination.edit.alert.discard) {
      $0.$destination[case: \.edit]?.alert = nil
    }
    await store.receive(\.destination.dismiss) { $0.destination = nil }
  }

  @Test("A destination's alert is dismissed after its action")
  func alert() async {
    let store = Store(initialState: ItemList.State()) { ItemList() }
    store.send(.deleteTapped)
    #expect(store.destination?.is(\.alert) == true)
    store.send(.destination(.presented(.alert(.confirmDeletion))))
    #expect(store.destination == nil)
    #expect(store.deletions == 1)
  }

  @Test("Screens of a path are edited and pop themselves")
  func path() async {
    let store = TestStore(initialState: ItemList.State()) { ItemList() }
    await store.send(.detailTapped(id: 1)) {
      $0.path.append(.detail(EditItem.State(id: 1)))
    }
    await store.send(\.path.push, (id: 1, state: .copy(EditItem.State(id: 2)))) {
      $0.path[id: 1] = .copy(EditItem.State(id: 2))
    }
    await store.send(\.path[id: 0].detail.binding.title, "Milk") {
      $0.path[id: 0, case: \.detail]?.title = "Milk"
    }
    await store.send(\.path[id: 1].copy.cancelTapped)
    await store.receive(\.path.popFrom) { $0.path.pop(from: 1) }
  }

  @Test("Enum features need no closure as optionals and as rows")
  func withoutClosures() {
    let edit = EditItem.State(id: 1)
    let state = OptionalScreens.State(
      screen: .edit(edit),
      screens: IdentifiedArray(uniqueElements: [.copy(edit)], id: \.itemID),
    )
    let store = Store(initialState: state) { OptionalScreens() }
    store.send(.screen(.edit(.binding(.set(\.title, "Milk")))))
    store.send(.screens(.element(id: 1, action: .copy(.binding(.set(\.title, "Eggs"))))))
    #expect(store.screen?.edit?.title == "Milk")
    #expect(store.screens[id: 1]?.copy?.title == "Eggs")
  }

  @Test("Child stores are scoped to presented states and to stack elements")
  func scopes() throws {
    let store = Store(initialState: ItemList.State()) { ItemList() }
    #expect(store.scope(\.destination?.edit, action: \.destination.edit) == nil)
    store.send(.editTapped(id: 1))
    let edit = try #require(store.scope(\.destination?.edit, action: \.destination.edit))
    edit.title = "Milk"
    #expect(edit.title == "Milk")
    #expect(store.destination?.edit?.title == "Milk")
    store.send(.detailTapped(id: 2))
    let detail = try #require(
      store.scope(\.path[id: 0, case: \.detail], action: \.path[id: 0].detail)
    )
    detail.title = "Eggs"
    #expect(store.path[id: 0, case: \.detail]?.title == "Eggs")
  }

  @Test("States with navigation are replicated, and actions are encoded")
  func wire() throws {
    var states = [ItemList.State()]
    var state = ItemList.State(destination: .edit(EditItem.State(id: 1)))
    states.append(state)
    state.$destination[case: \.edit]?.title = "Milk"
    state.path.append(.detail(EditItem.State(id: 2, title: "Eggs")))
    states.append(state)
    state.path.append(.copy(EditItem.State(id: 3)))
    state.path[id: 0, case: \.detail]?.alert = AlertState { TextState("Really?") }
    states.append(state)
    try checkReplication(states)
    let actions: [(ItemList.Action, String)] = [
      (
        .destination(.presented(.edit(.binding(.set(\.title, "Milk"))))),
        #"""
        {"destination":{"_0":{"presented":{"_0":{"edit":{"_0":{"binding":{"_0":{"title":\#
        {"_0":"Milk"}}}}}}}}}}
        """#,
      ),
      (
        .path(.element(id: 1, action: .copy(.alert(.dismiss)))),
        #"""
        {"path":{"_0":{"element":{"id":1,"action":{"copy":{"_0":{"alert":{"_0":"dismiss"}}}}}}}}
        """#,
      ),
    ]
    for (action, text) in actions {
      #expect(try wireJSON(action) == text)
      #expect(try ItemList.Action(encoded: action.encoded()) == action)
    }
  }
}

extension OptionalScreens.Screen.State {
  fileprivate var itemID: Int {
    switch self {
    case .edit(let item), .copy(let item): item.id
    }
  }
}
