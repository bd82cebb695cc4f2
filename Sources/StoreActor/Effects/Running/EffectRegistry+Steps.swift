import Synchronization

// The changes of a registry by a step that may be abandoned.
extension EffectRegistry {
  /// A change that can be taken back.
  enum StepChange: Sendable {
    /// A child has another id.
    case move(EffectSite.Move)
    /// Absent children, and their work.
    case end([EffectSite.Removal], [EffectWork])
    /// A throttled id has another interval; the earlier one, if any.
    case interval(EffectSite, CancelID, ThrottleInterval?)
  }

  /// Cancels the work under an id at a place and below it; during a step, at the step's end.
  ///
  /// Work that begins later in the step is not affected.
  @MainActor
  func cancelInStep(_ id: CancelID, at place: EffectPlace) {
    cancelInStep(work(under: id, at: place))
  }

  /// The schedules with an id at exactly a place.
  @MainActor
  func schedules(_ id: String, at place: EffectPlace) -> [EffectWork] {
    work(under: CancelID(id), at: place).filter {
      $0.schedule?.id == id && !$0.isCancelled && $0.place.isSame(as: place)
    }
  }

  /// Cancels work; during a step, at the step's end.
  @MainActor
  func cancelInStep(_ work: [EffectWork]) {
    guard isInStep else { return EffectWork.cancel(work) }
    guard !work.isEmpty else { return }
    hasStepChanges = true
    stepCancellations.append(work)
  }

  /// Removes absent children and their descendants, and cancels their work; during a step, at the
  /// step's end.
  @MainActor
  func end(_ ids: [AnyHashable], at path: ChildrenPath, of place: EffectPlace) {
    let isInStep = isInStep
    let work = state.withLock { state -> [EffectWork] in
      guard let site = state.knownSite(at: place) else { return [] }
      var (work, removals): ([EffectWork], [EffectSite.Removal]) = ([], [])
      for id in ids { site.children(at: path)?[id]?.end(&work, &removals) }
      for work in work { state.forget(work) }
      if isInStep {
        if !removals.isEmpty { state.changes.append(.end(removals, work)) }
      } else {
        site.removeIfEmpty()
      }
      return work
    }
    if isInStep { hasStepChanges = true }
    cancelInStep(work)
  }

  /// Moves the running work of a child to the child's new id.
  func move(_ place: EffectPlace, to id: AnyHashable) {
    guard EffectSite.anyIsChild else { return }
    let isInStep = isInStep
    let hasMoved = state.withLock { state in
      guard let move = state.knownSite(at: place)?.move(to: id) else { return false }
      if isInStep { state.changes.append(.move(move)) }
      return true
    }
    if isInStep, hasMoved { hasStepChanges = true }
  }

  /// The number of changes of the step so far.
  var stepChangeCount: Int {
    hasStepChanges ? state.withLock { $0.changes.count } : 0
  }

  /// Ends a step: its changes stay, and the work that it cancels is cancelled.
  @MainActor
  func keepStepChanges() {
    isInStep = false
    guard hasStepChanges else { return }
    hasStepChanges = false
    looseEdits = nil
    state.withLock { state in
      for case .end(let removals, _) in state.changes { removals.last?.removeEmptyParents() }
      state.changes = []
    }
    let cancellations = stepCancellations
    stepCancellations = []
    for work in cancellations { EffectWork.cancel(work) }
  }

  /// Takes back the changes of the step after the first ones, newest first.
  ///
  /// The step's cancellations stay: an action that is refused performs none.
  ///
  /// - Parameter count: The number of changes that stay.
  func takeBackStepChanges(after count: Int) {
    guard hasStepChanges else { return }
    let dropped = state.withLock { state -> [StepChange] in
      let dropped = Array(state.changes.dropFirst(count))
      state.changes.removeLast(dropped.count)
      for change in dropped.reversed() { state.takeBack(change) }
      // Afterwards, because a site that is put back may be in a site that is empty until then.
      for change in dropped { change.removeEmptySites() }
      return dropped
    }
    // Released outside of the lock, as clocks may be released with them.
    withExtendedLifetime(dropped) {}
  }

  /// Ends a step that is abandoned: all its changes are taken back, and it cancels no work.
  @MainActor
  func abandonStepChanges() {
    isInStep = false
    guard hasStepChanges else { return }
    if let edits = looseEdits { SharedLock.withLock { edits.takeBack() } }
    looseEdits = nil
    takeBackStepChanges(after: 0)
    stepCancellations = []
    hasStepChanges = false
  }
}

extension EffectRegistry.StepChange {
  /// Removes sites that have become empty.
  fileprivate func removeEmptySites() {
    switch self {
    case .move: break
    case .end(let removals, _): for removal in removals { removal.removeEmptySite() }
    case .interval(let site, _, _): site.removeIfEmpty()
    }
  }
}

extension EffectRegistry.State {
  fileprivate func takeBack(_ change: EffectRegistry.StepChange) {
    switch change {
    case .move(let move): move.takeBack()
    case .end(let removals, let work):
      for removal in removals.reversed() { removal.takeBack() }
      for work in work { remember(work) }
    case .interval(let site, let id, let interval): site.intervals[id] = interval
    }
  }

  /// Inserts work into the lookup by id and by place again, unless it has ended.
  private func remember(_ work: EffectWork) {
    guard let entry = entries[work.serial] else { return }
    for (id, site) in entry.ids { site.byID[id, default: [:]][work.serial] = work }
    entry.site.work[work.serial] = work
  }
}
