import StoreActor

// All kinds of navigation: a sheet, an alert, a dialog, an enum of destinations, a stack, content
// that is shown while it exists, and a feature that closes itself.

@Reducer
struct Editor {
  @ObservableState
  struct State: Equatable, Identifiable {
    let id: Int
    var text = ""
    var isPresented = false
    @Presents var alert: AlertState<Action.Alert>?
  }

  enum Action: BindableAction {
    case alert(PresentationAction<Alert>)
    case binding(BindingAction<State>)
    case closeButtonTapped
    case deleteButtonTapped
    case delegate(Delegate)
    case task

    @CasePathable
    enum Alert { case confirmDeletion }

    @CasePathable
    enum Delegate: Equatable { case delete(id: Int) }
  }

  @Dependency(\.dismiss) var dismiss
  @Dependency(\.isPresented) var isPresented
  @Dependency(\.continuousClock) var clock

  var body: some ReducerOf<Self> {
    BindingReducer()
    Reduce { state, action in
      switch action {
      case .alert(.presented(.confirmDeletion)):
        return .concatenate(
          .send(.delegate(.delete(id: state.id))),
          .run { _ in await dismiss() },
        )
      case .closeButtonTapped:
        return .run { _ in await dismiss() }
      case .deleteButtonTapped:
        state.alert = .deletion
        return .none
      case .task:
        state.isPresented = isPresented
        return .run { _ in
          for await _ in clock.timer(interval: .seconds(1)) {}
        }
      case .alert, .binding, .delegate:
        return .none
      }
    }
    .ifLet(\.$alert, action: \.alert)
  }
}

extension AlertState where Action == Editor.Action.Alert {
  static let deletion = Self {
    TextState("Delete?")
  } actions: {
    ButtonState(role: .destructive, action: .confirmDeletion) {
      TextState("Delete")
    }
    ButtonState(role: .cancel) {
      TextState("Keep")
    }
  } message: {
    TextState("It cannot be brought back.")
  }
}

@Reducer
struct Library {
  @Reducer
  enum Destination {
    case add(Editor)
    case edit(Editor)
    case alert(AlertState<Never>)
    @ReducerCaseEphemeral case dialog(ConfirmationDialogState<Dialog>)
    case position(x: Int, y: Int)

    @CasePathable
    enum Dialog { case sort, clear }
  }

  @Reducer(state: .equatable)
  enum Path {
    case editor(Editor)
    case shelf(Shelf)
  }

  @ObservableState
  struct State: Equatable {
    @Presents var destination: Destination.State?
    @Presents var sheet: Editor.State?
    var panel: Editor.State?
    var path = StackState<Path.State>()
    var books: IdentifiedArrayOf<Editor.State> = []
  }

  enum Action {
    case addButtonTapped
    case books(IdentifiedActionOf<Editor>)
    case destination(PresentationAction<Destination.Action>)
    case moreButtonTapped
    case panel(Editor.Action)
    case path(StackActionOf<Path>)
    case sheet(PresentationAction<Editor.Action>)
    case tapped(id: Int)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .addButtonTapped:
        state.destination = .add(Editor.State(id: state.books.count))
        return .none
      case .moreButtonTapped:
        state.destination = .dialog(
          ConfirmationDialogState(titleVisibility: .visible) {
            TextState("More")
          } actions: {
            ButtonState(action: .sort) { TextState("Sort") }
            ButtonState(role: .destructive, action: .clear) { TextState("Clear") }
          }
        )
        return .none
      case .tapped(let id):
        guard let book = state.books[id: id] else { return .none }
        state.path.append(.editor(book))
        return .none
      case .destination(.presented(.add(.closeButtonTapped))):
        guard let editor = state.destination?.add else { return .none }
        state.books.append(editor)
        return .none
      case .destination(.presented(.dialog(.clear))):
        state.books.removeAll()
        return .none
      case .destination(.presented(.dialog(.sort))):
        state.books.sort { $0.text < $1.text }
        return .none
      case .path(.element(id: _, action: .editor(.delegate(.delete(let id))))):
        state.books.remove(id: id)
        return .none
      case .path(.element(let id, action: .shelf(.openButtonTapped))):
        guard let shelf = state.path[id: id]?.shelf else { return .none }
        state.path.append(.editor(Editor.State(id: shelf.number)))
        return .none
      case .books, .destination, .panel, .path, .sheet:
        return .none
      }
    }
    .ifLet(\.$destination, action: \.destination)
    .ifLet(\.$sheet, action: \.sheet) {
      Editor()
    }
    .ifLet(\.panel, action: \.panel) {
      Editor()
    }
    .forEach(\.path, action: \.path)
    .forEach(\.books, action: \.books) {
      Editor()
    }
  }
}

extension Library.Destination.State: Equatable {}

@Reducer
struct Shelf {
  @ObservableState
  struct State: Equatable {
    var number = 0
  }

  enum Action { case openButtonTapped }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

@Reducer
struct Root {
  @ObservableState
  enum State: Equatable {
    case library(Library.State)
    case login(Editor.State)
  }

  enum Action {
    case library(Library.Action)
    case login(Editor.Action)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .login(.closeButtonTapped) = action { state = .library(Library.State()) }
      return .none
    }
    .ifCaseLet(\.library, action: \.library) { Library() }
    .ifCaseLet(\.login, action: \.login) { Editor() }
  }
}
