import Foundation
import StoreActor
import StoreTesting
import Testing

@Suite("Values that differ from their copies by '=='", .timeLimit(.minutes(1)))
@MainActor
struct RemoteValueTests {
  @Test("A copy with NaN is equal to its original: no report about deltas appears")
  func notANumber() async {
    let store = TestStore(remote: Echo.State()) { Echo() }
    await store.send(.measure(.nan)) { $0.number = .nan }
    await store.send(.measure(1)) { $0.number = 1 }
    await store.send(.measure(-.nan)) { $0.number = .nan }
  }

  @Test("A test of a URL with a base runs both ways", arguments: Place.allCases)
  func relativeURL(place: Place) async {
    let store =
      switch place {
      case .here: TestStore(initialState: Echo.State()) { Echo() }
      case .daemon: TestStore(remote: Echo.State()) { Echo() }
      }
    let page = URL(string: "page", relativeTo: URL(string: "https://example.com/a/"))
    await store.send(.open(page)) { $0.url = page }
    let file = URL(fileURLWithPath: "notes.txt")
    await store.send(.open(file)) { $0.url = file }
    await store.send(.open(nil)) { $0.url = nil }
  }

  @Test("Another URL is a failure all the same")
  func otherURL() async {
    let store = TestStore(remote: Echo.State()) { Echo() }
    let page = URL(string: "page", relativeTo: URL(string: "https://example.com/a/"))
    await expectIssue("A state change does not match expectation") {
      await store.send(.open(page)) { $0.url = URL(string: "https://example.com/b/page") }
    }
  }
}

/// Keeps the values of its actions.
@Reducer
private struct Echo {
  @ObservableState
  struct State: Equatable, ReplicatedState {
    var number = 0.0
    var url: URL?
  }

  enum Action: WireAction {
    case measure(Double)
    case open(URL?)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .measure(let number): state.number = number
      case .open(let url): state.url = url
      }
      return .none
    }
  }
}
