import StoreActor
import Testing

/// A feature with a number, for tests of stores and tools.
struct Counter: Reducer {
  struct State: Equatable, Sendable {
    var count = 0
  }

  enum Action: Equatable, Sendable, CasePathable {
    case increment
    case set(Int)

    struct AllCasePaths: CasePathReflectable, Sendable {
      var increment: AnyCasePath<Action, Void> {
        AnyCasePath(
          embed: { .increment },
          extract: { if case .increment = $0 { () } else { nil } },
        )
      }
      var set: AnyCasePath<Action, Int> {
        AnyCasePath(embed: Action.set) { if case .set(let value) = $0 { value } else { nil } }
      }
      subscript(root: Action) -> PartialCaseKeyPath<Action> {
        switch root {
        case .increment: \.increment
        case .set: \.set
        }
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .increment: state.count += 1
      case .set(let count): state.count = count
      }
      return .none
    }
  }
}

/// A child with an effect that can be started.
struct Worker: Reducer {
  struct State: Equatable, Sendable, Identifiable {
    let id: Int
    var ticks = 0
  }

  enum Action: Equatable, Sendable {
    case start
    case stop
    case tick
  }

  @Dependency(\.continuousClock) var clock

  enum CancelID { case work }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .start:
        return .run { send in
          for await _ in clock.timer(interval: .seconds(1)) { await send(.tick) }
        }
        .cancellable(id: CancelID.work)
      case .stop:
        return .cancel(id: CancelID.work)
      case .tick:
        state.ticks += 1
        return .none
      }
    }
  }
}

/// A parent with a child of every kind.
struct Office: Reducer {
  struct State: Equatable, Sendable {
    var boss = Worker.State(id: 0)
    var guest: Worker.State?
    var rows: IdentifiedArrayOf<Worker.State> = []
    var guestWasThere: Bool?
  }

  enum Action: Equatable, Sendable, CasePathable {
    case boss(Worker.Action)
    case guest(Worker.Action)
    case rows(IdentifiedActionOf<Worker>)
    case guestCame(Int)
    case guestLeft
    case rowRemoved(Int)
    case rowsReplaced(IdentifiedArrayOf<Worker.State>)

    struct AllCasePaths: Sendable {
      var boss: AnyCasePath<Action, Worker.Action> {
        AnyCasePath(embed: Action.boss) { if case .boss(let action) = $0 { action } else { nil } }
      }
      var guest: AnyCasePath<Action, Worker.Action> {
        AnyCasePath(embed: Action.guest) { if case .guest(let action) = $0 { action } else { nil } }
      }
      var rows: AnyCasePath<Action, IdentifiedActionOf<Worker>> {
        AnyCasePath(embed: Action.rows) { if case .rows(let action) = $0 { action } else { nil } }
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  var body: some ReducerOf<Self> {
    Scope(\.boss, action: \.boss) {
      Worker()
    }
    Reduce { state, action in
      switch action {
      case .guestCame(let id): state.guest = Worker.State(id: id)
      case .guestLeft: state.guest = nil
      case .rowRemoved(let id): state.rows.remove(id: id)
      case .rowsReplaced(let rows): state.rows = rows
      case .guest: state.guestWasThere = state.guest != nil
      case .boss, .rows: break
      }
      return .none
    }
    .ifLet(\.guest, action: \.guest) {
      Worker()
    }
    .forEach(\.rows, action: \.rows) {
      Worker()
    }
  }
}

/// Lets other tasks run until a condition holds; fails the test when it does not within a limit.
@MainActor
func eventually(
  _ condition: @MainActor () -> Bool,
  sourceLocation: SourceLocation = #_sourceLocation,
) async {
  for _ in 0..<20_000 where !condition() {
    await Task.detached(priority: .background) { await Task.yield() }.value
  }
  #expect(condition(), sourceLocation: sourceLocation)
}

/// A log that accepts lines from any thread.
final class Log: Sendable {
  private let lines = LockIsolated<[String]>([])

  var all: [String] { lines.value }

  func callAsFunction(_ line: String) {
    lines.withValue { $0.append(line) }
  }
}
