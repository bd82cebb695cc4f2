import StoreActor
import Testing

/// A daemon's own store whose journal lags the shown state.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct KeptRevisionsTests {
  @CasePathable
  enum Action: Sendable {
    case counted
    case ordered
    case orderBegan
    case paid
    case child(Int)
  }

  private final class Notes {
    var lines: [String] = []
  }

  private let kept = KeptRevisions(through: 0)

  private nonisolated static func reduce(
    _ state: inout [String],
    _ action: Action,
  ) -> Effect<Action> {
    state.append("\(action)")
    guard case .ordered = action else { return .none }
    return .run { send in
      do {
        try await send.durable(.orderBegan)
        await send(.paid)
      } catch {
        // An order that is not known to be kept is not paid.
      }
    }
  }

  private func core() -> RootCore<[String], Action> {
    let core = RootCore(
      initialState: { [String]() },
      reducer: { Reduce<[String], Action> { Self.reduce(&$0, $1) } },
    )
    core.kept = kept
    return core
  }

  /// Records when a task has been applied, and the result.
  private func note(_ task: StoreTask, in notes: Notes) -> Task<Void, Never> {
    Task {
      do {
        notes.lines.append("revision \(try await task.applied())")
      } catch let failure as ActionFailure {
        notes.lines.append("\(failure.code) of revision \(failure.revision ?? 0)")
      } catch {
        notes.lines.append("\(type(of: error))")
      }
    }
  }

  private func yield() async { for _ in 0..<10 { await Task.yield() } }

  @Test func `An action is applied when its revision is kept, and not before`() async throws {
    let store = Store(core: core())
    let (first, second) = (store.send(.counted), store.send(.counted))
    #expect(store.state.count == 2, "The state has them at once")
    let notes = Notes()
    let waits = [note(second, in: notes), note(first, in: notes)]
    await yield()
    #expect(notes.lines == [])
    kept.keep(through: 1)
    await waits[1].value
    #expect(notes.lines == ["revision 1"])
    kept.keep(through: 5)
    await waits[0].value
    #expect(notes.lines == ["revision 1", "revision 2"])
    #expect(try await second.applied() == 2)
  }

  @Test func `A child's store reports it as well`() async throws {
    let store = Store(core: core()).scope(\.count, action: \.child)
    let notes = Notes()
    let wait = note(store.send(7), in: notes)
    await yield()
    #expect(notes.lines == [])
    kept.keep(through: 1)
    await wait.value
    #expect(notes.lines == ["revision 1"])
  }

  @Test func `When keeping ends, present and later waiters are notified`() async throws {
    let store = Store(core: core())
    let notes = Notes()
    let (kept, lost) = (store.send(.counted), store.send(.counted))
    self.kept.keep(through: 1)
    let wait = note(lost, in: notes)
    await yield()
    self.kept.end("The disk is broken.")
    await wait.value
    await note(store.send(.counted), in: notes).value
    #expect(notes.lines == ["outcomeUnknown of revision 2", "outcomeUnknown of revision 3"])
    let failure = await #expect(throws: ActionFailure.self) { try await lost.applied() }
    #expect(failure?.message.contains("The disk is broken.") == true)
    #expect(try await kept.applied() == 1)
  }

  @Test func `A cancelled waiter waits no longer`() async throws {
    let store = Store(core: core())
    let notes = Notes()
    let wait = note(store.send(.counted), in: notes)
    await yield()
    wait.cancel()
    await wait.value
    #expect(notes.lines == ["CancellationError"])
    kept.keep(through: 1)
  }

  @Test func `An effect can wait until its sent actions are kept`() async throws {
    let store = Store(core: core())
    store.send(.ordered)
    await eventually { store.state == ["ordered", "orderBegan"] }
    await yield()
    #expect(store.state == ["ordered", "orderBegan"])
    kept.keep(through: 2)
    await eventually { store.state == ["ordered", "orderBegan", "paid"] }
  }

  @Test func `An effect learns that its sent actions may not be kept`() async throws {
    let store = Store(core: core())
    let task = store.send(.ordered)
    await eventually { store.state == ["ordered", "orderBegan"] }
    kept.end("The disk is broken.")
    await task.finish()
    #expect(store.state == ["ordered", "orderBegan"])
  }

  @Test func `Without a journal an effect continues when the action has been reduced`() async throws
  {
    let core = core()
    core.kept = nil
    let store = Store(core: core)
    await store.send(.ordered).finish()
    #expect(store.state == ["ordered", "orderBegan", "paid"])
    #expect(try await store.send(.counted).applied() == 4)
  }
}
