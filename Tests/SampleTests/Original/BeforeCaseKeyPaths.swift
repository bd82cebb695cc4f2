import CasePathOperator
import StoreActor

// A feature without case key paths and macros: every operator with '/'.

struct Guest: Reducer {
  struct State: Equatable, Identifiable {
    let id: Int
    var visits = 0
  }

  enum Action: Equatable {
    case arrived
    case counted(Int)
  }

  func reduce(into state: inout State, action: Action) -> Effect<Action> {
    switch action {
    case .arrived:
      state.visits += 1
      return .send(.counted(state.visits))
    case .counted:
      return .none
    }
  }
}

struct Lamp: Reducer {
  enum State: Equatable {
    case off
    case on(Guest.State)
    case broken(since: Guest.State)
  }

  enum Action: Equatable {
    case on(Guest.Action)
    case broken(Guest.Action)
  }

  var body: some Reducer<State, Action> {
    Scope(state: /State.broken(since:), action: /Action.broken) {
      Guest()
    }
    EmptyReducer<State, Action>()
      .ifCaseLet(/State.on, action: /Action.on) {
        Guest()
      }
  }
}

struct Hotel: Reducer {
  struct State: Equatable {
    var owner = Guest.State(id: 0)
    var visitor: Guest.State?
    @PresentationState var sheet: Guest.State?
    @PresentationState var alert: AlertState<Action.Alert>?
    var rooms: IdentifiedArrayOf<Guest.State> = []
    var path = StackState<Path.State>()
    var lamp = Lamp.State.off
    var name = ""
  }

  enum Action: BindableAction, Equatable {
    case alert(PresentationAction<Alert>)
    case binding(BindingAction<State>)
    case lamp(Lamp.Action)
    case owner(Guest.Action)
    case path(StackAction<Path.State, Path.Action>)
    case room(id: Guest.State.ID, action: Guest.Action)
    case sheet(PresentationAction<Guest.Action>)
    case visitor(Guest.Action)

    enum Alert: Equatable { case confirmed }
  }

  struct Path: Reducer {
    enum State: Equatable {
      case guest(Guest.State)
      case lamp(Lamp.State)
    }

    enum Action: Equatable {
      case guest(Guest.Action)
      case lamp(Lamp.Action)
    }

    var body: some Reducer<State, Action> {
      Scope(state: /State.guest, action: /Action.guest) { Guest() }
      Scope(state: /State.lamp, action: /Action.lamp) { Lamp() }
    }
  }

  var body: some ReducerOf<Self> {
    BindingReducer()
    Scope(state: \.owner, action: /Action.owner) {
      Guest()
    }
    Scope(state: \.lamp, action: /Action.lamp) {
      Lamp()
    }
    Reduce { state, action in
      switch action {
      case .room(let id, action: .counted(3)):
        state.rooms.remove(id: id)
        return .none
      case .alert(.presented(.confirmed)):
        state.visitor = nil
        return .none
      case .path(.element(id: let id, action: .guest(.counted(2)))):
        state.path.pop(from: id)
        return .none
      case .alert, .binding, .lamp, .owner, .path, .room, .sheet, .visitor:
        return .none
      }
    }
    .ifLet(\.visitor, action: /Action.visitor) {
      Guest()
    }
    .ifLet(\.$sheet, action: /Action.sheet) {
      Guest()
    }
    .ifLet(\.$alert, action: /Action.alert)
    .forEach(\.rooms, action: /Action.room(id:action:)) {
      Guest()
    }
    .forEach(\.path, action: /Action.path) {
      Path()
    }
  }
}
