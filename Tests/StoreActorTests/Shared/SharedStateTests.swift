import Foundation
import StoreActor
import Testing

@Suite("Shared values in the states of stores", .timeLimit(.minutes(1)))
@MainActor
struct SharedStateTests {
  private func places() -> (core: RootCore<Places.State, Places.Action>, count: Shared<Int>) {
    let count = Shared(value: 0)
    return (RootCore(initialState: { Places.State(count) }, reducer: { Places() }), count)
  }

  @Test("A change by an action shows in every place of the state")
  func everyPlace() {
    let (core, count) = places()
    let before = core.state
    core.send(.child(.add(2)))
    #expect(core.state.shown == Array(repeating: 2, count: before.shown.count))
    #expect(before.shown == Array(repeating: 0, count: before.shown.count))
    #expect(core.state != before)
    #expect(core.revision == 1)
    #expect(count.wrappedValue == 2)
  }

  @Test("Changes from outside are one revision without an action, for any number of changes")
  func outside() async {
    let (core, count) = places()
    var states: [Int] = []
    let subscription = core.observeChanges { states.append(core.state.count) }
    count.withLock { $0 = 1 }
    count.withLock { $0 = 2 }
    #expect(core.state.count == 0)
    #expect(core.state.$count.wrappedValue == 2)
    await turns { core.revision > 0 }
    #expect(core.revision == 1)
    #expect(core.state.shown == Array(repeating: 2, count: core.state.shown.count))
    #expect(states == [2])
    withExtendedLifetime(subscription) {}
  }

  @Test("A change from outside precedes the next action, in its own revision")
  func outsideBeforeAction() {
    let (core, count) = places()
    var shown: [[Int]] = []
    core.onCommit = { revision, old, new in shown.append([Int(revision), old.count, new.count]) }
    count.withLock { $0 = 5 }
    core.send(.child(.add(1)))
    #expect(shown == [[1, 0, 5], [2, 5, 6]])
  }

  @Test("An invisible change, or one to an equal value, makes no revision")
  func noRevision() async {
    let (core, count) = places()
    let other = Shared(value: 0)
    other.withLock { $0 = 1 }
    count.withLock { $0 = 0 }
    for _ in 0..<100 { await Task.yield() }
    #expect(core.revision == 0)
    core.send(.tick)
    #expect(core.revision == 1)
  }

  @Test("A shared value is followed while it is in the state, and only then")
  func replaced() async {
    let (core, count) = places()
    let other = Shared(value: 7)
    core.send(.replace(other))
    #expect(core.state.child.count == 7)
    count.withLock { $0 = 1 }
    other.withLock { $0 = 8 }
    await turns { core.revision > 1 }
    #expect(core.state.child.count == 8)
    #expect(core.state.count == 1)
  }

  @Test("A state is a value: a copy of it does not change")
  func kept() {
    let (core, _) = places()
    core.send(.child(.add(1)))
    let kept = core.state
    core.send(.child(.add(1)))
    #expect(kept.shown == Array(repeating: 1, count: kept.shown.count))
    #expect(kept.child == Tally.State(count: Shared(value: 1)))
  }

  @Test(
    "A step sees one version of all values, and its own changes, during concurrent changes"
  )
  func oneVersion() async {
    struct Both: Equatable {
      @Shared var first: Int
      @Shared var second: Int
      var seen: [Int] = []
    }
    let (first, second) = (Shared(value: 0), Shared(value: 0))
    let core = RootCore<Both, Bool>(
      initialState: { Both(first: first, second: second) },
      reducer: {
        Reduce { state, writes in
          state.seen = [state.first]
          onAnotherThread {
            first.withLock { $0 += 1 }
            second.withLock { $0 += 1 }
          }
          state.seen += [state.first, state.second, first.wrappedValue]
          guard writes else { return .none }
          state.$first.withLock { $0 += 10 }
          state.seen += [state.first, state.second]
          return .none
        }
      },
    )
    core.send(false)
    #expect(core.state.seen == [0, 0, 0, 0])
    #expect(core.state.first == 0)
    #expect(core.state.second == 0)
    await turns { core.revision > 1 }
    #expect(core.state.first == 1)
    #expect(core.state.second == 1)
    core.send(true)
    // Its own change applies to the current value, and shows all changes that preceded it.
    #expect(core.state.seen == [1, 1, 1, 1, 12, 2])
    #expect(core.state.first == 12)
    #expect(core.state.second == 2)
  }

