public import StoreActor

/// Features with parts that are more or less visible than the feature.
public enum PartsFixture {
  /// A public feature that keeps some of its actions private.
  @Reducer
  public struct PublicFeature: Sendable {
    /// The state of the feature.
    @ObservableState
    public struct State: Equatable, ReplicatedState, Sendable {
      /// A number.
      public var count = 0
      /// Creates a state.
      public init() {}
    }
    /// The actions that clients send.
    public enum ViewAction: Equatable, WireAction, Sendable { case add(Int) }
    enum ReducerAction: Equatable, Sendable { case added(Int) }
    /// Creates a feature.
    public init() {}
    /// The feature's reducers.
    public var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .add(let number): return .send(Action(reducerAction: .added(number)))
        case .added(let number):
          state.count += number
          return .none
        }
      }
    }
  }

  /// A public feature with a part that is visible in the package.
  @Reducer
  public struct PackagePart {
    /// The actions that clients send.
    public enum ViewAction: Equatable, Sendable { case add }
    package enum ReducerAction: Equatable, Sendable { case added }
  }

  @Reducer
  package struct PackageFeature {
    package enum ViewAction: Equatable { case add }
    enum ReducerAction: Equatable { case added }
  }

  @Reducer
  struct PrivatePart {
    @ObservableState
    struct State: Equatable, ReplicatedState { var count = 0 }
    enum ViewAction: Equatable, WireAction { case add }
    private enum ReducerAction: Equatable { case added(Int) }
    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .add: return .send(.added(3))
        case .added(let number):
          state.count += number
          return .none
        }
      }
    }
  }

  @Reducer
  struct FilePrivatePart {
    enum ViewAction: Equatable { case add }
    fileprivate enum ReducerAction: Equatable { case added(Int) }
  }

  @Reducer
  struct PrivateParts {
    private enum ViewAction: Equatable { case add }
    private enum ReducerAction: Equatable { case added(Int) }
  }

  /// A feature that is private to the file, with parts of every visibility.
  @Reducer
  fileprivate struct FilePrivateFeature {
    @ObservableState
    struct State: Equatable, ReplicatedState { var digest = "" }
    enum ViewAction: Equatable, WireAction { case add }
    fileprivate enum ReducerAction: Equatable {
      case added(Sum)
      enum Sum: Equatable { case small }
    }
  }

  static func reducerAction(_ number: Int) -> FilePrivatePart.Action {
    FilePrivatePart.Action(reducerAction: .added(number))
  }

  static func sums() -> Bool {
    FilePrivateFeature.Action(reducerAction: .added(.small)) == .added(.small)
      && PrivateFeature.Action.digest("") == .digest("")
  }
}

/// A feature that is private to the file.
@Reducer
private struct PrivateFeature {
  @ObservableState
  struct State: Equatable, ReplicatedState { var digest = "" }
  enum Action: Equatable, WireAction { case digest(String) }
}
