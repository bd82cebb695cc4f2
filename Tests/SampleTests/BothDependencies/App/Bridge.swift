import OtherDependencies
import StoreActor

// The only file that imports both, and qualifies each name with its module. Features get the value
// that the application has configured, and a test of a feature replaces it like any dependency.

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
