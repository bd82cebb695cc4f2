import Synchronization

extension EffectRegistry {
  /// The interval in which an id is throttled at a place, if there is one.
  func interval(of id: CancelID, at place: EffectPlace) -> ThrottleInterval? {
    state.withLock { $0.knownSite(at: place)?.intervals[id] }
  }

  /// Begins an interval.
  ///
  /// It is kept until it is over or the child is removed.
  @MainActor
  func begin(_ interval: ThrottleInterval, of id: CancelID, at place: EffectPlace) {
    var intervals = state.withLock { $0.knownSite(at: place)?.intervals } ?? [:]
    let old = intervals.updateValue(interval, forKey: id)
    let isNew = old == nil
    // Only when the count is a power of two, as the scan takes time linear in the count.
    if isNew, intervals.count.nonzeroBitCount == 1 {
      intervals = intervals.filter { !$0.value.isOver() }
    }
    let isInStep = isInStep
    state.withLock { state in
      let site = state.site(at: place)
      site.intervals = intervals
      if isInStep { state.changes.append(.interval(site, id, old)) }
    }
    if isInStep { hasStepChanges = true }
  }

  /// Ends all intervals, at all places.
  func endIntervals() {
    let ended = state.withLock { state -> [ThrottleInterval] in
      var ended: [ThrottleInterval] = []
      state.root.endIntervals(&ended)
      return ended
    }
    // Released outside of the lock, as clocks may be released with them.
    withExtendedLifetime(ended) {}
  }
}

/// The time during which throttled effects wait.
struct ThrottleInterval: Sendable {
  let isOver: @Sendable () -> Bool
  /// Waits for the end of the interval.
  let wait: @Sendable () async throws -> Void
}
