extension Effect {
  /// Delays the effect until no other effect has been returned under the id for a duration.
  ///
  /// ```swift
  /// case .queryChanged:
  ///   return .send(.search).debounce(id: CancelID.search, for: .seconds(1), clock: clock)
  /// ```
  ///
  /// - Parameters:
  ///   - id: Identifies the effects that are debounced. The id also cancels them.
  ///   - duration: The delay, which restarts with each effect under the id.
  ///   - clock: The clock that measures the delay.
  /// - Returns: The effect, delayed.
  public func debounce<C: Clock>(
    id: some Hashable & Sendable,
    for duration: C.Duration,
    clock: C,
  ) -> Self where C.Duration: Sendable {
    if isNone || isRefusal { return self }
    let wait = Self.waiting { try await clock.sleep(for: duration) }
    return .concatenate(wait, self).cancellable(id: id, cancelInFlight: true)
  }

  /// Delays the effect until no other effect has been returned under the id for a duration.
  ///
  /// - Parameters:
  ///   - id: Identifies the effects that are debounced. The id also cancels them.
  ///   - duration: The delay, which restarts with each effect under the id.
  ///   - clock: The clock that measures the delay, such as the dependency `continuousClock`.
  /// - Returns: The effect, delayed.
  @_disfavoredOverload
  public func debounce(
    id: some Hashable & Sendable,
    for duration: Duration,
    clock: any Clock<Duration>,
  ) -> Self {
    func debounced(on clock: some Clock<Duration>) -> Self {
      debounce(id: id, for: duration, clock: clock)
    }
    return debounced(on: clock)
  }

  /// Performs at most one effect in each interval.
  ///
  /// The first effect is performed at once. Effects within the following interval wait for its end;
  /// only one of them is kept. When it is performed, a new interval begins.
  ///
  /// - Parameters:
  ///   - id: Identifies the effects that are throttled.
  ///   - interval: The minimum time between two effects.
  ///   - clock: The clock that measures the interval.
  ///   - latest: Whether the last effect within the interval is kept, or the first.
  /// - Returns: The effect, delayed or dropped.
  public func throttle<C: Clock>(
    id: some Hashable & Sendable,
    for interval: C.Duration,
    clock: C,
    latest: Bool,
  ) -> Self where C.Duration: Sendable {
    if isNone || isRefusal { return self }
    let throttle = Throttle(id: CancelID(id), interval: interval, clock: clock, latest: latest)
    return Self(.resolve { throttle.admit(self, at: $0) })
  }

  /// Performs at most one effect in each interval.
  ///
  /// - Parameters:
  ///   - id: Identifies the effects that are throttled.
  ///   - interval: The minimum time between two effects.
  ///   - clock: The clock that measures the interval, such as the dependency `continuousClock`.
  ///   - latest: Whether the last effect within the interval is kept, or the first.
  /// - Returns: The effect, delayed or dropped.
  @_disfavoredOverload
  public func throttle(
    id: some Hashable & Sendable,
    for interval: Duration,
    clock: any Clock<Duration>,
    latest: Bool,
  ) -> Self {
    func throttled(on clock: some Clock<Duration>) -> Self {
      throttle(id: id, for: interval, clock: clock, latest: latest)
    }
    return throttled(on: clock)
  }

  fileprivate static func waiting(_ wait: @escaping @Sendable () async throws -> Void) -> Self {
    let run = EffectRun<Action>(priority: nil, name: nil, location: nil) { _ in
      // A clock throws only on cancellation, and then the effect is dropped anyway.
      try? await wait()
    }
    return Self(.run(run))
  }
}

/// The throttling of effects under one id; the root's registry keeps the intervals.
private struct Throttle<C: Clock>: Sendable where C.Duration: Sendable {
  let id: CancelID
  let interval: C.Duration
  let clock: C
  let latest: Bool

  @MainActor
  func admit<Action>(_ effect: Effect<Action>, at place: EffectPlace) -> Effect<Action> {
    ReducerInputs.noteThrottle()
    guard let current = place.registry.interval(of: id, at: place), !current.isOver() else {
      beginInterval(at: place)
      return effect
    }
    if !latest, place.registry.isRunning(id, at: place) { return .none }
    let pass = Effect<Action>(
      .resolve { place in
        beginInterval(at: place)
        return effect
      }
    )
    return .concatenate(.waiting(current.wait), pass)
      .cancellable(by: id, cancelInFlight: latest)
  }

  @MainActor
  private func beginInterval(at place: EffectPlace) {
    let end = clock.now.advanced(by: interval)
    let interval = ThrottleInterval { [clock] in
      clock.now >= end
    } wait: { [clock] in
      try await clock.sleep(until: end, tolerance: nil)
    }
    place.registry.begin(interval, of: id, at: place)
  }
}
