/// The task-local values of reducers: the dependencies and the place.
struct Surroundings {
  let dependencies: DependencyValues
  let place: EffectPlace

  /// Cached: a read from another module retains it for each action.
  private static let currentDependencies = DependencyValues.$_current

  static var current: Self {
    Self(dependencies: DependencyValues._current, place: .current)
  }

  /// Runs a closure with these values.
  ///
  /// Not isolated: for a main-actor closure that is passed to the standard library, the executor is
  /// checked each time, which costs a tenth of an action.
  nonisolated func with(_ body: () -> Void) {
    Self.currentDependencies.withValue(dependencies) {
      EffectPlace.$current.withValue(place) { body() }
    }
  }
}
