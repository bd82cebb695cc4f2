import StoreActor
import Testing

@Suite("One send is one revision", .timeLimit(.minutes(1)))
@MainActor
struct BatchTests {
  enum Action: Sendable {
    case start
    case first
    case second
    case third
  }

  @Test("Actions that a reducer sends at once are reduced before send returns, in order")
  func synchronousOrder() {
    let store = Store(initialState: [String]()) {
      Reduce<[String], Action> { state, action in
        state.append("\(action)")
        switch action {
        case .start: return .merge(.send(.first), .send(.third))
        case .first: return .send(.second)
        case .second, .third: return .none
        }
      }
    }
    store.send(.start)
    #expect(store.state == ["start", "first", "third", "second"])
  }

  @Test("A batch of queued actions is one write of the state and one revision")
  func oneRevision() {
    let core = RootCore(
      initialState: { 0 },
      reducer: {
        Reduce<Int, Action> { state, action in
          state += 1
          switch action {
          case .start: return .concatenate(.send(.first), .send(.second), .send(.third))
          default: return .none
          }
        }
      },
      revision: 41,
    )
    var commits: [String] = []
    core.onCommit = { revision, old, new in commits.append("\(revision): \(old) -> \(new)") }
    let task = core.send(.start)
    #expect(commits == ["42: 0 -> 4"])
    #expect(core.revision == 42)
    #expect(task.isFinished)
  }

  @Test("The commit hook runs first, then the observers, and only then do effects start")
  func effectsStartAfterCommit() async {
    let log = Log()
    let core = RootCore(
      initialState: { 0 },
      reducer: {
        Reduce<Int, Action> { state, action in
          log("reduce \(action)")
          state += 1
          guard case .start = action else { return .none }
          return .merge(.run { _ in log("effect") }, .send(.first))
        }
      },
    )
    core.onCommit = { _, _, _ in log("commit") }
    let subscription = core.observeChanges { log("observer") }
    await core.send(.start).finish()
    #expect(log.all == ["reduce start", "reduce first", "commit", "observer", "effect"])
    subscription.cancel()
  }

  @Test("Each action that a running effect sends has its own revision")
  func effectActionsAreRevisions() async {
    let core = RootCore(
      initialState: { 0 },
      reducer: {
        Reduce<Int, Action> { state, action in
          state += 1
          guard case .start = action else { return .none }
          return .run { send in
            await send(.first)
            await send(.second)
          }
        }
      },
    )
    var revisions: [UInt64] = []
    core.onCommit = { revision, _, _ in revisions.append(revision) }
    await core.send(.start).finish()
    #expect(revisions == [1, 2, 3])
    #expect(core.state == 3)
  }

  @Test("An action sent from the commit hook is reduced afterward, in its own revision")
  func sendFromCommitHook() async throws {
    let core = RootCore(
      initialState: { [String]() },
      reducer: {
        Reduce<[String], Action> { state, action in
          state.append("\(action)")
          return .none
        }
      },
    )
    var commits: [[String]] = []
    var late: [StoreTask] = []
    core.onCommit = { revision, _, new in
      commits.append(new)
      guard revision == 1 else { return }
      late.append(core.send(.second))
      late.append(core.send(.third))
      #expect(core.state == ["start"])
    }
    core.send(.start)
    #expect(commits == [["start"], ["start", "second"], ["start", "second", "third"]])
    #expect(try await late[0].applied() == 2)
    #expect(try await late[1].applied() == 3)
    core.onCommit = nil
  }

  @Test("An observer may send: its action is reduced at once, and effects wait for all observers")
  func sendFromObserver() async {
    let log = Log()
    let core = RootCore(
      initialState: { 0 },
      reducer: {
        Reduce<Int, Action> { state, action in
          state += 1
          return .run { _ in log("effect of \(action)") }
        }
      },
    )
    let first = core.observeChanges { [unowned core] in
      guard core.state == 1 else { return }
      core.send(.second)
      log("sent: \(core.state)")
    }
    let second = core.observeChanges { [unowned core] in
      log("second observer: \(core.state), running: \(core.hasRunningEffects)")
    }
    core.send(.first)
    await eventually { !core.hasRunningEffects }
    #expect(log.all.prefix(2) == ["second observer: 2, running: true", "sent: 2"])
    #expect(Set(log.all.dropFirst(3)) == ["effect of first", "effect of second"])
    first.cancel()
    second.cancel()
  }

  @Test("A reducer that sends to its own store is reported, and the action joins the batch")
  func sendWhileReducing() async throws {
    var send: (@MainActor (Action) -> StoreTask)?
    var inner: StoreTask?
    let core = RootCore(
      initialState: { [String]() },
      reducer: {
        Reduce<[String], Action> { state, action in
          state.append("\(action)")
          guard case .start = action else { return .none }
          MainActor.assumeIsolated { inner = send?(.first) }
          state.append("end of start")
          return .none
        }
      },
    )
    send = { [unowned core] in core.send($0) }
    withKnownIssue {
      _ = core.send(.start)
    } matching: { issue in
      issue.description.contains(
        "An action was sent to a store while the store was still reducing another one."
      )
    }
    #expect(core.state == ["start", "end of start", "first"])
    #expect(core.revision == 1)
    #expect(try await inner?.applied() == 1)
  }
}
