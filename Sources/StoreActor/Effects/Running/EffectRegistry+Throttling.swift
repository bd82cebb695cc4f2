import Synchronization

extension EffectRegistry {
  /// The interval in which an id is throttled at a place, if there is one.
  func interval(of id: CancelID, at place: EffectPlace) -> ThrottleInterval? {
    state.withLock { $0.knownSite(at: place)?.intervals[id] }
  }

  /// Begins an interval; it is kept until it is over, and as long as the child is there.
  func begin(_ interval: ThrottleInterval, of id: CancelID, at place: EffectPlace) {
    var intervals = state.withLock { $0.knownSite(at: place)?.intervals } ?? [:]
    let isNew = intervals.updateValue(interval, forKey: id) == nil
    // Now and then, as looking at all of them takes as long as there are many.
    if isNew, intervals.count.nonzeroBitCount == 1 {
      intervals = intervals.filter { !$0.value.isOver() }
    }
    state.withLock { $0.site(at: place).intervals = intervals }
  }

  /// Ends all intervals, at all places.
  func endIntervals() {
    let ended = state.withLock { state -> [ThrottleInterval] in
      var ended: [ThrottleInterval] = []
      state.root.endIntervals(&ended)
      return ended
    }
    // Let go of outside of the lock, as clocks may end with them.
    withExtendedLifetime(ended) {}
  }
}

/// The time in which what is throttled has to wait.
struct ThrottleInterval: Sendable {
  let isOver: @Sendable () -> Bool
  /// Waits for its end.
  let wait: @Sendable () async throws -> Void
}
