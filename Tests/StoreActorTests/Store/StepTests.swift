import StoreActor
import Testing

/// A daemon's use of a root core: it takes old states, and sends many actions at once.
@Suite("A root core that a daemon drives", .timeLimit(.minutes(1)))
@MainActor
struct StepTests {
  @Test("The step hook owns both states, directly after the commit hook")
  func stepHook() {
    let core = RootCore(initialState: { [0] }, reducer: { Appending() })
    var log: [String] = []
    core.onCommit = { revision, old, new in log.append("commit \(revision): \(old) -> \(new)") }
    core.onStep = { revision, old, new in
      log.append("step \(revision): \(old.move()) -> \(new.pointee)")
    }
    core.send(1)
    core.send(2)
    #expect(
      log == [
        "commit 1: [0] -> [0, 11]", "step 1: [0] -> [0, 11]",
        "commit 2: [0, 11] -> [0, 11, 12]", "step 2: [0, 11] -> [0, 11, 12]",
      ]
    )
    core.onStep = nil
    core.send(3)
    #expect(core.state == [0, 11, 12, 13])
    #expect(core.withState { $0.pointee } == [0, 11, 12, 13])
  }

  @Test("Each state is released when the next one exists, and the last one with its core")
  func statesAreLetGo() {
    final class Token: Sendable {}
    weak var first: Token?
    weak var second: Token?
    do {
      let initial = Token()
      first = initial
      let core = RootCore(
        initialState: { initial },
        reducer: {
          Reduce<Token, Int> { state, _ in
            state = Token()
            return .none
          }
        },
      )
      withExtendedLifetime(initial) {}
      core.send(1)
      second = core.state
      #expect(second != nil)
      _ = core
    }
    #expect(first == nil)
    #expect(second == nil)
  }

  @Test("Sends in a batch see the core's dependencies; their observers do not")
  func surroundings() async {
    var seen: [Int] = []
    let core = RootCore(
      initialState: { [0] },
      reducer: { Appending() },
      withDependencies: { $0.seed = 7 },
    )
    let subscription = core.observeChanges { seen.append(DependencyValues._current.seed) }
    withDependencies {
      $0.seed = 3
    } operation: {
      core.batch {
        core.send(1)
        core.send(2)
      }
      #expect(DependencyValues._current.seed == 3)
    }
    #expect(core.state == [0, 71, 72])
    #expect(seen == [3, 3])
    core.send(4)
    #expect(core.state == [0, 71, 72, 74])
    subscription.cancel()
  }

  @Test("An action that an observer sends, with its own dependencies, is reduced with the core's")
  func observerSendsWhileSurrounded() {
    let core = RootCore(
      initialState: { [0] },
      reducer: { Appending() },
      withDependencies: { $0.seed = 7 },
    )
    let subscription = core.observeChanges { [unowned core] in
      guard core.revision == 1 else { return }
      withDependencies {
        $0.seed = 5
      } operation: {
        _ = core.send(2)
      }
    }
    core.batch {
      core.send(1)
      core.send(3)
    }
    #expect(core.state == [0, 71, 72, 73])
    #expect(core.revision == 3)
    subscription.cancel()
  }

  @Test("Sends in a nested batch are like any others")
  func surroundedTwice() {
    let core = RootCore(initialState: { [0] }, reducer: { Appending() })
    core.batch {
      core.send(1)
      core.batch { core.send(2) }
      core.send(3)
    }
    #expect(core.state == [0, 11, 12, 13])
  }
}

/// Appends each action plus ten times the seed.
private struct Appending: Reducer {
  typealias State = [Int]
  typealias Action = Int

  @Dependency(\.seed) var seed

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      state.append(seed * 10 + action)
      return .none
    }
  }
}

private enum SeedKey: DependencyKey {
  static let liveValue = 1
  static let testValue = 1
}

extension DependencyValues {
  fileprivate var seed: Int {
    get { self[SeedKey.self] }
    set { self[SeedKey.self] = newValue }
  }
}