  @Test("With concurrent writers and actions, each state is a prefix of the writes")
  func prefixes() async {
    let writers = 3
    let history = History(writers: writers + 1)
    let shown = LockIsolated<[[Int]]>([])
    func note(_ state: [Tally.State]) { shown.withValue { $0.append(state.map(\.count)) } }
    let core = RootCore<[Tally.State], Bool>(
      initialState: { history.counts.map { Tally.State(count: $0) } },
      reducer: {
        Reduce { state, _ in
          note(state)
          history.write(writers)
          note(state)
          return .none
        }
      },
    )
    core.onCommit = { _, _, new in note(new) }
    let (isOver, group) = (LockIsolated(false), DispatchGroup())
    for writer in 0..<writers {
      DispatchQueue(label: "writer \(writer)").async(group: group) {
        for _ in 0..<10_000 where !isOver.value { history.write(writer) }
      }
    }
    // All writers run, so that writes occur between the actions.
    while history.counts.dropLast().contains(where: { $0.wrappedValue == 0 }) { await Task.yield() }
    for _ in 0..<200 {
      core.send(true)
      await Task.yield()
    }
    isOver.setValue(true)
    await withCheckedContinuation { done in group.notify(queue: .main) { done.resume() } }
    core.send(true)
    let prefixes = history.prefixes
    #expect(shown.value.last == prefixes.last)
    #expect(shown.value.allSatisfy { prefixes[$0.max() ?? 0] == $0 })
  }

  @Test("Several stores that show a value settle one after another")
  func severalStores() async {
    let count = Shared(value: 0)
    let one = Store(initialState: Tally.State(count: count)) { Tally() }
    let other = Store(initialState: Tally.State(count: count)) { Tally() }
    one.send(.add(3))
    #expect(one.count == 3)
    #expect(other.withState(\.count) == 0)
    await turns { other.count == 3 }
    #expect(other.count == 3)
    other.send(.add(1))
    one.send(.tap)
    #expect(one.count == 4)
  }

  @Test("Only readers of a shared value are notified of its changes")
  func observed() async {
    let count = Shared(value: 0)
    let store = Store(initialState: Tally.State(count: count)) { Tally() }
    let told = LockIsolated<[String]>([])
    withObservationTracking {
      _ = store.count
    } onChange: {
      told.withValue { $0.append("count") }
    }
    withObservationTracking {
      _ = store.taps
    } onChange: {
      told.withValue { $0.append("taps") }
    }
    count.withLock { $0 = 1 }
    await turns { !told.value.isEmpty }
    #expect(told.value == ["count"])
  }

  @Test("An onChange of a part sees the shared values in it")
  func onChange() {
    let count = Shared(value: 0)
    let core = RootCore<Places.State, Places.Action>(
      initialState: { Places.State(count) },
      reducer: {
        Places().onChange(of: \.child) { old, state in
          // Every read in a step returns the step's version, also of an old state.
          state.array[0].taps = state.child.count * 10 + old.count - 3
          return .none
        }
      },
    )
    core.send(.child(.add(3)))
    #expect(core.state.array[0].taps == 30)
    core.send(.tick)
    #expect(core.state.array[0].taps == 30)
  }

  @Test("A shared value that contains another one shows the old values of both, if either changes")
  func nested() async {
    let (core, count) = places()
    let before = core.state
    core.send(.tapNested)
    let tapped = core.state
    count.withLock { $0 = 5 }
    #expect(tapped.nested == before.nested(taps: 1, count: 0))
    await turns { core.revision > 1 }
    #expect(core.state.nested == before.nested(taps: 1, count: 5))
    #expect(tapped.nested.count == 0)
    #expect(core.state != tapped)
  }

  @Test("Values that contain each other as shared values can be shown")
  func sharedByEachOther() {
    struct Ring {
      var count = 0
      var other: Shared<Ring>?
    }
    let one = Shared(value: Ring())
    let other = Shared(value: Ring(other: one))
    one.withLock { $0.other = other }
    let core = RootCore<Shared<Ring>, Bool>(
      initialState: { one },
      reducer: {
        Reduce { state, _ in
          state.withLock { $0.count += 1 }
          state.wrappedValue.other?.withLock { $0.count += 10 }
          return .none
        }
      },
    )
    core.send(true)
    #expect(core.state.wrappedValue.count == 1)
    #expect(core.state.wrappedValue.other?.wrappedValue.count == 10)
    one.withLock { $0.other = nil }
  }

