import StoreActor
import StoredWorkspace
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct CounterTests {
  @Test("The buttons count up and down")
  func counts() async {
    let store = TestStore(initialState: Counter.State()) { Counter() }

    await store.send(.incrementButtonTapped) { $0.count = 1 }
    await store.send(.decrementButtonTapped) { $0.count = 0 }
    await store.send(.decrementButtonTapped) { $0.count = -1 }
  }

  @Test("A count at its limit stays there")
  func staysAtTheLimits() async {
    let store = TestStore(initialState: Counter.State(count: .max)) { Counter() }
    await store.send(.incrementButtonTapped)
    await store.send(.decrementButtonTapped) { $0.count = .max - 1 }

    let other = TestStore(initialState: Counter.State(count: .min)) { Counter() }
    await other.send(.decrementButtonTapped)
    await other.send(.incrementButtonTapped) { $0.count = .min + 1 }
  }

  @Test("A fact about the count is shown until it is dismissed")
  func showsAndDismissesAFact() async {
    let store = TestStore(initialState: Counter.State(count: 7)) {
      Counter()
    } withDependencies: {
      $0.numberFact.fetch = { "\($0) is a good number." }
    }

    await store.send(.numberFactButtonTapped)
    await store.receive(\.numberFactResponse.success, "7 is a good number.") {
      $0.numberFactAlert = "7 is a good number."
    }
    await store.send(.factAlertDismissed) { $0.numberFactAlert = nil }
  }

  @Test("A failure's own message is shown")
  func showsAFailure() async {
    let store = TestStore(initialState: Counter.State(count: 7)) {
      Counter()
    } withDependencies: {
      $0.numberFact.fetch = { _ in throw NumberFactError("The service is closed.") }
    }

    await store.send(.numberFactButtonTapped)
    await store.receive(\.numberFactResponse.failure) {
      $0.numberFactAlert = "The service is closed."
    }
  }

  @Test("An error of another type is shown with the number and the error's description")
  func showsAnyError() async {
    struct Blown: Error, CustomStringConvertible { let description = "the fuse is blown" }
    let store = TestStore(initialState: Counter.State(count: 7)) {
      Counter()
    } withDependencies: {
      $0.numberFact.fetch = { _ in throw Blown() }
    }

    await store.send(.numberFactButtonTapped)
    await store.receive(\.numberFactResponse.failure) {
      $0.numberFactAlert = "No fact about 7: the fuse is blown"
    }
  }

  @Test("A request removes the last fact at once")
  func clearsTheLastFact() async {
    let store = TestStore(initialState: Counter.State(numberFactAlert: "0 is old.")) {
      Counter()
    } withDependencies: {
      $0.numberFact.fetch = { "\($0) is new." }
    }

    await store.send(.numberFactButtonTapped) { $0.numberFactAlert = nil }
    await store.receive(\.numberFactResponse) { $0.numberFactAlert = "0 is new." }
  }

  @Test("A new request cancels the pending one, whose answer never arrives")
  func cancelsTheRequestInFlight() async {
    let store = TestStore(initialState: Counter.State()) {
      Counter()
    } withDependencies: {
      $0.numberFact.fetch = { number in
        if number == 0 { try await Task.never() }
        return "\(number) is the first."
      }
    }

    await store.send(.numberFactButtonTapped)
    await store.send(.incrementButtonTapped) { $0.count = 1 }
    await store.send(.numberFactButtonTapped)
    await store.receive(\.numberFactResponse) { $0.numberFactAlert = "1 is the first." }
    await store.finish()
  }

  @Test("A canceled request leaves the state unchanged")
  func cancellationIsNoFailure() async {
    let store = TestStore(initialState: Counter.State()) {
      Counter()
    } withDependencies: {
      $0.numberFact.fetch = { _ in
        try await Task.never()
        return "never"
      }
    }

    let task = await store.send(.numberFactButtonTapped)
    await task.cancel()
    await store.finish()
    #expect(store.state == Counter.State())
  }

  @Test("A test without an implementation of the client gets an issue that names it")
  func reportsAMissingClient() async {
    await withKnownIssue {
      let store = TestStore(initialState: Counter.State()) { Counter() }
      await store.send(.numberFactButtonTapped)
      await store.receive(\.numberFactResponse.failure) {
        $0.numberFactAlert = "NumberFactClient.fetch has no implementation in this test"
      }
    } matching: { issue in
      "\(issue)".contains("NumberFactClient.fetch was asked for a fact about 0")
    }
  }
}
