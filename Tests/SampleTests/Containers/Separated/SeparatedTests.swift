import Observation
import StateContainers
import TerminalViews
import Testing

import class StoreActor.LockIsolated
import func StoreActor.withMainSerialExecutor

@MainActor
@Suite("A state container with inputs, feedback and outputs", .timeLimit(.minutes(1)))
struct SeparatedTests {
  struct Offline: Error {}

  @Test("An input changes the state at once, its effect's feedback later")
  func following() async {
    let store = Store(state: NumbersViewReducer.State.idle, reducer: NumbersViewReducer())
    let task: Task<Void, Never> = { store.send(.onAppear) }()
    #expect(store.state == .loading)
    await task.value
    #expect(store.state == .loaded([1, 2, 3]))
  }

  @Test("The awaited send returns when all effects have ended")
  func awaiting() async {
    let store = Store(
      state: NumbersViewReducer.State.idle,
      reducer: NumbersViewReducer(apiClient: APIClient(result: .failure(Offline()))),
    )
    await store.send(.onAppear)
    #expect(store.state == .error)
  }

  @Test("The pair of state and output can be observed")
  func observable() async {
    let store = Store(state: NumbersViewReducer.State.idle, reducer: NumbersViewReducer())
    var states = store.stateStream.makeAsyncIterator()
    var outputs = store.outputStream.makeAsyncIterator()
    #expect(await states.next() == .idle)
    await store.send(.onAppear)
    #expect(await states.next() == .loaded([1, 2, 3]))
    #expect(await outputs.next() == .numbersDownloaded)
  }

  @Test("Cancelling the task of an input cancels its effects")
  func cancelling() async {
    let store = Store(state: NumbersViewReducer.State.idle, reducer: NumbersViewReducer())
    let task: Task<Void, Never> = { store.send(.onAppear) }()
    task.cancel()
    await task.value
    #expect(store.state == .loading)
  }

  @Test("The view shows each state")
  func view() async {
    await withMainSerialExecutor {
      let view = NumbersListView()
      #expect(Screen(of: view).lines == ["…"])
      Screen(of: view).appear()
      await Task.megaYield()
      #expect(Screen(of: view).lines == ["• 1", "• 2", "• 3"])

      let offline = NumbersListView(apiClient: APIClient(result: .failure(Offline())))
      Screen(of: offline).appear()
      await Task.megaYield()
      #expect(Screen(of: offline).lines == ["Some error happened"])
    }
  }

  @Test("Observers are notified of changes")
  func observation() async {
    let store = Store(state: NumbersViewReducer.State.idle, reducer: NumbersViewReducer())
    let changes = LockIsolated(0)
    withObservationTracking {
      _ = store.state
    } onChange: {
      changes.withValue { $0 += 1 }
    }
    await store.send(.onAppear)
    #expect(changes.value == 1)
  }

  @Test("A handler interprets effects as values")
  func values() async {
    let store = Store(
      state: Numbers.idle,
      reducer: ValueReducer(),
      handler: NumbersEffectHandler(apiClient: APIClient()),
    )
    await store.send(.onAppear)
    #expect(store.state == .loaded([1, 2, 3]))
  }

  @Test("A reducer with effects as values is tested without dependencies")
  func pure() {
    var state = Numbers.idle
    #expect(ValueReducer().reduce(message: .input(.onAppear), into: &state) == [.downloadNumbers])
    #expect(state == .loading)
    #expect(
      ValueReducer().reduce(message: .feedback(.didFinishFetching([4])), into: &state).isEmpty
    )
    #expect(state == .loaded([4]))
  }

  @Test("Effects as types contain their work")
  func types() async {
    let store = Store(state: Numbers.idle, reducer: ProtocolReducer(apiClient: APIClient()))
    await store.send(.onAppear)
    #expect(store.state == .loaded([1, 2, 3]))
  }
}
