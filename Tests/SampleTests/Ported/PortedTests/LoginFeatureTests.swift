import LoanClient
import LoginFeature
import StoreActor
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct LoginFeatureTests {
  private func filledIn(
    _ dependencies: @escaping (inout DependencyValues) -> Void
  ) async -> TestStoreOf<LoginFeature> {
    let store = TestStore(initialState: LoginFeature.State()) {
      LoginFeature()
    } withDependencies: {
      dependencies(&$0)
    }
    await store.send(\.view.binding.card, "42") {
      $0.card = "42"
    }
    await store.send(\.view.binding.name, "Ada") {
      $0.name = "Ada"
      $0.isFormValid = true
    }
    return store
  }

  @Test("A card with a PIN asks for it, and a wrong one can be corrected")
  func twoSteps() async {
    let store = await filledIn {
      $0.loanClient.login = { @Sendable _, name in Reader(name: name, needsPIN: true) }
      $0.loanClient.confirm = { @Sendable _, _ in throw LoanError.wrongPIN }
    }

    await store.send(\.view.loginButtonTapped) {
      $0.isRequestInFlight = true
    }
    await store.receive(\.loginResponse.success) {
      $0.isRequestInFlight = false
      $0.pin = PINFeature.State(card: "42")
    }
    await store.send(\.pin.confirmButtonTapped)
    await store.send(\.pin.binding.code, "1111") {
      $0.pin?.code = "1111"
    }
    await store.send(\.pin.confirmButtonTapped) {
      $0.pin?.isRequestInFlight = true
    }
    await store.receive(\.pin.confirmResponse.failure) {
      $0.pin?.isRequestInFlight = false
      $0.pin?.alert = AlertState {
        TextState("No entry")
      } actions: {
        ButtonState(action: .tryAgain) { TextState("Try again") }
        ButtonState(role: .cancel) { TextState("Leave it") }
      } message: {
        TextState("This is not the card's PIN.")
      }
    }
    await store.send(\.pin.alert.tryAgain) {
      $0.pin?.alert = nil
      $0.pin?.code = ""
    }
    await store.send(\.pin.cancelButtonTapped)
    await store.receive(\.pin.dismiss) {
      $0.pin = nil
    }
  }

  @Test("Dismissing the second step cancels its request")
  func dismissal() async {
    let store = await filledIn {
      $0.loanClient.login = { @Sendable _, name in Reader(name: name, needsPIN: true) }
      $0.loanClient.confirm = { @Sendable _, _ in try await Task.never() }
    }
    store.exhaustivity = .off

    await store.send(\.view.loginButtonTapped)
    await store.receive(\.loginResponse.success)
    await store.send(\.pin.binding.code, "2222")
    await store.send(\.pin.confirmButtonTapped)
    await store.send(\.pin.dismiss) {
      $0.pin = nil
    }
    await store.finish()
  }

  @Test("An alert reports an unknown card")
  func unknownCard() async {
    let store = await filledIn {
      $0.loanClient.login = { @Sendable _, _ in throw LoanError.unknownCard }
    }

    await store.send(\.view.loginButtonTapped) {
      $0.isRequestInFlight = true
    }
    await store.receive(\.loginResponse.failure) {
      $0.isRequestInFlight = false
      $0.alert = AlertState { TextState("No user has this card.") }
    }
    await store.send(\.alert.dismiss) {
      $0.alert = nil
    }
  }
}
