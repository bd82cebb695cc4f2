public import StoreActor

/// A queue of builds that any number of people fill, and one daemon works off.
@Reducer
public struct BuildQueue {
  /// What everybody sees.
  @ObservableState
  public struct State: DurableState, Equatable, ReplicatedState, Sendable {
    /// The builds, oldest first.
    public var builds: IdentifiedArrayOf<Build> = []
    /// Whether builds that wait go on waiting.
    public var isPaused = false
    /// What the next build is called.
    public var nextNumber = 1

    /// An empty queue.
    public init() {}

    /// The build that is to begin, if one is.
    public var next: Build? {
      let isFree = !isPaused && !builds.contains { $0.status == .building }
      return isFree ? builds.first { $0.status == .waiting } : nil
    }
  }

  /// What clients may send.
  public enum ViewAction: Equatable, Sendable, WireAction {
    case addButtonTapped(branch: String)
    case cancelButtonTapped(number: Int)
    case clearButtonTapped
    case pauseButtonTapped
    case resumeButtonTapped
  }

  /// What only the daemon's worker sends: no client can say that a build has passed.
  public enum ReducerAction: Equatable, Sendable {
    case began(number: Int)
    case ended(number: Int, hasPassed: Bool)
  }

  /// What a client cannot exceed.
  static let limits = (builds: 200, branch: 100)

  /// Creates the feature.
  public init() {}

  /// What each action does.
  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .addButtonTapped(let branch):
        // From a client, so from a stranger.
        guard !branch.isEmpty, branch.count <= Self.limits.branch,
          state.builds.count < Self.limits.builds
        else { return .none }
        state.builds.append(Build(id: state.nextNumber, branch: branch))
        state.nextNumber += 1

      case .cancelButtonTapped(let number):
        if state.builds[id: number]?.isOver == false {
          state.builds[id: number]?.status = .canceled
        }

      case .clearButtonTapped:
        state.builds.removeAll(where: \.isOver)

      case .pauseButtonTapped:
        state.isPaused = true

      case .resumeButtonTapped:
        state.isPaused = false

      case .began(let number):
        state.builds[id: number]?.status = .building

      case .ended(let number, let hasPassed):
        // One that was canceled meanwhile stays so.
        if state.builds[id: number]?.status == .building {
          state.builds[id: number]?.status = hasPassed ? .passed : .failed
        }
      }
      return .none
    }
    .onRestored { state, _ in
      // The daemon has ended in the middle of it: once more, from the beginning.
      for build in state.builds where build.status == .building {
        state.builds[id: build.id]?.status = .waiting
      }
      return .none
    }
  }
}

/// A build of a branch.
@ObservableState
public struct Build: Equatable, Identifiable, ReplicatedState, Sendable {
  /// How a build is.
  public enum Status: String, CaseIterable, ReplicatedState, Sendable {
    case waiting, building, passed, failed, canceled
  }

  /// Its number.
  public let id: Int
  /// What is built.
  public var branch: String
  /// How it is.
  public var status = Status.waiting

  /// A build that waits.
  public init(id: Int, branch: String) {
    self.id = id
    self.branch = branch
  }

  /// Whether nothing will become of it any more.
  public var isOver: Bool { ![.waiting, .building].contains(status) }
}
