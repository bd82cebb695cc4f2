import StateContainers
import StoreActor
import StoreTesting
import Testing

// The reducer of the document, unchanged, in a daemon: its state and its input get wire forms.
// Feedback needs no wire form, because it stays in the daemon.

// A value of Sendable parts; the sample's own file does not declare this.
extension NumbersViewReducer.State: ReplicatedChoice, @unchecked Sendable {
  static let layout = ChoiceLayout<Self>(
    "NumbersViewReducer.State",
    [
      .case("idle", .idle),
      .case("loading", .loading),
      .case("loaded", embed: Self.loaded) {
        if case .loaded(let numbers) = $0 { numbers } else { nil }
      },
      .case("error", .error),
    ],
  )
}

// A value of Sendable parts; the sample's own file does not declare this.
extension NumbersViewReducer.Input: WireChoiceAction, @unchecked Sendable {
  static let layout = ActionLayout<Self>(
    "NumbersViewReducer.Input",
    [.case("onAppear", .onAppear)],
  )
}

@MainActor
@Suite("A state container in a daemon", .timeLimit(.minutes(1)))
struct SeparatedRemoteTests {
  @Test("A client sends an input, and sees the changes by the feedback")
  func remote() async {
    let store = StoreActor.TestStore(remote: NumbersViewReducer.State.idle) {
      NumbersViewReducer().feature()
    }
    await store.send(.input(.onAppear)) { $0 = .loading }
    await store.receive {
      if case .feedback(.numbersDownloaded(.success)) = $0 { true } else { false }
    } assert: {
      $0 = .loaded([1, 2, 3])
    }
    await store.receive(outputOf: NumbersViewReducer.Output.self) { $0 == .numbersDownloaded }
    await store.finish()
  }
}
