import StoreActor
import Testing

@Suite("A child's reply and its parents", .timeLimit(.minutes(1)))
@MainActor
struct OnReplyTests {
  private func reply(to action: Parent.Action, _ mode: Parent.Mode) async throws -> String? {
    let core = RootCore(initialState: { Parent.State(mode: mode) }, reducer: { Parent() })
    let task = core.send(action)
    // The function ran before the reducer that follows in the list.
    if case .child(.note) = action { #expect(core.state.log == ["follows"]) }
    if case .child(.reply(let value)) = action {
      #expect(core.state.log == ["replied \(value)", "follows"])
    }
    do {
      return try await task.reply(String.self)
    } catch is ReplyFailure {
      return nil
    }
  }

  @Test("A parent lets a reply of its child through, changes it, or drops it")
  func modes() async throws {
    #expect(try await reply(to: .child(.reply(1)), .passing) == "1")
    #expect(try await reply(to: .child(.reply(1)), .changing) == "changed 1")
    #expect(try await reply(to: .child(.reply(1)), .dropping) == nil)
    #expect(try await reply(to: .child(.note), .passing) == nil)
  }

  @Test("Replies of other types pass a parent unchanged")
  func otherType() async throws {
    #expect(try await reply(to: .child(.replyText("text")), .dropping) == "text")
  }

  @Test(
    "A parent receives the reply of a child in any combination of effects",
    arguments: Child.Action.combinations,
  )
  func combined(action: Child.Action) async throws {
    let core = RootCore(initialState: { Parent.State(mode: .changing) }, reducer: { Parent() })
    let task = core.send(.child(action))
    #expect(try await task.reply(String.self) == "changed 7")
    await task.finish()
    // The other effects of the child run.
    #expect(core.state.log == ["replied 7", "follows", "follows"])
  }

  @Test("A parent receives the replies of rows and of an optional child")
  func children() async throws {
    let core = RootCore(initialState: { Rows.State() }, reducer: { Rows() })
    #expect(try await core.send(.rows(.element(id: 0, action: .reply(1)))).reply(Int.self) == 101)
    #expect(try await core.send(.optional(.reply(2))).reply(Int.self) == 102)
  }

  @Test("A reply that comes too late does not reach a parent either")
  func late() async throws {
    let core = RootCore(initialState: { Parent.State(mode: .passing) }, reducer: { Parent() })
    await expectIssue("An action was answered too late") {
      let task = core.send(.child(.late))
      #expect(core.state.log == ["follows"])
      await task.finish()
      let failure = await #expect(throws: ReplyFailure.self) { try await task.reply(String.self) }
      #expect(failure?.code == ReplyFailure.Code.none)
    }
  }

  @Test("Two replies in one effect are reported, and the parent receives the last one")
  func two() async throws {
    let core = RootCore(initialState: { Parent.State(mode: .passing) }, reducer: { Parent() })
    var task: StoreTask?
    await expectIssue("An action was answered twice") { task = core.send(.child(.replyTwice)) }
    #expect(try await task?.reply(String.self) == "2")
  }
}

extension OnReplyTests {
  struct Child: Reducer {
    struct State: Equatable, Identifiable, Sendable {
      var id = 0
    }

    @CasePathable
    enum Action: Equatable, Sendable {
      case reply(Int)
      case replyText(String)
      case note, replyTwice
      case merged, inSequence, cancellable, late

      static let combinations: [Self] = [.merged, .inSequence, .cancellable]
    }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
      switch action {
      case .reply(let value): .reply(value)
      case .replyText(let text): .reply(text)
      case .note: .none
      case .replyTwice: .merge(.reply(1), .reply(2))
      case .late: .concatenate(.run { _ in }, .reply(7))
      case .merged: .merge(.run { await $0(.note) }, .reply(7))
      case .inSequence: .concatenate(.reply(7), .run { await $0(.note) })
      case .cancellable: .merge(.run { await $0(.note) }, .reply(7)).cancellable(id: 0)
      }
    }
  }

  struct Parent: Reducer {
    enum Mode: Sendable { case passing, changing, dropping }

    struct State: Equatable, Sendable {
      var mode: Mode
      var log: [String] = []
      var child = Child.State()
    }

    @CasePathable
    enum Action: Equatable, Sendable {
      case child(Child.Action)
    }

    var body: some ReducerOf<Self> {
      Scope(\.child, action: \.child) { Child() }
        .onReply(Int.self) { state, _, reply in
          state.log.append("replied \(reply)")
          return switch state.mode {
          case .passing: .reply("\(reply)")
          case .changing: .reply("changed \(reply)")
          case .dropping: .none
          }
        }
      Reduce { state, _ in
        state.log.append("follows")
        return .none
      }
    }
  }

  struct Rows: Reducer {
    struct State: Equatable, Sendable {
      var rows: IdentifiedArray<Int, Child.State> = [Child.State()]
      var optional: Child.State? = Child.State()
    }

    @CasePathable
    enum Action: Equatable, Sendable {
      case rows(IdentifiedAction<Int, Child.Action>)
      case optional(Child.Action)
    }

    var body: some ReducerOf<Self> {
      Reduce { _, _ in .none }
        .forEach(\.rows, action: \.rows) { Child() }
        .ifLet(\.optional, action: \.optional) { Child() }
        .onReply(Int.self) { _, _, reply in .reply(reply + 100) }
    }
  }
}
