import StoreActor
import StoreState

/// A feature to present.
///
/// It has effects, and presents an alert and a worker.
struct PaperSheet: Reducer {
  struct State: Equatable, Sendable, Identifiable {
    let id: Int
    var ticks = 0
    var wasPresented: Bool?
    @PresentationState var alert: AlertState<Action.Alert>?
    @PresentationState var inner: Worker.State?
  }

  @CasePathable
  enum Action: Equatable, Sendable {
    case start
    case tick
    case closeTapped
    case look
    case deleteTapped
    case deleted
    case replaceAlertTapped
    case openTapped(Int)
    case alert(PresentationAction<Alert>)
    case inner(PresentationAction<Worker.Action>)

    @CasePathable
    enum Alert: Equatable, Sendable {
      case confirm
      case again
    }
  }

  @Dependency(\.continuousClock) var clock
  @Dependency(\.dismiss) var dismiss
  @Dependency(\.isPresented) var isPresented

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .start:
        return .run { send in
          for await _ in clock.timer(interval: .seconds(1)) { await send(.tick) }
        }
      case .tick:
        state.ticks += 1
      case .closeTapped:
        return .run { send in
          await dismiss()
          await send(.tick)
        }
      case .look:
        state.wasPresented = isPresented
      case .deleteTapped, .alert(.presented(.again)):
        state.alert = .confirm(id: state.id)
      case .openTapped(let id):
        state.inner = Worker.State(id: id)
      case .alert(.presented(.confirm)):
        return .send(.deleted)
      case .alert, .deleted, .inner, .replaceAlertTapped:
        break
      }
      return .none
    }
    .ifLet(\.$alert, action: \.alert)
    .ifLet(\.$inner, action: \.inner) {
      Worker()
    }
  }
}

extension AlertState<PaperSheet.Action.Alert> {
  static func confirm(id: Int) -> Self {
    AlertState {
      TextState("Delete \(id)?")
    } actions: {
      ButtonState(role: .destructive, action: .confirm) { TextState("Delete") }
      ButtonState(action: .again) { TextState("Ask again") }
      ButtonState(role: .cancel) { TextState("Keep") }
    } message: {
      TextState("This cannot be undone.")
    }
  }
}

/// A parent of sheets.
struct Desk: Reducer {
  struct State: Equatable, Sendable {
    var ticks = 0
    var sheetWasThere: Bool?
    @PresentationState var sheet: PaperSheet.State?
  }

  @CasePathable
  enum Action: Equatable, Sendable {
    case start
    case tick
    case show(Int)
    case hide
    case sheet(PresentationAction<PaperSheet.Action>)
  }

  @Dependency(\.continuousClock) var clock

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .start:
        return .run { send in
          for await _ in clock.timer(interval: .seconds(1)) { await send(.tick) }
        }
      case .tick: state.ticks += 1
      case .show(let id): state.sheet = PaperSheet.State(id: id)
      case .hide: state.sheet = nil
      case .sheet(.dismiss), .sheet(.presented(.tick)): state.sheetWasThere = state.sheet != nil
      case .sheet: break
      }
      return .none
    }
    .ifLet(\.$sheet, action: \.sheet) {
      PaperSheet()
    }
  }
}

/// A destination of several kinds, as `@Reducer enum` generates them.
struct Destination: Reducer {
  @CasePathable
  @dynamicMemberLookup
  enum State: Equatable, Sendable {
    case sheet(PaperSheet.State)
    case other(PaperSheet.State)
    case alert(AlertState<Action.Alert>)
  }

  @CasePathable
  enum Action: Equatable, Sendable {
    case sheet(PaperSheet.Action)
    case other(PaperSheet.Action)
    case alert(Alert)

    enum Alert: Equatable, Sendable {
      case confirm
    }
  }

  var body: some ReducerOf<Self> {
    EmptyReducer()
      .ifCaseLet(\.sheet, action: \.sheet) { PaperSheet() }
      .ifCaseLet(\.other, action: \.other) { PaperSheet() }
  }
}

/// A parent of destinations.
struct Lobby: Reducer {
  struct State: Equatable, Sendable {
    @PresentationState var destination: Destination.State?
  }

  @CasePathable
  enum Action: Equatable, Sendable {
    case go(Destination.State?)
    case destination(PresentationAction<Destination.Action>)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .go(let destination) = action { state.destination = destination }
      return .none
    }
    .ifLet(\.$destination, action: \.destination) {
      Destination()
    }
  }
}

/// A parent with a navigation stack.
struct Tower: Reducer {
  struct State: Equatable, Sendable {
    var path = StackState<PaperSheet.State>()
    var popped: [StackElementID] = []
    var pushed: [Int] = []
  }

  @CasePathable
  enum Action: Equatable, Sendable {
    case climb(Int)
    case jump(to: StackElementID)
    case replace([Int])
    case removeFirst
    case path(StackActionOf<PaperSheet>)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .climb(let id): state.path.append(PaperSheet.State(id: id))
      case .jump(let id): state.path.pop(to: id)
      case .replace(let ids): state.path = StackState(ids.map { PaperSheet.State(id: $0) })
      case .removeFirst: state.path.removeFirst()
      case .path(.popFrom(let id)):
        if state.path[id: id] != nil { state.popped.append(id) }
      case .path(.push(let id, _)):
        if let element = state.path[id: id] { state.pushed.append(element.id) }
      case .path: break
      }
      return .none
    }
    .forEach(\.path, action: \.path) {
      PaperSheet()
    }
  }
}
