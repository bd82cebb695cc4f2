import StoreActor
import StoreActorClassic
import StoreTesting
import Testing

// The feature of the document, unchanged, in a daemon: it needs only wire forms.

// A value of Sendable parts; the sample's own file does not declare this.
extension AppState: ReplicatedRecord, @unchecked Sendable {
  static let layout = RecordLayout<Self>(
    "AppState",
    [.field("count", \.count), .field("numberFactAlert", \.numberFactAlert)],
  )
}

// No client can send unlisted cases: a fact is an action of the daemon's own effects. A value of
// Sendable parts; the sample's own file does not declare this.
extension AppAction: WireChoiceAction, @unchecked Sendable {
  static let layout = ActionLayout<Self>(
    "AppAction",
    [
      .case("factAlertDismissed", .factAlertDismissed),
      .case("decrementButtonTapped", .decrementButtonTapped),
      .case("incrementButtonTapped", .incrementButtonTapped),
      .case("numberFactButtonTapped", .numberFactButtonTapped),
    ],
  )
}

@MainActor
@Suite("The async number fact in a daemon", .timeLimit(.minutes(1)))
struct NumberFactRemoteTests {
  @Test("Its client sees the feature's changes, and sends all but its effects' actions")
  func remote() async {
    let environment = AppEnvironment(numberFact: { "\($0) is a good number Brent" })
    let store = StoreActor.TestStore(remote: AppState()) {
      appReducer.feature(environment: environment)
    }
    await store.send(.incrementButtonTapped) { $0.count = 1 }
    await store.send(.numberFactButtonTapped)
    await store.receive(.numberFactResponse(.success("1 is a good number Brent"))) {
      $0.numberFactAlert = "1 is a good number Brent"
    }
    await store.send(.factAlertDismissed) { $0.numberFactAlert = nil }
    await store.finish()
  }
}
