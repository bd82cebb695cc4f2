import StoreActor
import Testing

@Suite("Remote actions with a target that may be absent", .timeLimit(.minutes(1)))
@MainActor
struct AbsenceFromAfarTests {
  private typealias Core = RootCore<Office.State, Office.Action>

  private func office(_ state: Office.State = Office.State()) -> Core {
    Core(
      initialState: { state },
      reducer: { Office() },
      withDependencies: { $0.continuousClock = TestClock() },
    )
  }

  @Test(
    "An action for an absent child has no effect, makes no revision and is not reported",
    arguments: [
      .guest(.tick), .guest(.start), .rows(.element(id: 42, action: .tick)),
    ] as [Office.Action],
  )
  func absent(action: Office.Action) {
    let core = office()
    var commits = 0
    core.onCommit = { _, _, _ in commits += 1 }
    #expect(core.sendFromAfar(action) == nil)
    #expect(core.state == Office.State())
    #expect(core.revision == 0)
    #expect(commits == 0)
    #expect(!core.hasRunningEffects)
  }

  @Test("An action for a present child is reduced like any other")
  func present() {
    let core = office(Office.State(guest: Worker.State(id: 1)))
    let task = core.sendFromAfar(.guest(.tick))
    #expect(task?.isFinished == true)
    #expect(core.state.guest?.ticks == 1)
    #expect(core.state.guestWasThere == true)
    #expect(core.revision == 1)
  }

  @Test("After a remote action, an action in process is a mistake again, and is reported")
  func inProcess() {
    let core = office()
    #expect(core.sendFromAfar(.guest(.tick)) == nil)
    withKnownIssue {
      _ = core.send(.guest(.tick), lineage: nil)
    } matching: { issue in
      issue.description.contains("when the child's state was nil.")
    }
    #expect(core.revision == 1)
    #expect(core.state.guestWasThere == false)
  }

  @Test("Changes of other reducers are reverted, in any order of reducers")
  func others() {
    let core = RootCore(initialState: { Hall.State() }, reducer: { Hall() })
    var outputs = 0
    let subscription = core.observeOutputs { _ in outputs += 1 }
    #expect(core.sendFromAfar(.child(.increment)) == nil)
    #expect(core.state == Hall.State())
    #expect(outputs == 0)
    #expect(core.sendFromAfar(.open)?.isFinished == true)
    #expect(core.sendFromAfar(.child(.increment))?.isFinished == true)
    #expect(core.state == Hall.State(seen: 2, child: Counter.State(count: 1)))
    #expect(outputs == 1)
    #expect(core.revision == 2)
    subscription.cancel()
  }

  @Test("An action of a feature itself to an absent child is a mistake, for any sender")
  func triggered() {
    let core = RootCore(initialState: { Hall.State() }, reducer: { Hall() })
    withKnownIssue {
      #expect(core.sendFromAfar(.openedLate) != nil)
    } matching: { issue in
      issue.description.contains("when the child's state was nil.")
    }
    #expect(core.revision == 1)
  }

  @Test("In a batch, actions with an absent target do not affect the others")
  func batch() {
    let core = office(Office.State(rows: [Worker.State(id: 1)]))
    core.batch {
      for id in [1, 2, 1, 3] {
        let task = core.sendFromAfar(.rows(.element(id: id, action: .tick)))
        #expect((task == nil) == (id != 1))
      }
    }
    #expect(core.state.rows == [Worker.State(id: 1, ticks: 2)])
    #expect(core.revision == 2)
  }
}

/// A parent that runs before its child, and counts the actions that it sees.
private struct Hall: Reducer {
  struct State: Equatable, Sendable {
    var seen = 0
    var child: Counter.State?
  }

  enum Action: Equatable, Sendable, CasePathable {
    case child(Counter.Action)
    case open
    case openedLate

    struct AllCasePaths: Sendable {
      var child: AnyCasePath<Action, Counter.Action> {
        AnyCasePath(embed: Action.child) { if case .child(let action) = $0 { action } else { nil } }
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      state.seen += 1
      switch action {
      case .open: state.child = Counter.State()
      case .openedLate: return .send(.child(.increment))
      case .child: return .output(state.seen)
      }
      return .none
    }
    EmptyReducer()
      .ifLet(\.child, action: \.child) {
        Counter()
      }
  }
}
