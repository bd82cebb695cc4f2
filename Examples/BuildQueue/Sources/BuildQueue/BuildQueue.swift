public import StoreActor

/// A queue of builds: any number of people add builds, and one daemon performs them.
@Reducer
public struct BuildQueue {
  /// The state that all clients see.
  @ObservableState
  public struct State: DurableState, Equatable, ReplicatedState, Sendable {
    /// The builds, oldest first.
    public var builds: IdentifiedArrayOf<Build> = []
    /// Whether no build begins.
    public var isPaused = false
    /// The number of the next build.
    public var nextNumber = 1

    /// An empty queue.
    public init() {}

    /// The build that is to begin, if there is one.
    public var next: Build? {
      let isFree = !isPaused && !builds.contains { $0.status == .building }
      return isFree ? builds.first { $0.status == .waiting } : nil
    }
  }

  /// The actions that clients may send.
  public enum ViewAction: Equatable, Sendable, WireAction {
    case addButtonTapped(branch: String)
    case cancelButtonTapped(number: Int)
    case clearButtonTapped
    case pauseButtonTapped
    case resumeButtonTapped
  }

  /// The action that only an effect sends: no client can report that a build has passed.
  public enum ReducerAction: DurableAction, Equatable, Sendable {
    case ended(number: Int, hasPassed: Bool)
  }

  private enum CancelID { case build }

  @Dependency(\.builder) private var builder

  /// The greatest number of builds, and of characters of a branch.
  static let limits = (builds: 200, branch: 100)

  /// Creates the feature.
  public init() {}

  /// The consequences of each action.
  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .addButtonTapped(let branch):
        guard !branch.isEmpty, branch.count <= Self.limits.branch else {
          return .refuse("A branch has 1 to \(Self.limits.branch) characters.", code: "branch")
        }
        guard state.builds.count < Self.limits.builds else {
          return .refuse("There are \(Self.limits.builds) builds. Clear the queue.", code: "full")
        }
        let number = state.nextNumber
        state.builds.append(Build(id: number, branch: branch))
        state.nextNumber += 1
        return .merge(.reply(number), beginNext(&state))

      case .cancelButtonTapped(let number):
        guard let build = state.builds[id: number] else {
          return .refuse("There is no build #\(number).", code: "absent")
        }
        guard !build.isOver else {
          return .refuse("Build #\(number) has ended: \(build.status.rawValue).", code: "ended")
        }
        state.builds[id: number]?.status = .canceled
        guard build.status == .building else { return .none }
        return .concatenate(.cancel(id: CancelID.build), beginNext(&state))

      case .clearButtonTapped:
        state.builds.removeAll(where: \.isOver)

      case .pauseButtonTapped:
        state.isPaused = true

      case .resumeButtonTapped:
        state.isPaused = false
        return beginNext(&state)

      case .ended(let number, let hasPassed):
        state.builds[id: number]?.status = hasPassed ? .passed : .failed
        return beginNext(&state)
      }
      return .none
    }
    .onRestored { state, _ in
      // The daemon ended during this build, which begins again.
      for build in state.builds where build.status == .building {
        state.builds[id: build.id]?.status = .waiting
      }
      return beginNext(&state)
    }
  }

  /// Begins the next build, if no build runs and the queue is not paused.
  ///
  /// The daemon owns the work, so the client that added the build may leave.
  private func beginNext(_ state: inout State) -> Effect<Action> {
    guard let next = state.next else { return .none }
    state.builds[id: next.id]?.status = .building
    return .run(name: "build", owner: .daemon) { [builder] send in
      let hasPassed = await builder.perform(next)
      await send(.ended(number: next.id, hasPassed: hasPassed))
    }
    .cancellable(id: CancelID.build)
  }
}

/// A build of a branch.
@ObservableState
public struct Build: Equatable, Identifiable, ReplicatedState, Sendable {
  /// The status of a build.
  public enum Status: String, CaseIterable, ReplicatedState, Sendable {
    case waiting, building, passed, failed, canceled
  }

  /// Its number.
  public let id: Int
  /// The branch to build.
  public var branch: String
  /// Its status.
  public var status = Status.waiting

  /// Creates a build that waits.
  public init(id: Int, branch: String) {
    self.id = id
    self.branch = branch
  }

  /// Whether it has ended.
  public var isOver: Bool { ![.waiting, .building].contains(status) }
}
