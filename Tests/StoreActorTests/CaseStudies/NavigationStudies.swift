import StoreActor

@Reducer
struct StudyCounter {
  @ObservableState
  struct State: Equatable, Identifiable {
    let id: UUID
    var count = 0
  }

  enum Action {
    case decrementButtonTapped
    case incrementButtonTapped
    case closeButtonTapped
  }

  @Dependency(\.dismiss) var dismiss

  var body: some Reducer<State, Action> {
    Reduce { state, action in
      switch action {
      case .decrementButtonTapped:
        state.count -= 1
        return .none
      case .incrementButtonTapped:
        state.count += 1
        return .none
      case .closeButtonTapped:
        return .run { _ in await self.dismiss() }
      }
    }
  }
}

/// Fields bound to a form, with reactions to changes.
@Reducer
struct BindingForm {
  @ObservableState
  struct State: Equatable {
    var sliderValue = 5.0
    var stepCount = 10
    var text = ""
    var toggleIsOn = false
    var edits = 0
  }

  enum Action: BindableAction {
    case binding(BindingAction<State>)
    case resetButtonTapped
  }

  var body: some Reducer<State, Action> {
    BindingReducer()
      .onChange(of: \.text) { _, _ in
        Reduce { state, _ in
          state.edits += 1
          return .none
        }
      }
    Reduce { state, action in
      switch action {
      case .binding(\.stepCount):
        state.sliderValue = min(state.sliderValue, Double(state.stepCount))
        return .none
      case .binding:
        return .none
      case .resetButtonTapped:
        state = State()
        return .none
      }
    }
  }
}

/// A tree of rows, each of which has rows of the same type.
@Reducer
struct Nested {
  @ObservableState
  struct State: Equatable, Identifiable {
    let id: UUID
    var name = ""
    var rows: IdentifiedArrayOf<State> = []
  }

  enum Action {
    case addRowButtonTapped
    case nameTextFieldChanged(String)
    case onDelete(IndexSet)
    indirect case rows(IdentifiedActionOf<Nested>)
  }

  @Dependency(\.uuid) var uuid

  var body: some Reducer<State, Action> {
    Reduce { state, action in
      switch action {
      case .addRowButtonTapped:
        state.rows.append(State(id: self.uuid()))
        return .none
      case .nameTextFieldChanged(let name):
        state.name = name
        return .none
      case .onDelete(let indexSet):
        state.rows.remove(atOffsets: indexSet)
        return .none
      case .rows:
        return .none
      }
    }
    .forEach(\.rows, action: \.rows) {
      Self()
    }
  }
}

/// Operators of every kind in one body.
@Reducer
struct EverythingNavigation {
  @Reducer
  enum Destination {
    case counter(StudyCounter)
    case form(BindingForm)
    @ReducerCaseEphemeral case dialog(ConfirmationDialogState<Dialog>)

    @CasePathable
    enum Dialog { case increment }
  }

  @Reducer
  enum Path {
    case counter(StudyCounter)
    case timers(Timers)
  }

  @ObservableState
  struct State: Equatable {
    @Presents var destination: Destination.State?
    @Presents var alert: AlertState<Action.Alert>?
    @Presents var sheet: StudyCounter.State?
    var path = StackState<Path.State>()
    var rows: IdentifiedArrayOf<StudyCounter.State> = []
    var optionalCounter: StudyCounter.State?
    var total = 0
  }

  enum Action {
    case destination(PresentationAction<Destination.Action>)
    case alert(PresentationAction<Alert>)
    case sheet(PresentationAction<StudyCounter.Action>)
    case path(StackActionOf<Path>)
    case rows(IdentifiedActionOf<StudyCounter>)
    case optionalCounter(StudyCounter.Action)
    case addButtonTapped
    case dialogButtonTapped
    case goToCounterButtonTapped
    case sheetButtonTapped
    case toggleCounterButtonTapped

    enum Alert: Equatable { case confirm }
  }

  @Dependency(\.uuid) var uuid

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .addButtonTapped:
        state.rows.append(StudyCounter.State(id: self.uuid()))
        return .none
      case .dialogButtonTapped:
        state.destination = .dialog(
          ConfirmationDialogState {
            TextState("Count")
          } actions: {
            ButtonState(action: .increment) { TextState("Increment") }
          }
        )
        return .none
      case .goToCounterButtonTapped:
        state.path.append(.counter(StudyCounter.State(id: self.uuid())))
        return .none
      case .sheetButtonTapped:
        state.sheet = StudyCounter.State(id: self.uuid())
        return .none
      case .toggleCounterButtonTapped:
        state.optionalCounter =
          state.optionalCounter == nil ? StudyCounter.State(id: self.uuid()) : nil
        return .none
      case .destination(.presented(.dialog(.increment))),
        .rows(.element(id: _, action: .incrementButtonTapped)),
        .path(.element(id: _, action: .counter(.incrementButtonTapped))):
        state.total += 1
        return .none
      case .destination, .alert, .sheet, .path, .rows, .optionalCounter:
        return .none
      }
    }
    .ifLet(\.$destination, action: \.destination)
    .ifLet(\.$alert, action: \.alert)
    .ifLet(\.$sheet, action: \.sheet) {
      StudyCounter()
    }
    .ifLet(\.optionalCounter, action: \.optionalCounter) {
      StudyCounter()
    }
    .forEach(\.path, action: \.path)
    .forEach(\.rows, action: \.rows) {
      StudyCounter()
    }
  }
}

extension EverythingNavigation.Destination.State: Equatable {}
extension EverythingNavigation.Path.State: Equatable {}

/// A leaf without macros, whose action is not an enum.
struct PlainLeaf: Reducer {
  func reduce(into state: inout Int, action: Bool) -> Effect<Bool> {
    state += action ? 1 : -1
    return .none
  }
}

/// A child and an alert whose actions have no case paths.
@Reducer
struct PlainParent {
  struct State: Equatable {
    var plain: Int?
    var alert: AlertState<Bool>?
    @Presents var presented: Int?
    @Presents var presentedAlert: AlertState<Bool>?
  }

  enum Action {
    case plain(Bool)
    case alert(Bool)
    case presented(PresentationAction<Bool>)
    case presentedAlert(PresentationAction<Bool>)
  }

  var body: some ReducerOf<Self> {
    EmptyReducer()
      .ifLet(\.plain, action: \.plain) { PlainLeaf() }
      .ifLet(\.alert, action: \.alert)
      .ifLet(\.$presented, action: \.presented) { PlainLeaf() }
      .ifLet(\.$presentedAlert, action: \.presentedAlert)
  }
}