  @Test("A removed row shows its last value")
  func rowThatGoes() throws {
    struct Row: Equatable, Identifiable {
      let id: Int
      var title = "first"
    }
    struct State {
      @Shared var rows: IdentifiedArrayOf<Row>
      var editor: Shared<Row>?
    }
    let core = RootCore<State, String?>(
      initialState: {
        let rows = Shared(value: [Row(id: 1)] as IdentifiedArrayOf<Row>)
        return State(rows: rows, editor: Shared(rows[id: 1]))
      },
      reducer: {
        Reduce { state, title in
          state.$rows.withLock { if let title { $0[id: 1]?.title = title } else { $0 = [] } }
          return .none
        }
      },
    )
    core.send("second")
    #expect(core.state.editor?.wrappedValue.title == "second")
    core.send(nil)
    #expect(core.state.rows.isEmpty)
    #expect(core.state.editor?.wrappedValue.title == "second")
  }

  @Test("Changes by a client's action are reverted if its target is absent")
  func refused() async {
    let count = Shared(value: 0)
    let other = Shared(value: 0)
    let core = RootCore<Guarded.State, Guarded.Action>(
      initialState: { Guarded.State(count: count, other: other) },
      reducer: { Guarded() },
    )
    Guarded.meanwhile.setValue { onAnotherThread { other.withLock { $0 = 7 } } }
    #expect(core.sendFromAfar(.child(.tap)) == nil)
    #expect(count.wrappedValue == 0)
    // Another thread has changed the value since.
    #expect(other.wrappedValue == 7)
    await turns { core.revision > 0 }
    #expect(core.state.count == 0)
    #expect(core.state.other == 7)
    #expect(core.revision == 1)
  }

  @Test("A discarded step does not discard changes by others")
  func givenUp() async {
    let count = Shared(value: 0)
    let core = RootCore<Tally.State, Tally.Action>(
      initialState: { Tally.State(count: count) },
      reducer: { Tally() },
    )
    core.onCommit = { _, _, _ in
      if count.wrappedValue == 1 { count.withLock { $0 = 2 } }
    }
    count.withLock { $0 = 1 }
    // Settled at first, in a revision that changes the value.
    #expect(core.changeFromAfar { _ in false } == nil)
    await turns { core.state.count == 2 }
    #expect(core.state.count == 2)
    #expect(core.revision == 2)
  }

  @Test("A reducer may create the first shared value of a process")
  func firstOfAll() async {
    await #expect(processExitsWith: .success) {
      await MainActor.run {
        let core = RootCore<Tally.State?, Bool>(
          initialState: { nil },
          reducer: {
            Reduce { state, _ in
              if state == nil { state = Tally.State(count: Shared(value: 1)) }
              return .none
            }
          },
        )
        core.send(true)
        let first = core.state
        first?.$count.withLock { $0 = 2 }
        precondition(first?.count == 1, "It is a snapshot.")
        core.send(true)
        precondition(core.state?.count == 2 && core.revision == 3, "The change has a revision.")
      }
    }
  }

  @Test("A state may contain values whose fields cannot be inspected")
  func existentials() {
    @Shared(value: 0) var elsewhere
    let core = RootCore(initialState: { Odd.State() }, reducer: { Odd() })
    core.send(.tapped)
    #expect(core.state.count == 1)
    #expect(core.state.failure is CancellationError)
  }

  private struct Odd: Reducer {
    struct State: Sendable {
      var failure: (any Error)?
      var result: Result<Int, any Error> = .success(1)
      var anything: any Sendable = 1
      var key = AnyHashableSendable(1)
      var slice = [1, 2, 3][1...]
      var task: Task<Void, Never>?
      var clock: any Clock<Duration> = ContinuousClock()
      @Shared(value: 0) var count
    }

    enum Action: Sendable {
      case tapped
    }

    var body: some ReducerOf<Self> {
      Reduce { state, _ in
        state.failure = CancellationError()
        state.$count.withLock { $0 += 1 }
        return .none
      }
    }
  }
}

extension Places.State {
  /// Returns an expected value with a shared count.
  fileprivate func nested(taps: Int, count: Int) -> Places.Nested {
    Places.Nested(count: Shared(value: count), taps: taps)
  }
}

/// A parent of an optional child.
///
/// It counts the actions in shared values.
private struct Guarded: Reducer {
  struct State: Sendable {
    @Shared var count: Int
    @Shared var other: Int
    var child: Tally.State?
  }

  @CasePathable
  enum Action { case child(Tally.Action) }

  static let meanwhile = LockIsolated<@Sendable () -> Void>({})

  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.$count.withLock { $0 += 1 }
      state.$count.withLock { $0 += 1 }
      state.$other.withLock { $0 += 1 }
      Self.meanwhile.value()
      return .none
    }
    .ifLet(\.child, action: \.child) { Tally() }
  }
}
