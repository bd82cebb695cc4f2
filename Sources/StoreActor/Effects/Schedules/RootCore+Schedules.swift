extension RootCore {
  func makeSchedules() -> ScheduleTable<Action> {
    let schedules = ScheduleTable<Action> { [unowned self] in
      ScheduleClock { [weak self] in self?.dependencies ?? ._current }
    }
    schedules.fire = { [weak self] in self?.fire($0) }
    return schedules
  }

  // MARK: Beginning

  /// Begins a schedule that a reducer has returned.
  func begin(_ schedule: EffectSchedule<Action>, in context: EffectContext<Action>) {
    if isRunAgain { return }
    let origin = context.lineage.ofAction.origin ?? .process
    let isMeasured = effectLog != nil || schedules.observer != nil
    let form = isMeasured ? actionForm?.bytes(of: schedule.action) : nil
    let timer = timer(of: schedule, origin, form, in: context)
    let id = CancelID(schedule.id)
    let replaced = registry.schedules(schedule.id, at: context.place)
    if let refusal = refusal(of: timer, schedule.action, in: replaced.compactMap(\.schedule)) {
      return refuse(refusal, in: context)
    }
    if effectLog != nil, form == nil { reportNoForm(schedule) }
    registry.cancelInStep(replaced)
    let context = context.scheduled(under: id)
    let isKept = effectLog != nil && form != nil
    let number = Number(of: self)
    let work = enqueue(in: context) { [weak self] work in
      self?.arm(
        number(work),
        ScheduleTable<Action>.Armed(
          timer: timer,
          action: schedule.action,
          work: work,
          origin: context.lineage.ofAction.origin,
          isKept: isKept,
        ),
      )
    }
    begin(number(work), timer, work, isKept: isKept)
    if isKept { effectLog?.scheduled(number(work), timer) }
  }

  /// Counts a schedule's work until it ends, and records its end.
  private func begin(
    _ number: UInt64,
    _ timer: DurableTimer,
    _ work: EffectWork,
    isKept: Bool,
  ) {
    schedules.begin(number, timer, work)
    work.onEnd = { [weak self, weak effectLog, serial = UInt64(work.serial)] isTakenBack in
      self?.schedules.end(number)
      guard isKept else { return }
      if isTakenBack { effectLog?.tookBack(serial) } else { effectLog?.unscheduled(number) }
    }
    work.become(timer)
  }

  /// The number of a schedule: that of the log, also if the log does not keep the schedule.
  private struct Number: Sendable {
    private let offset: UInt64

    @MainActor
    init(of core: RootCore) { offset = core.effectLog?.timerNumber(0) ?? 0 }

    func callAsFunction(_ work: EffectWork) -> UInt64 { offset + UInt64(work.serial) }
  }

  /// Why a schedule exceeds a limit, if it takes the place of others; nil if it does not.
  private func refusal(
    of timer: DurableTimer,
    _ action: Action,
    in replaced: [DurableTimer],
  ) -> Refusal? {
    if effectLog != nil, timer.action.isEmpty, let actionForm, actionForm.isTooLong(action) {
      return .ofSchedule(
        "The action of a schedule has more than \(StoredAction.mostBytes >> 10) KiB."
      )
    }
    for other in replaced { schedules.count(other, -1) }
    defer { for other in replaced { schedules.count(other, 1) } }
    return schedules.refusal(of: timer)
  }

  private func timer(
    of schedule: EffectSchedule<Action>,
    _ origin: ActionOrigin,
    _ form: [UInt8]?,
    in context: EffectContext<Action>,
  ) -> DurableTimer {
    let (due, interval): (Double, Double?) =
      switch schedule.timing {
      case .at(let date): (date, nil)
      case .every(let seconds):
        (DurableTimer.bounded(withOwnDependencies { schedules.date } + seconds), seconds)
      }
    return DurableTimer(
      id: schedule.id,
      path: actionPath(of: schedule.action),
      depth: context.place.depth,
      due: due,
      interval: interval,
      missed: schedule.missed,
      revision: context.revision,
      origin: origin,
      action: form ?? [],
    )
  }

  /// Abandons the step in progress, because it exceeds a limit of schedules; if that is not
  /// possible any more, the schedule alone is left out, and this is reported.
  private func refuse(_ refusal: Refusal, in context: EffectContext<Action>) {
    if isRefusable, context.lineage.ofAction === batchLineage {
      self.refusal = refusal
    } else {
      reportLateRefusal(refusal)
    }
  }

  private func reportNoForm(_ schedule: EffectSchedule<Action>) {
    schedule.location.report(
      """
      The schedule "\(schedule.id)" ends with the daemon, because its action has no durable form. …

        Action:
          \(actionPath(of: schedule.action).joined(separator: "."))

      To fix, declare "DurableAction" for the action of the root and of the features that lead to \
      this one, and remove the mark "@DurableIgnored" from the cases. An action has at most \
      \(StoredAction.mostBytes) bytes.
      """
    )
  }

  // MARK: Waiting

  private func arm(_ number: UInt64, _ armed: ScheduleTable<Action>.Armed) {
    withOwnDependencies { schedules.arm(number, armed) }
  }

  /// Sends the action of a schedule that is due.
  private func fire(_ firing: ScheduleTable<Action>.Firing) {
    // First, because the record of the next step contains the firing.
    showShared()
    let (armed, isLast) = (firing.armed, firing.next == nil)
    let work = armed.work
    // An observer of the shared values may have cancelled it.
    guard !work.isCancelled, !work.isEnded else { return work.end() }
    var timer = armed.timer
    if let next = firing.next { timer.due = next }
    if armed.isKept { effectLog?.fires(firing.number, timer, due: firing.due, isLast: isLast) }
    // The record of the firing ends a kept schedule.
    if isLast { work.onEnd = { [weak self] _ in self?.schedules.end(firing.number) } }
    let cause = effectLog == nil ? nil : EffectCause(revision: timer.revision, name: timer.id)
    let lineage = EffectLineage(origin: armed.origin)
    _ = send(armed.action, lineage: lineage, cause: cause)
    // No session owns the effects of the action.
    if !lineage.isFinished { onOutliving?(timer.id, lineage) }
    if isLast { work.end() }
  }

  // MARK: Restarting

  /// Gives a kept schedule to the feature at the effect's place, and arms it again.
  func rearm(_ number: UInt64, in context: EffectContext<Action>) {
    guard let restored = schedules.claim(number) else { return }
    let timer = restored.timer
    let origin = timer.origin == .process ? nil : timer.origin
    let context = context.scheduled(under: CancelID(timer.id), as: origin)
    let work = enqueue(in: context) { [weak self] work in
      guard restored.obstacle == nil, let action = restored.action else { return }
      let armed = ScheduleTable<Action>.Armed(
        timer: timer,
        action: action,
        work: work,
        origin: origin,
        isKept: true,
      )
      self?.arm(number, armed)
    }
    begin(number, timer, work, isKept: true)
    if let obstacle = restored.obstacle { schedules.putToSleep(number, timer, obstacle) }
  }

  /// Receives the schedules of a journal in a start that arms none of them and makes no revision.
  package func holdBack(_ restoration: Restoration) {
    guard !restoration.timers.isEmpty else { return }
    var state = state
    surroundings.with {
      restoreSchedules(restoration) { restored?(&state, restoration, self) }
    }
    batchLineage = nil
    startEffects()
  }

  /// Gives the schedules of a journal to their features.
  ///
  /// - Parameters:
  ///   - restoration: The restoration.
  ///   - walk: Passes the restoration to all features.
  func restoreSchedules(_ restoration: Restoration, _ walk: () -> Void) {
    let timers = restoration.timers
    if timers.isEmpty { return walk() }
    schedules.restore(timers, isHeldBack: restoration.isHeldBack, actionForm)
    // First, so that a feature may replace or cancel its schedules.
    take(.merge(schedules.unclaimedOfRoot.map { Effect<Action>(.rearm($0)) }), of: nil)
    walk()
    for (number, timer) in schedules.takeUnclaimed() {
      effectLog?.unscheduled(number)
      schedules.observer?.dropped(timer)
    }
  }

  /// Cancels a schedule for an operator.
  ///
  /// - Parameter number: The schedule's number.
  /// - Returns: Whether there was one.
  package func cancelSchedule(_ number: UInt64) -> Bool {
    let (isFound, hadNoWork) = schedules.cancel(number)
    if hadNoWork { effectLog?.unscheduled(number) }
    return isFound
  }
}
