import OtherDependencies
import StoreActor

// The one file that imports both, and says of each name whose it is. What the application has
// configured is what features get, and a test of a feature replaces it as any dependency.

enum RatesKey: StoreActor.DependencyKey {
  static var liveValue: Rates { OtherDependencies.DependencyValues.current.rates }
  static let testValue = Rates { _ in 0 }
}

extension StoreActor.DependencyValues {
  var rates: Rates {
    get { self[RatesKey.self] }
    set { self[RatesKey.self] = newValue }
  }
}
