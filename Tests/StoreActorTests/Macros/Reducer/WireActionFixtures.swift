public import StoreActor

/// The actions of a child; `loaded` is private.
@CasePathable
enum ChildWire: Equatable, WireAction {
  case toggleButtonTapped
  case titleChanged(title: String)
  @ReplicationIgnored case loaded(Private)
  @Replicated(formerly: "gone") case removed

  struct Private: Equatable {}
}

/// Every kind of case that may be sent.
@CasePathable
enum ParentWire: Equatable, WireAction {
  case clear
  case moved(source: [Int], destination: Int, animated: Bool)
  case rows(IdentifiedAction<Int, ChildWire>)
  case child(ChildWire)
  case mixed(Int, b: String, `default`: Bool)
  case optional(String?)
  #if DEBUG || !DEBUG
  case here(Int)
  #else
  case elsewhere(Nowhere)
  #endif
  @ReplicationIgnored case response(Int)
}

/// The same action with a conformance that is written manually.
enum ParentLayout: Equatable, WireChoiceAction {
  case clear
  case moved(source: [Int], destination: Int, animated: Bool)
  case rows(IdentifiedAction<Int, ChildLayout>)
  case child(ChildLayout)
  case response(Int)

  static let layout = ActionLayout<ParentLayout>(
    "ParentWire",
    [
      .case("clear", .clear),
      .case(
        "moved",
        "source",
        "destination",
        "animated",
        embed: ParentLayout.moved(source:destination:animated:),
      ) {
        if case .moved(let from, let to, let animated) = $0 { (from, to, animated) } else { nil }
      },
      .case("rows", embed: ParentLayout.rows) {
        if case .rows(let action) = $0 { action } else { nil }
      },
      .case("child", embed: ParentLayout.child) {
        if case .child(let action) = $0 { action } else { nil }
      },
    ],
  )
}

enum ChildLayout: Equatable, WireChoiceAction {
  case toggleButtonTapped
  case titleChanged(title: String)
  case loaded(Int)

  static let layout = ActionLayout<ChildLayout>(
    "ChildWire",
    [
      .case("toggleButtonTapped", .toggleButtonTapped),
      .case("titleChanged", "title", embed: ChildLayout.titleChanged(title:)) {
        if case .titleChanged(let title) = $0 { title } else { nil }
      },
    ],
  )
}

/// A public feature with an action in two parts, one of which clients may send.
@Reducer
public struct Remote {
  /// The feature's state.
  @ObservableState
  public struct State: Equatable, Sendable {
    /// A name.
    public var name = ""
    /// Creates a state.
    public init() {}
  }

  /// The actions that a client may send.
  public enum ViewAction: Equatable, WireAction {
    case nameChanged(String)
    case reload
  }

  /// The actions that only the feature sends.
  public enum ReducerAction: Equatable {
    case loaded(Result<String, Failure>)
  }

  /// The possible failure.
  public struct Failure: Error, Equatable {}

  /// Creates a feature.
  public init() {}

  /// The feature's reducers.
  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .nameChanged(let name): state.name = name
      case .reload: return .send(.loaded(.success("loaded")))
      case .loaded(.success(let name)): state.name = name
      case .loaded(.failure): break
      }
      return .none
    }
  }
}

@Reducer(state: .equatable, action: .equatable, .wireAction)
enum RemotePath {
  case remote(RemoteChild)
  @ReducerCaseIgnored case note(String)
}

@Reducer
struct RemoteChild {
  @ObservableState
  struct State: Equatable { var count = 0 }
  enum Action: Equatable, WireAction { case tapped }
  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.count += 1
      return .none
    }
  }
}

/// An action without a case that a client may send.
@CasePathable
enum Mute: WireAction {
  @ReplicationIgnored case response(Int)
}

@CasePathable
enum Generic<Value: WireValue>: WireAction {
  case changed(Value)
}

/// Children without cases that clients may send.
///
/// They must compile without warnings.
@CasePathable
enum Quiet: WireAction {
  case child(Silence)
  case never(Never)
  case spoken
}

@CasePathable
enum Quietest: WireAction { case child(Silence) }

@CasePathable
enum Silence: WireAction {}

/// An enum of features whose state and actions both have wire forms.
@Reducer(state: .equatable, .replicatedState, action: .wireAction)
enum Travelling {
  case row(TravellingRow)
  case nothing
}

@Reducer
struct TravellingRow {
  @ObservableState
  struct State: Equatable, ReplicatedState { var count = 0 }
  enum Action: WireAction { case tapped }
  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.count += 1
      return .none
    }
  }
}
