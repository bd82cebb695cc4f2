/// What reducers find around them.
struct Surroundings {
  let dependencies: DependencyValues
  let place: EffectPlace

  /// Kept here, since to ask another module for it retains it for each action.
  private static let currentDependencies = DependencyValues.$_current

  static var current: Self {
    Self(dependencies: DependencyValues._current, place: .current)
  }

  /// Runs a closure with these.
  ///
  /// Not isolated: a closure of the main actor that is handed to the standard library is checked
  /// for its executor each time, at the cost of a tenth of an action.
  nonisolated func with(_ body: () -> Void) {
    Self.currentDependencies.withValue(dependencies) {
      EffectPlace.$current.withValue(place) { body() }
    }
  }
}
