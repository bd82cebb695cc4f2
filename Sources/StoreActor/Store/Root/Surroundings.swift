/// What reducers find around them.
struct Surroundings {
  let dependencies: DependencyValues
  let place: EffectPlace

  static var current: Self {
    Self(dependencies: DependencyValues._current, place: .current)
  }

  /// Runs a closure with these.
  ///
  /// Not isolated: a closure of the main actor that is handed to the standard library is checked
  /// for its executor each time, at the cost of a tenth of an action.
  nonisolated func with(_ body: () -> Void) {
    DependencyValues.$_current.withValue(dependencies) {
      EffectPlace.$current.withValue(place) { body() }
    }
  }
}
