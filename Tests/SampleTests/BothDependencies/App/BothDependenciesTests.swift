import OtherDependencies
import StoreActor
import StoreTesting
import Testing

@MainActor
@Suite("A feature in an application with another dependency library", .timeLimit(.minutes(1)))
struct BothDependenciesTests {
  @Test("A test of the feature sets the feature's value", arguments: [false, true])
  func feature(isRemote: Bool) async {
    let prepare = { (values: inout StoreActor.DependencyValues) in
      values.rates = Rates { $0 * 2 }
    }
    let store: TestStoreOf<Wallet> =
      if isRemote {
        TestStore(remote: Wallet.State(), reducer: { Wallet() }, withDependencies: prepare)
      } else {
        TestStore(initialState: Wallet.State(), reducer: { Wallet() }, withDependencies: prepare)
      }
    await store.send(.convertButtonTapped)
    await store.receive(.converted(20)) { $0.euros = 20 }
    await store.finish()
  }

  @Test("In the program the feature has the application's configured value")
  func application() async {
    let rates = OtherDependencies.withDependencies {
      $0.rates = Rates { $0 * 3 }
    } operation: {
      RatesKey.liveValue
    }
    #expect(await rates.euros(2) == 6)
    #expect(await RatesKey.liveValue.euros(10) == 9)
    #expect(await ReceiptPrinter().line(dollars: 100) == "90 €")
  }
}
