public import StoreActor

@Reducer
struct Nothing {}

@Reducer
struct Clicker {
  @ObservableState
  struct State: Equatable { var count = 0 }
  enum Action { case tapped }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .tapped:
        state.count += 1
        return .none
      }
    }
  }
}

/// A state that several features share.
struct Toggled<ID: Hashable & Sendable>: Equatable {
  let id: ID
  var isOn = false
}

@CasePathable
enum ToggledAction { case toggled }

/// Reduces types that are declared outside of it.
@Reducer
struct Toggler<ID: Hashable & Sendable> {
  var body: some Reducer<Toggled<ID>, ToggledAction> {
    Reduce { state, _ in
      state.isOn.toggle()
      return .none
    }
  }
}

/// A public feature with a public state and action.
@Reducer
public struct PublicFeature {
  /// The feature's state.
  @ObservableState
  public struct State: Equatable {
    /// A number.
    public var count = 0
    var clicker = Clicker.State()
    /// Creates a state.
    public init() {}
  }
  /// The feature's actions.
  public enum Action {
    case tapped
    case clicker(PublicClicker.Action)
  }

  /// Creates a feature.
  public init() {}

  /// The feature's reducers.
  public var body: some Reducer<State, Action> {
    Reduce { state, action in
      state.count += 1
      return .none
    }
    Reduce { state, action in
      .none
    }
  }
}

/// A public feature without members.
@Reducer
public struct PublicClicker {}

@Reducer
struct Leaf {
  struct State: Equatable { var count = 0 }
  enum Action { case tapped(Int) }
  func reduce(into state: inout State, action: Action) -> Effect<Action> {
    if case .tapped(let count) = action { state.count = count }
    return .none
  }
}

@Reducer
enum Path {
  case clicker(Clicker)
  case leaf(Leaf = Leaf())
  case generic(Holder<Int>)
  @ReducerCaseIgnored
  case note(String, size: Int)
  case nothing
  case alert(AlertState<Alert>)
  @ReducerCaseEphemeral
  case dialog(ConfirmationDialogState<Alert>)
  case sheet(Sheet.Body = Sheet.body)
  #if DEBUG || !DEBUG
  case more(Clicker)
  #else
  case less(Leaf)
  #endif

  enum Alert: Equatable { case confirmed }
}
extension Path.State: Equatable {}
extension Sheet.State: Equatable {}

/// A public enum of features.
@Reducer
public enum Sheet {
  case clicker(PublicClicker)
}

@Reducer
struct Holder<Value: Equatable & Sendable> {
  struct State: Equatable { var value: Value }
  enum Action { case changed(Value) }
  var body: some Reducer<Self.State, Self.Action> {
    Reduce { state, action in
      switch action {
      case .changed(let value):
        state.value = value
        return .none
      }
    }
  }
}

@Reducer(state: .equatable, .sendable, action: .equatable)
enum Conformed {
  case clicker(PublicClicker)
}

@Reducer
struct Login {
  @ObservableState
  struct State: Equatable { var name = "" }

  enum ViewAction: Equatable {
    case nameChanged(String)
    case loginButtonTapped
    case delegate(Delegate)
    enum Delegate { case done }
  }

  enum ReducerAction: Equatable {
    case loginResponse(name: String, Int)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .nameChanged(let name):
        state.name = name
        return .none
      case .loginButtonTapped:
        return .send(.loginResponse(name: "a", 1))
      case .delegate:
        return .none
      case .loginResponse(let name, _):
        state.name = name
        return .none
      }
    }
  }
}

/// A feature whose only sender is the feature itself.
@Reducer
struct Silent {
  enum ViewAction {}
  enum ReducerAction { case response(Int) }
}
