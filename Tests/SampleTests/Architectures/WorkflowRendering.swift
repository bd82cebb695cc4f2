import StoreActor

// Workflow: a parent renders its children's state into one value that a screen shows, with
// functions to call; a child ends by an output that its parent handles.

@Reducer
struct Name {
  @ObservableState
  struct State: Equatable, ReplicatedState, Sendable {
    var text = ""
  }

  enum Action: Equatable, Sendable, WireAction {
    case textChanged(String)
    case doneButtonTapped
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .textChanged(let text):
        state.text = text
        return .none
      case .doneButtonTapped:
        // The parent decides the meaning.
        return .none
      }
    }
  }
}

@Reducer
struct Welcome {
  @ObservableState
  struct State: Equatable, ReplicatedState, Sendable {
    @Presents var name: Name.State? = Name.State()
    var greeting: String?
  }

  enum Action: Equatable, Sendable, WireAction {
    case name(PresentationAction<Name.Action>)
    case againButtonTapped
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .name(.presented(.doneButtonTapped)):
        state.greeting = state.name.map { "Hello, \($0.text)" }
        state.name = nil
        return .none
      case .name:
        return .none
      case .againButtonTapped:
        state.greeting = nil
        state.name = Name.State()
        return .none
      }
    }
    .ifLet(\.$name, action: \.name) {
      Name()
    }
  }
}

/// The content and the actions of a screen, created from the store after each change.
///
/// It is not state and is not replicated; each client creates its own.
enum WelcomeRendering {
  case asking(text: String, change: @MainActor (String) -> Void, done: @MainActor () -> Void)
  case greeting(String, again: @MainActor () -> Void)

  @MainActor
  init(_ store: StoreOf<Welcome>) {
    if let name = store.scope(\.name, action: \.name.presented) {
      self = .asking(text: name.text) {
        name.send(.textChanged($0))
      } done: {
        name.send(.doneButtonTapped)
      }
    } else {
      self = .greeting(store.greeting ?? "") { store.send(.againButtonTapped) }
    }
  }
}
