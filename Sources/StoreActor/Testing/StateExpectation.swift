import CustomDump

/// A state as a test expects it, and the actual state.
struct StateExpectation<State: Equatable> {
  let previous: State
  let actual: State
  /// Whether a closure without an effect is allowed.
  let mayChangeNothing: Bool
  /// Whether an expected state and an actual one are the same although `==` is false.
  var areSame: (State, State) -> Bool = { _, _ in false }
  /// The versions of shared values that the two show.
  private let versions: (previous: UInt64, actual: UInt64)
  /// Whether the feature has set a shared value, even to an equal one.
  private let setsShared: Bool

  /// Creates an expectation of a state's change; both states show shared values of some version.
  init(
    from previous: (state: State, version: UInt64),
    to actual: (state: State, version: UInt64),
    mayChangeNothing: Bool = false,
    setsShared: Bool = false,
  ) {
    self.previous = previous.state
    self.actual = actual.state
    self.mayChangeNothing = mayChangeNothing
    self.setsShared = setsShared
    versions = (previous.version, actual.version)
  }

  /// The failure if the whole change must be asserted; nil without a failure.
  func failure(of update: ((inout State) throws -> Void)?) -> String? {
    var expected = previous
    var expectsShared = false
    if let error = apply(update, to: &expected, of: versions.previous, &expectsShared) {
      return error
    }
    if !isMet(by: expected) { return mismatch(expected, hasUpdate: update != nil) }
    guard update != nil, !mayChangeNothing, expected == previous else { return nil }
    // Setting a shared value to an equal one is asserted like any other change of it.
    if expectsShared, setsShared { return nil }
    return unnecessary
  }

  /// The failure if only the values that the closure sets must match; nil without a failure.
  func partialFailure(of update: ((inout State) throws -> Void)?) -> String? {
    var expected = actual
    var expectsShared = false
    if let error = apply(update, to: &expected, of: versions.actual, &expectsShared) {
      return error
    }
    return isMet(by: expected) ? nil : mismatch(expected, hasUpdate: true)
  }

  private func isMet(by expected: State) -> Bool {
    expected == actual || areSame(expected, actual)
  }

  /// The changes that were not asserted; nil if all were.
  func skipped(by update: ((inout State) throws -> Void)?) -> String? {
    var expected = previous
    var expectsShared = false
    guard apply(update, to: &expected, of: versions.previous, &expectsShared) == nil else {
      return nil
    }
    return diff(expected, actual, format: .proportional).map {
      "These changes were not asserted: …\n\n\($0.indented(by: 4))\n\n(Expected: −, Actual: +)"
    }
  }

  private func apply(
    _ update: ((inout State) throws -> Void)?,
    to state: inout State,
    of version: UInt64,
    _ expectsShared: inout Bool,
  ) -> String? {
    do {
      if let update { expectsShared = try SharedStates.expect(&state, from: version, update) }
      return nil
    } catch {
      return "The closure of an assertion threw an error: \(error)"
    }
  }

  private func mismatch(_ expected: State, hasUpdate: Bool) -> String {
    let heading =
      hasUpdate
      ? "A state change does not match expectation"
      : "State was not expected to change, but a change occurred"
    return "\(heading): …\n\n\(difference(expected, actual, labels: ("Expected", "Actual")))"
  }

  private var unnecessary: String {
    """
    Expected state to change, but no change occurred.

    The closure leaves the state as it is. To fix, set in it what the action changes, or leave it \
    out if that is nothing.
    """
  }
}

extension TestStore {
  func check(
    _ expectation: StateExpectation<State>,
    update: ((inout State) throws -> Void)?,
    at location: IssueLocation,
  ) {
    if let failure = failure(of: expectation, update) { return location.report(failure) }
    guard case .off(showSkippedAssertions: true) = exhaustivity else { return }
    let skipped = asserting(expectation, update) { expectation.skipped(by: $0) }
    if let skipped { recorder.printSkipped(skipped, at: location) }
  }

  /// The failure of a state, as strictly as the test store is; nil without a failure.
  func failure(
    of expectation: StateExpectation<State>,
    _ update: ((inout State) throws -> Void)?,
  ) -> String? {
    var expectation = expectation
    if let areSame = subject.areSame { expectation.areSame = areSame }
    return asserting(expectation, update) { [expectation] in
      exhaustivity == .on ? expectation.failure(of: $0) : expectation.partialFailure(of: $0)
    }
  }

  /// In the closure of an assertion the store's state is the one before the action, and the
  /// dependencies are the store's.
  private func asserting<R>(
    _ expectation: StateExpectation<State>,
    _ update: ((inout State) throws -> Void)?,
    _ body: (((inout State) throws -> Void)?) -> R,
  ) -> R {
    let current = recorder.state
    recorder.state = expectation.previous
    defer { recorder.state = current }
    let dependencies = dependencies
    return body(
      update.map { update in
        { state in try DependencyValues.$_current.withValue(dependencies) { try update(&state) } }
      }
    )
  }
}
