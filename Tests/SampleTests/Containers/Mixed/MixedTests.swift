import Observation
import StateContainersMixed
import Testing

import class StoreActor.LockIsolated
import func StoreActor.withMainSerialExecutor

@MainActor
@Suite("A state container that mixes logic and effects", .timeLimit(.minutes(1)))
struct MixedTests {
  enum Output { case somethingHappened }

  @Test("The simplest form wraps a value that can be changed and observed")
  func simplest() async {
    let store = Store<Int, Output>(state: 0)
    var states = store.stateStream.makeAsyncIterator()
    var outputs = store.outputStream.makeAsyncIterator()
    #expect(await states.next() == 0)

    store.state = 1
    store.send(output: .somethingHappened)

    #expect(await states.next() == 1)
    #expect(await outputs.next() == .somethingHappened)
  }

  @Test("A subclass loads numbers, and reports it once")
  func loading() async {
    let viewModel = NumbersViewModel(apiClient: APIClient())
    let outputs = viewModel.outputStream
    await viewModel.load()
    #expect(viewModel.state == .loaded([1, 2, 3]))
    var iterator = outputs.makeAsyncIterator()
    #expect(await iterator.next() == .numbersDownloaded)
  }

  @Test("A view follows the stream of states")
  func view() async {
    await withMainSerialExecutor {
      let viewModel = NumbersViewModel(apiClient: APIClient(isOnline: false))
      let screen = NumbersScreen()
      let view = Task {
        for await state in viewModel.stateStream {
          screen.render(state)
          if state == .error { return }
        }
      }
      let load = Task { await viewModel.load() }
      await load.value
      await view.value
      #expect(screen.isError)
      #expect(screen.numbers == nil)
      #expect(!screen.isLoading)
    }
  }

  @Test("Each reader gets all distinct states, for any number of readers")
  func distinct() async {
    let store = Store<Int, Never>(state: 0)
    var first = store.stateStream.makeAsyncIterator()
    var second = store.stateStream.makeAsyncIterator()
    _ = await first.next()
    store.state = 0
    store.state = 2
    #expect(await first.next() == 2)
    #expect(await second.next() == 2)
  }

  @Test("The streams end with the container")
  func end() async {
    var store: Store<Int, Output>? = Store(state: 0)
    var states = store?.stateStream.makeAsyncIterator()
    var outputs = store?.outputStream.makeAsyncIterator()
    _ = await states?.next()
    store = nil
    #expect(await states?.next() == nil)
    #expect(await outputs?.next() == nil)
  }

  @Test("Observation reports changes only")
  func observation() {
    struct State: Equatable { var name = "Blob" }
    let store = Store<State, Never>(state: State())
    let changes = LockIsolated(0)
    withObservationTracking {
      _ = store.name
    } onChange: {
      changes.withValue { $0 += 1 }
    }
    store.state = State()
    #expect(changes.value == 0)
    store.state.name = "Blob Jr."
    #expect(changes.value == 1)
    #expect(store.name == "Blob Jr.")
  }
}
