import StoreActor
import Testing

@Suite("Replies", .timeLimit(.minutes(1)))
@MainActor
struct ReplyTests {
  private typealias Core = RootCore<List.State, List.Action>

  private func core(_ clock: TestClock<Duration> = TestClock()) -> Core {
    RootCore(
      initialState: { List.State() },
      reducer: { List() },
      withDependencies: { $0.continuousClock = clock },
    )
  }

  private func failure(of task: StoreTask) async throws -> ReplyFailure? {
    do {
      let reply = try await task.reply(Int.self)
      Issue.record("Received \(reply)")
      return nil
    } catch let failure as ReplyFailure {
      return failure
    }
  }

  @Test("The sender of an action receives the reply of its reducer")
  func replied() async throws {
    let core = core()
    let task = core.send(.add("Milk"))
    #expect(try await task.reply(Int.self) == 1)
    #expect(try await task.reply() == 1)
    #expect(try await task.applied() == 1)
    #expect(task.isFinished)
    let store = Store(initialState: List.State()) { List() }
    #expect(try await store.send(.add("Milk")).reply(Int.self) == 1)
    #expect(try await store.send(.add("Tea")).reply(Int.self) == 2)
  }

  @Test("Each action has its own reply")
  func ownReply() async throws {
    let core = core()
    let first = core.send(.add("Milk"))
    let without = core.send(.clear)
    let second = core.send(.add("Tea"))
    #expect(try await first.reply(Int.self) == 1)
    #expect(try await second.reply(Int.self) == 1)
    let failure = try #require(try await failure(of: without))
    #expect(failure.code == .none)
    #expect(failure.revision == 2)
    #expect("\(failure)".hasPrefix("none: The action was applied at revision 2. "))
  }

  @Test("A reply of another type than the one that is asked for is an error")
  func otherType() async throws {
    let task = core().send(.describe)
    #expect(try await task.reply(String.self) == "0 items")
    let failure = try #require(try await failure(of: task))
    #expect(failure.code == .unreadable)
    #expect(failure.message == #"The reply is a value of type "String", and not of "Int"."#)
  }

  @Test("A refused action has no reply")
  func refused() async throws {
    let core = core()
    let task = core.send(.addAndRefuse)
    let failure = await #expect(throws: ActionFailure.self) { try await task.reply(Int.self) }
    #expect(failure?.refusal?.reason == "No.")
    // The reply of the abandoned step is not that of the next one.
    let other = try #require(try await self.failure(of: core.send(.clear)))
    #expect(other.code == .none)
    #expect(other.revision == 1)
  }

  @Test(
    "A reply may be combined with other effects",
    arguments: [List.Action.addAndRun, .addInSequence, .addCancellable, .forward("Milk")],
  )
  func combined(action: List.Action) async throws {
    let clock = TestClock()
    let core = core(clock)
    let task = core.send(action)
    #expect(try await task.reply(Int.self) == 1)
    #expect(core.revision == 1)
    task.cancel()
    await task.finish()
  }

  @Test("An action that was sent during a commit has its own reply")
  func duringCommit() async throws {
    let core = core()
    var late: StoreTask?
    core.onCommit = { revision, _, _ in if revision == 1 { late = core.send(.add("Tea")) } }
    let task = core.send(.add("Milk"))
    #expect(try await task.reply(Int.self) == 1)
    #expect(try await late?.reply(Int.self) == 2)
    #expect(try await late?.applied() == 2)
  }

  @Test("The reply to an action of an effect is not that of another action")
  func ofEffect() async throws {
    let core = core()
    let task = core.send(.addLater)
    await task.finish()
    #expect(core.state.items == ["Later"])
    #expect(try await failure(of: task)?.code == ReplyFailure.Code.none)
    #expect(try await failure(of: core.send(.clear))?.code == ReplyFailure.Code.none)
  }

  @Test("A second reply in a revision is reported, and is the one that the sender receives")
  func second() async throws {
    let core = core()
    var task: StoreTask?
    await expectIssue("An action was answered twice") { task = core.send(.addTwice) }
    #expect(try await task?.reply(Int.self) == 2)
  }

  @Test("A reply after work that takes time is reported")
  func late() async throws {
    let core = core()
    await expectIssue("An action was answered too late") {
      let task = core.send(.replyLater)
      await task.finish()
      let failure = await #expect(throws: ReplyFailure.self) { try await task.reply(Int.self) }
      #expect(failure?.code == ReplyFailure.Code.none)
    }
  }
}

extension ReplyTests {
  struct List: Reducer {
    struct State: Equatable, Sendable {
      var items: [String] = []
    }

    enum Action: Equatable, Sendable {
      case add(String)
      case clear, describe, addAndRefuse, addAndRun, addInSequence, addCancellable, addLater
      case addTwice, replyLater
      case forward(String)
    }

    @Dependency(\.continuousClock) var clock

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
      switch action {
      case .add(let item):
        state.items.append(item)
        return .reply(state.items.count)
      case .clear:
        state.items = []
        return .none
      case .describe: return .reply("\(state.items.count) items")
      case .addAndRefuse: return .merge(.reply(1), .refuse("No."))
      case .addAndRun: return .merge(sleep, .reply(1))
      case .addInSequence: return .concatenate(.output(0), .reply(1), sleep)
      case .addCancellable: return .merge(sleep, .reply(1)).cancellable(id: 1)
      case .forward(let item): return .send(.add(item))
      case .addLater: return .run { send in await send(.add("Later")) }
      case .addTwice: return .merge(.send(.add("One")), .send(.add("Two")))
      case .replyLater: return .concatenate(.run { _ in }, .reply(1))
      }
    }

    private var sleep: Effect<Action> {
      .run { [clock] _ in try await clock.sleep(for: .seconds(60)) }
    }
  }
}
