import StoreActor
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreReplica
@testable import StoreServer
@testable import StoreTesting

@Suite("Replies of a feature in a daemon", .timeLimit(.minutes(1)))
@MainActor
struct RemoteReplyTests {
  private func store<Reply: WirePayload>(
    replies: Reply.Type
  ) -> Store<Oracle.State, Oracle.Action> {
    let root = RootCore(initialState: { Oracle.State() }, reducer: { Oracle() })
    let daemon = InMemoryDaemon(
      root: root,
      exposures: [Expose("oracle", state: \.self, action: \.self, replies: replies)],
    )
    let core = RemoteStoreCore<Oracle.State, Oracle.Action>(
      "oracle",
      of: daemon.client,
      connection: daemon,
    )
    return Store(core: core)
  }

  private func failure<Reply: Sendable>(
    of task: StoreTask,
    _ type: Reply.Type,
  ) async throws -> ReplyFailure? {
    do {
      let reply = try await task.reply(type)
      Issue.record("Received \(reply)")
      return nil
    } catch let failure as ReplyFailure {
      return failure
    }
  }

  @Test("The sender receives the reply after its store shows the revision")
  func replied() async throws {
    let store = store(replies: Oracle.Answer.self)
    let task = store.send(.asked(3))
    #expect(try await task.reply(Oracle.Answer.self) == Oracle.Answer(number: 3))
    #expect(store.state.questions == 1)
    // It may be asked for again, and each action has its own.
    let other = store.send(.asked(4))
    #expect(try await other.reply(Oracle.Answer.self) == Oracle.Answer(number: 4))
    #expect(try await task.reply(Oracle.Answer.self) == Oracle.Answer(number: 3))
    #expect(try await task.applied() == 1)
  }

  @Test("A type of another build reads the reply by its own names and defaults")
  func otherBuild() async throws {
    let store = store(replies: Oracle.Answer.self)
    let task = store.send(.asked(3))
    let expected = LaterAnswer(count: 3, text: "later")
    #expect(try await task.reply(LaterAnswer.self) == expected)
    #expect(try await task.reply(LaterAnswer.self) == expected)
  }

  @Test("A reply without a common part with the type is unreadable")
  func unreadable() async throws {
    let store = store(replies: Oracle.Answer.self)
    let task = store.send(.asked(3))
    let other = try #require(try await failure(of: task, Int.self))
    #expect(other.code == .unreadable)
    #expect(other.revision == 1)
    let local = try #require(try await failure(of: task, Unwired.self))
    #expect(local.message.contains(#""Unwired" has no wire form"#))
  }

  @Test("A reply of another type than the exposed one stays with the daemon")
  func undeclared() async throws {
    for store in [store(replies: Never.self), store(replies: Int.self)] {
      let task = store.send(.asked(3))
      let failure = try #require(try await failure(of: task, Oracle.Answer.self))
      #expect(failure.code == ReplyFailure.Code.none)
      #expect(failure.remedy.contains("replies: Answer.self"))
    }
  }

  @Test("A reply that is too large is forgotten, and the action is applied")
  func tooLarge() async throws {
    let store = store(replies: String.self)
    await expectIssue(#"A reply in scope "oracle" has 65541 bytes"#) {
      let task = store.send(.talked(length: 64 << 10))
      let failure = await #expect(throws: ReplyFailure.self) { try await task.reply(String.self) }
      #expect(failure?.code == .forgotten)
      #expect(failure?.revision == 1)
    }
  }

  @Test(
    "A test asserts a reply the same way for a feature here and for one in a daemon",
    arguments: [false, true],
  )
  func tested(isRemote: Bool) async {
    let store =
      isRemote
      ? TestStore(remote: Oracle.State(), replies: Oracle.Answer.self) { Oracle() }
      : TestStore(initialState: Oracle.State()) { Oracle() }
    await store.send(.asked(3), replied: Oracle.Answer(number: 3)) { $0.questions = 1 }
    await expectIssue("The reply of the reducer is another one") {
      await store.send(.asked(4), replied: Oracle.Answer(number: 5)) { $0.questions = 2 }
    }
    await expectIssue("The reducer has replied, and the test did not assert it") {
      await store.send(.asked(4)) { $0.questions = 3 }
    }
  }
}

private struct Unwired: Sendable {}

/// The answer in a later build.
private struct LaterAnswer: ReplicatedRecord, Equatable {
  var count = 0
  var text = "later"

  static let layout = RecordLayout<Self>(
    "Answer",
    [.field("count", formerly: "number", keyPath: \.count), .field("text", \.text)],
  )
}

private struct Oracle: Reducer {
  struct State: ReplicatedRecord, Equatable {
    var questions = 0

    static let layout = RecordLayout<Self>("Oracle", [.field("questions", \.questions)])
  }

  struct Answer: ReplicatedRecord, Equatable {
    var number = 0

    static let layout = RecordLayout<Self>("Answer", [.field("number", \.number)])
  }

  @CasePathable
  enum Action: Equatable, Sendable, WireChoiceAction {
    case asked(Int)
    case talked(length: Int)

    static let layout = ActionLayout<Self>(
      "Oracle.Action",
      [
        .case("asked", embed: Self.asked) {
          if case .asked(let number) = $0 { number } else { nil }
        },
        .case("talked", "length", embed: Self.talked(length:)) {
          if case .talked(let length) = $0 { length } else { nil }
        },
      ],
    )
  }

  func reduce(into state: inout State, action: Action) -> Effect<Action> {
    state.questions += 1
    switch action {
    case .asked(let number): return .reply(Answer(number: number))
    case .talked(let length): return .reply(String(repeating: "x", count: length))
    }
  }
}
