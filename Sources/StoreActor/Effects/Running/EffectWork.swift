import Synchronization

/// One piece of running work: a task of an effect, a source that calls back, a chain of effects
/// that waits for its next step, or an operation under an id inside an effect.
///
/// `state` is guarded by its mutex, as any isolation may cancel; all else is constant or belongs to
/// the main actor.
final class EffectWork: Sendable {
  private struct State {
    var isCancelled = false
    var stop: (@Sendable () -> Void)?
  }

  private static let lastSerial = Atomic(0)

  /// Greater than the serials of all earlier work.
  let serial = EffectWork.lastSerial.add(1, ordering: .relaxed).newValue
  let place: EffectPlace
  /// The ids that cancel the work, each with the place of the feature that uses it.
  let ids: [(id: CancelID, place: EffectPlace)]
  private let lineage: EffectLineage?
  private let state = Mutex(State())
  /// Begins the work; nil once it has begun, or if it needs no start.
  @MainActor private var start: (@MainActor (EffectWork) -> Void)?
  /// Whether the work had begun in a step that was abandoned.
  @MainActor var isTakenBack = false
  /// Called when the work has ended, with ``isTakenBack``.
  @MainActor var onEnd: (@MainActor (_ isTakenBack: Bool) -> Void)?
  /// The schedule that it is, which another one with its id replaces; nil for other work.
  @MainActor private(set) var schedule: DurableTimer?
  /// Whether the work has ended, so that it may send no more actions.
  @MainActor private(set) var isEnded = false

  /// Creates work of an effect and inserts it into the registry and the lineage.
  ///
  /// - Parameters:
  ///   - context: The place, lineage, ids and action of the effect.
  ///   - start: Begins the work.
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

  /// Creates work for an operation inside an effect.
  ///
  /// It has no lineage: waiters already wait for the effect.
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

  /// Cancels work, in the order in which it was created.
  ///
  /// All of it is marked before any of it is stopped: otherwise the end of one piece could start
  /// another that is about to be cancelled.
  static func cancel(_ work: some Sequence<EffectWork>) {
    let stops = work.sorted { $0.serial < $1.serial }.compactMap { $0.markCancelled() }
    for stop in stops { stop() }
  }

  /// - Returns: The function that stops the work; nil before ``attach(_:)``, which then calls it.
  private func markCancelled() -> (@Sendable () -> Void)? {
    state.withLock { state in
      state.isCancelled = true
      return state.stop
    }
  }

  /// Begins the work, or ends it if it was cancelled already.
  @MainActor
  func begin() {
    guard !isEnded, !isCancelled else { return end() }
    let start = start
    self.start = nil
    start?(self)
  }

  /// Makes the work a schedule: it ends as soon as it is cancelled, as nothing follows from that.
  @MainActor
  func become(_ schedule: DurableTimer) {
    self.schedule = schedule
    attach { onMainActor { [self] in end() } }
  }

  /// Ends work that is cancelled before it begins, so that no caller waits for it.
  @MainActor
  func endIfCancelledBeforeStart() {
    attach {
      // Later, as the canceller may be about to cancel work that would follow from the end.
      Task { @MainActor [self] in
        if start != nil { end() }
      }
    }
  }

  /// Sets the function that stops the work.
  ///
  /// It is called at once if the work was cancelled already.
  func attach(_ stop: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      state.stop = stop
      return state.isCancelled
    }
    if isCancelled { stop() }
  }

  /// Ends the work, whether it was cancelled or not.
  @MainActor
  func end() {
    guard !isEnded else { return }
    isEnded = true
    start = nil
    leave()
    lineage?.remove(self)
    onEnd?(isTakenBack)
    onEnd = nil
  }

  /// Removes the work from the registry.
  func leave() {
    // Released outside of the lock, as the release may run arbitrary deinitializers.
    let stop = state.withLock { state in
      defer { state.stop = nil }
      return state.stop
    }
    withExtendedLifetime(stop) { place.registry.remove(self) }
  }
}

/// The place, lineage, ids and action of an effect that is being performed.
struct EffectContext<Action> {
  var place: EffectPlace
  var lineage: EffectLineage
  var ids: [(id: CancelID, place: EffectPlace)] = []
  /// The action that returned the effect; nil if outputs have no observers.
  let action: Action?
  /// The revision whose reducer returned the effect.
  let revision: UInt64

  func at(_ place: EffectPlace) -> Self {
    var context = self
    context.place = place
    return context
  }

  /// The context of a schedule: no step of a chain waits for it, and it outlives the sender.
  @MainActor
  func scheduled(under id: CancelID, as origin: ActionOrigin? = nil) -> Self {
    var context = self
    context.lineage = lineage.besidesSteps.outliving(as: origin)
    return context.under(id)
  }

  func under(_ id: CancelID) -> Self {
    var context = self
    context.ids.append((id, place))
    return context
  }

  /// The context of an effect that outlives the sender of its action.
  ///
  /// - Parameter origin: The origin of the effect; nil for that of the action.
  /// - Returns: The context.
  @MainActor
  func outliving(as origin: ActionOrigin? = nil) -> Self {
    var context = self
    context.lineage = lineage.outliving(as: origin)
    return context
  }

  @MainActor
  func counted(by lineage: EffectLineage) -> Self {
    var context = self
    context.lineage = lineage.within(self.lineage)
    return context
  }
}
