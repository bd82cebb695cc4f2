import Synchronization

/// One piece of work that is under way: a task of an effect, a source that calls back, a chain of
/// effects that waits for its next part, or an operation under an id inside an effect.
///
/// `state` is guarded by its mutex, as cancellation may come from any isolation; everything else is
/// constant or belongs to the main actor.
final class EffectWork: Sendable {
  private struct State {
    var isCancelled = false
    var stop: (@Sendable () -> Void)?
  }

  private static let lastSerial = Atomic(0)

  /// Greater than that of all work that came before.
  let serial = EffectWork.lastSerial.add(1, ordering: .relaxed).newValue
  let place: EffectPlace
  /// The ids that it can be cancelled by, each with the place of the feature that uses it.
  let ids: [(id: CancelID, place: EffectPlace)]
  private let lineage: EffectLineage?
  private let state = Mutex(State())
  /// Begins the work; nil once it has begun, or where there is nothing to begin.
  @MainActor private var start: (@MainActor (EffectWork) -> Void)?
  /// Is called when the work is over.
  @MainActor var onEnd: (@MainActor () -> Void)?
  /// Whether the work is over, so that nothing may be sent any more.
  @MainActor private(set) var isEnded = false

  /// Enters work of an effect wherever it is to be found.
  ///
  /// - Parameters:
  ///   - context: What the effect belongs to.
  ///   - start: Begins it.
  @MainActor
  init<Action>(
    in context: EffectContext<Action>,
    start: (@MainActor (EffectWork) -> Void)? = nil,
  ) {
    place = context.place
    ids = context.ids
    lineage = context.lineage
    self.start = start
    place.registry.insert(self)
    lineage?.insert(self)
  }

  /// Enters an operation inside an effect, which those who wait for the effect wait for anyway.
  init(operationUnder id: CancelID, stop: @escaping @Sendable () -> Void) {
    place = .current
    ids = [(id, place)]
    lineage = nil
    attach(stop)
    place.registry.insert(self)
  }

  var isCancelled: Bool {
    state.withLock { $0.isCancelled }
  }

  func cancel() { markCancelled()?() }

  /// Cancels work, in the order in which it began.
  ///
  /// All of it is marked before any of it is stopped: what stops at once may otherwise be followed
  /// by what is about to be cancelled.
  static func cancel(_ work: some Sequence<EffectWork>) {
    let stops = work.sorted { $0.serial < $1.serial }.compactMap { $0.markCancelled() }
    for stop in stops { stop() }
  }

  /// - Returns: What stops it; nil where that is told later, and is done then.
  private func markCancelled() -> (@Sendable () -> Void)? {
    state.withLock { state in
      state.isCancelled = true
      return state.stop
    }
  }

  /// Begins the work, unless it was cancelled already: then it ends.
  @MainActor
  func begin() {
    guard !isEnded, !isCancelled else { return end() }
    let start = start
    self.start = nil
    start?(self)
  }

  /// Lets nobody wait any more for work that is cancelled before it begins.
  @MainActor
  func endIfCancelledBeforeStart() {
    attach {
      // Not now, as whoever cancels may be about to cancel what would follow from the end.
      Task { @MainActor [self] in
        if start != nil { end() }
      }
    }
  }

  /// Tells the work how to stop, once it has begun; it is stopped at once when it was cancelled
  /// before.
  func attach(_ stop: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      state.stop = stop
      return state.isCancelled
    }
    if isCancelled { stop() }
  }

  /// The work is over, whether it was cancelled or not.
  @MainActor
  func end() {
    guard !isEnded else { return }
    isEnded = true
    start = nil
    leave()
    lineage?.remove(self)
    onEnd?()
    onEnd = nil
  }

  /// Is to be found no more.
  func leave() {
    // Let go of outside of the lock, as anything may end with it.
    let stop = state.withLock { state in
      defer { state.stop = nil }
      return state.stop
    }
    withExtendedLifetime(stop) { place.registry.remove(self) }
  }
}

/// What an effect that is being performed belongs to.
struct EffectContext<Action> {
  var place: EffectPlace
  var lineage: EffectLineage
  var ids: [(id: CancelID, place: EffectPlace)] = []
  /// The action that it is for; nil where nobody observes outputs.
  let action: Action?

  func at(_ place: EffectPlace) -> Self {
    var context = self
    context.place = place
    return context
  }

  func under(_ id: CancelID) -> Self {
    var context = self
    context.ids.append((id, place))
    return context
  }

  @MainActor
  func counted(by lineage: EffectLineage) -> Self {
    var context = self
    context.lineage = lineage.within(self.lineage)
    return context
  }
}
