/// The schedules of a root that wait for their due times.
@MainActor
package final class ScheduleTable<Action> {
  /// How long a change of the date may remain unnoticed, in seconds; a later firing is missed.
  private static var longestWait: Double { 30 }
  /// The greatest number of actions that are sent before other work gets its turn.
  private static var mostPerCheck: Int { 64 }
  /// The greatest number of missed firings that are made up for.
  private static var mostMissed: Double { 1_000 }

  /// The most schedules of a root.
  ///
  /// A daemon limits those of each user, too.
  package static var most: Int { 10_000 }

  /// A schedule that waits.
  struct Armed {
    var timer: DurableTimer
    let action: Action
    let work: EffectWork
    /// The origin of its action; nil for the process.
    let origin: ActionOrigin?
    /// Whether a journal keeps it.
    let isKept: Bool
    /// The date and the clock when it was armed.
    var start = (date: 0.0, elapsed: 0.0)
  }

  /// A firing of a schedule.
  struct Firing {
    let number: UInt64
    let armed: Armed
    /// When it was due, in seconds since 2001.
    let due: Double
    /// When it is due next; nil if the schedule ends.
    let next: Double?
  }

  /// A schedule that a journal contains.
  struct Restored {
    let timer: DurableTimer
    /// Its action; nil if this build cannot read it.
    let action: Action?
    /// Why it does not fire; nil if it does.
    let obstacle: ListedTimer.Status?
  }

  /// A schedule that has begun, and not ended.
  private struct Begun {
    let timer: DurableTimer
    /// Its work; nil if its feature is not found.
    let work: EffectWork?
    /// Why it does not fire; nil if it does.
    var obstacle: ListedTimer.Status?
  }

  /// All schedules, by their numbers.
  ///
  /// Bounded by ``most``, and in a daemon by its limits for each holder.
  private var begun: [UInt64: Begun] = [:]
  /// The schedules that wait, by their numbers.
  ///
  /// Bounded by ``begun``.
  private var armed: [UInt64: Armed] = [:]
  /// The schedules that a journal contains and no feature has claimed yet.
  ///
  /// Bounded like the others; a start empties it.
  private var unclaimed: [UInt64: Restored] = [:]
  /// Sends the action of a firing.
  var fire: (Firing) -> Void = { _ in }
  /// The clock; nil until the first use.
  private var clock: ScheduleClock?
  private let makeClock: () -> ScheduleClock
  /// Ends the wait in progress; nil if there is none.
  private var endWait: (() -> Void)?
  /// When the wait in progress ends, by the clock.
  private var waitEnd = Double.infinity
  /// The date and the clock at the last check.
  private var lastCheck: (date: Double, elapsed: Double)?
  /// Whether the date has not changed between the last two checks, so that nobody sets it.
  private var isDateStill = false
  private var isStopped = false

  init(clock makeClock: @escaping () -> ScheduleClock) { self.makeClock = makeClock }

  isolated deinit { endWait?() }

  /// The number of schedules.
  package private(set) var count = 0
  /// Limits and counts the schedules; nil outside of a daemon.
  package weak var observer: (any ScheduleObserver)?

  /// Counts a schedule that begins, 1, or ends, -1.
  func count(_ timer: DurableTimer, _ change: Int) {
    count += change
    observer?.count(timer, change)
  }

  /// Adds a schedule, which waits later.
  func begin(_ number: UInt64, _ timer: DurableTimer, _ work: EffectWork?) {
    begun[number] = Begun(timer: timer, work: work)
    count(timer, 1)
  }

  /// Why a schedule may not begin; nil if it may.
  func refusal(of timer: DurableTimer) -> Refusal? {
    if let refusal = observer?.refusal(of: timer) { return refusal }
    guard count >= Self.most else { return nil }
    return .ofSchedule(
      "There are \(Self.most) schedules, and no more are kept. Cancel some of them."
    )
  }

  /// The schedules, by their numbers.
  package var list: [ListedTimer] {
    begun.map { number, begun in
      ListedTimer(
        number: number,
        timer: armed[number]?.timer ?? begun.timer,
        status: begun.obstacle ?? .armed,
      )
    }
    .sorted { $0.number < $1.number }
  }

  /// Replaces the clock, before its first use.
  package func use(_ clock: ScheduleClock) { self.clock = clock }

  private var clockInUse: ScheduleClock {
    if let clock { return clock }
    let clock = makeClock()
    self.clock = clock
    return clock
  }

  /// The date, in seconds since 2001.
  var date: Double { clockInUse.date() }

  /// Fires nothing more.
  package func stop() {
    isStopped = true
    endWait?()
    endWait = nil
  }

  // MARK: Restoring

  /// Receives the schedules of a journal, which features then claim.
  ///
  /// - Parameters:
  ///   - timers: The schedules.
  ///   - isHeldBack: Whether none of them is armed.
  ///   - form: The form of their actions.
  func restore(
    _ timers: [RestoredTimer],
    isHeldBack: Bool,
    _ form: StoredActionForm<Action>?,
  ) {
    for restored in timers {
      let action = form?.read(restored.timer.action)
      let obstacle: ListedTimer.Status? =
        if action == nil {
          .unreadable
        } else if restored.isHeld {
          .held
        } else {
          isHeldBack ? .heldBack : nil
        }
      unclaimed[restored.number] =
        Restored(timer: restored.timer, action: action, obstacle: obstacle)
    }
  }

  /// Gives a restored schedule to the feature that it belongs to; nil if another one has it.
  func claim(_ number: UInt64) -> Restored? { unclaimed.removeValue(forKey: number) }

  /// The restored schedules of the root itself.
  var unclaimedOfRoot: [UInt64] { unclaimed.filter { $1.timer.depth == 0 }.keys.sorted() }

  /// Ends the start: a schedule without a feature stays asleep if it is unreadable or held back,
  /// since another start may find the feature.
  ///
  /// - Returns: The other schedules that no feature has claimed, because their children are absent.
  func takeUnclaimed() -> [(number: UInt64, timer: DurableTimer)] {
    defer { unclaimed = [:] }
    return unclaimed.sorted { $0.key < $1.key }.compactMap { number, restored in
      guard let obstacle = restored.obstacle, obstacle != .held else {
        return (number, restored.timer)
      }
      begin(number, restored.timer, nil)
      putToSleep(number, restored.timer, obstacle)
      return nil
    }
  }

  // MARK: Waiting

  /// Arms a schedule.
  func arm(_ number: UInt64, _ schedule: Armed) {
    let clock = clockInUse
    var schedule = schedule
    schedule.start = (clock.date(), clock.elapsed())
    // The clock may have been set back while no daemon ran.
    if case .waits(let due) = Self.advance(schedule.timer, schedule.start.date) {
      schedule.timer.due = due
    }
    armed[number] = schedule
    wait(schedule.timer.due - schedule.start.date, since: schedule.start.elapsed)
  }

  /// Notes that a schedule does not fire.
  func putToSleep(_ number: UInt64, _ timer: DurableTimer, _ obstacle: ListedTimer.Status) {
    begun[number]?.obstacle = obstacle
    observer?.sleeps(timer, obstacle)
  }

  /// Removes a schedule that has ended.
  func end(_ number: UInt64) {
    if let timer = begun.removeValue(forKey: number)?.timer { count(timer, -1) }
    guard armed.removeValue(forKey: number) != nil, armed.isEmpty else { return }
    endWait?()
    endWait = nil
    waitEnd = .infinity
    (lastCheck, isDateStill) = (nil, false)
  }

  /// Cancels a schedule for an operator.
  ///
  /// - Returns: Whether there was one, and whether it had no work, so that no feature ends it.
  func cancel(_ number: UInt64) -> (isFound: Bool, hadNoWork: Bool) {
    guard let found = begun[number] else { return (false, false) }
    if let work = found.work {
      work.cancel()
      return (true, false)
    }
    end(number)
    return (true, true)
  }

  /// The time that counts for a schedule: the date or, while the date stands still, the clock.
  private func now(of armed: Armed, _ date: Double, _ elapsed: Double) -> Double {
    armed.start.date == date ? date + elapsed - armed.start.elapsed : date
  }

  /// Waits for a due time, unless the wait in progress ends earlier.
  private func wait(_ seconds: Double, since elapsed: Double) {
    guard !isStopped else { return }
    // A date that stands still is not set.
    let wait = max(0, isDateStill ? seconds : min(seconds, Self.longestWait))
    guard elapsed + wait < waitEnd else { return }
    endWait?()
    waitEnd = elapsed + wait
    endWait = clockInUse.wake(wait) { [weak self] in self?.check() }
  }

  /// Fires the schedules that are due.
  private func check() {
    guard !isStopped else { return }
    let clock = clockInUse
    let (date, elapsed) = (clock.date(), clock.elapsed())
    if let lastCheck { isDateStill = lastCheck.date == date && elapsed - lastCheck.elapsed > 0.01 }
    lastCheck = (date, elapsed)
    // Its task runs this.
    endWait = nil
    waitEnd = .infinity
    var (firings, moved, missed): ([Firing], [(UInt64, Double)], [EffectWork]) = ([], [], [])
    for (number, schedule) in armed {
      switch Self.advance(schedule.timer, now(of: schedule, date, elapsed)) {
      case .waits(let due): if due != schedule.timer.due { moved.append((number, due)) }
      case .ends: missed.append(schedule.work)
      case .fires(let due, let next):
        firings.append(Firing(number: number, armed: schedule, due: due, next: next))
      }
    }
    for (number, due) in moved { armed[number]?.timer.due = due }
    for index in armed.indices where armed.values[index].start.date != date {
      armed.values[index].start = (date, elapsed)
    }
    for work in missed { work.cancel() }
    firings.sort { ($0.due, $0.number) < ($1.due, $1.number) }
    for firing in firings.prefix(Self.mostPerCheck) {
      // An action of this check may have cancelled it, or the daemon has ended.
      let work = firing.armed.work
      guard !isStopped, armed[firing.number]?.work === work, !work.isCancelled else { continue }
      if let next = firing.next {
        armed[firing.number]?.timer.due = next
      } else {
        armed[firing.number] = nil
      }
      fire(firing)
    }
    plan()
  }

  /// Waits for the next due time.
  private func plan() {
    guard !armed.isEmpty else { return }
    let clock = clockInUse
    let (date, elapsed) = (clock.date(), clock.elapsed())
    let next = armed.values.reduce(Double.infinity) {
      min($0, $1.timer.due - now(of: $1, date, elapsed))
    }
    wait(next, since: elapsed)
  }

  /// The result of a look at a schedule.
  private enum Step {
    /// It is due at this time.
    case waits(Double)
    /// Its only due time was missed.
    case ends
    /// It was due, and is due again at the next time, if any.
    case fires(Double, next: Double?)
  }

  /// Computes the next firing of a schedule at a time.
  private static func advance(_ timer: DurableTimer, _ now: Double) -> Step {
    let due = timer.due
    guard let interval = timer.interval else {
      if due > now { return .waits(due) }
      return timer.missed == .skip && now - due > longestWait ? .ends : .fires(due, next: nil)
    }
    // A clock that was set back delays it by one interval at most.
    if due > now { return .waits(min(due, DurableTimer.bounded(now + interval))) }
    // The number of due times after the first one that have passed.
    let passed = ((now - due) / interval).rounded(.down)
    let newest = due + passed * interval
    let oldest = passed < mostMissed ? due : newest - (mostMissed - 1) * interval
    let fires = timer.missed == .each ? oldest : newest
    let next = DurableTimer.bounded(fires + interval)
    if timer.missed == .skip, now - fires > longestWait { return .waits(next) }
    return .fires(fires, next: next)
  }
}

/// Limits and counts the schedules of a root.
@MainActor
package protocol ScheduleObserver: AnyObject {
  /// Why a schedule may not begin; nil if it may.
  func refusal(of timer: DurableTimer) -> Refusal?

  /// Counts a schedule that begins, 1, or ends, -1.
  func count(_ timer: DurableTimer, _ change: Int)

  /// Notes that a kept schedule does not fire.
  func sleeps(_ timer: DurableTimer, _ status: ListedTimer.Status)

  /// Notes that a kept schedule was dropped at a start, because its child is absent.
  func dropped(_ timer: DurableTimer)
}

extension Refusal {
  /// Refuses a schedule, for a reason that names the limit.
  package static func ofSchedule(_ reason: String) -> Refusal {
    Refusal(reason: reason, code: "schedules", encodedValue: nil)
  }
}
