import StoreActorSimplex
import StoreTesting
import Testing

// The counter of the document, unchanged, in a daemon: its view's state is one value there.

// A value of one integer; the macro that generates the type does not declare it as Sendable.
extension MyView.ViewState: ReplicatedRecord, Equatable, @unchecked Sendable {
  static let layout = RecordLayout<Self>("MyView.ViewState", [.field("counter", \.counter)])

  static func == (one: Self, other: Self) -> Bool { one.counter == other.counter }
}

// Cases without payload; the same applies.
extension MyReducer.Action: WireChoiceAction, @unchecked Sendable {
  static let layout = ActionLayout<Self>(
    "MyReducer.Action",
    [
      .case("increment", .increment) { if case .increment = $0 { true } else { false } },
      .case("decrement", .decrement) { if case .decrement = $0 { true } else { false } },
    ],
  )
}

@MainActor
@Suite("Simplex in a daemon", .timeLimit(.minutes(1)))
struct SimplexRemoteTests {
  @Test("Clients of a daemon count with the view's reducer")
  func remote() async {
    let store = StoreActor.TestStore(remote: MyView.ViewState()) { MyReducer().feature() }
    await store.send(.increment) { $0.counter = 1 }
    await store.send(.decrement) { $0.counter = 0 }
    await store.finish()
  }
}
