import StoreActor

/// A feature whose actions schedule others: the root, an optional child, and rows.
@Reducer
struct Alarms {
  @ObservableState
  struct State: DurableState, Equatable {
    var rang: [String] = []
    var origins: [UInt64?] = []
    var child: Bell.State?
    var rows: IdentifiedArrayOf<Bell.State> = []
  }

  enum ViewAction: Equatable, WireAction {
    case bell(Bell.Action)
    case child(Bell.Action)
    case childToggled
    case rowRemoved(id: Int)
    case rows(IdentifiedActionOf<Bell>)
    /// Schedules and then refuses.
    case refused(cancels: String)
    /// Schedules, and sends other actions beside and after that.
    case inOrder
    case twoSchedules
    /// Schedules after an effect has ended.
    case afterEffect(at: Double)
  }

  enum ReducerAction: DurableAction, Equatable {
    case followed
  }

  @Dependency(\.origin) private var origin

  var body: some ReducerOf<Self> {
    Scope(\.self, action: \.bell) { RootBell() }
    Reduce { state, action in
      switch action {
      case .childToggled:
        state.child = state.child == nil ? Bell.State(id: 0) : nil
        return .none
      case .rowRemoved(let id):
        state.rows[id: id] = nil
        return .none
      case .refused(let cancels):
        return .merge(
          .cancel(id: cancels),
          .schedule(id: "x", every: .seconds(1), .followed),
          .refuse("no"),
        )
      case .inOrder:
        return .concatenate(
          .merge(.schedule(id: "x", every: .seconds(1), .followed), .send(.followed)),
          .send(.followed),
        )
      case .twoSchedules:
        return .merge(
          .schedule(id: "x", every: .seconds(1), .followed),
          .schedule(id: "y", every: .seconds(1), .followed),
        )
      case .afterEffect(let date):
        let date = Date(timeIntervalSinceReferenceDate: date)
        return .concatenate(.run { _ in }, .schedule(id: "after", at: date, .followed))
      case .followed:
        state.rang.append("followed")
        return .none
      case .child(.rang(let name)), .rows(.element(_, .rang(let name))):
        state.rang.append(name)
        state.origins.append(origin.session)
        return .none
      case .bell, .child, .rows: return .none
      }
    }
    .ifLet(\.child, action: \.child) { Bell() }
    .forEach(\.rows, action: \.rows) { Bell() }
  }

  /// The root's own schedules.
  private struct RootBell: Reducer {
    @Dependency(\.origin) private var origin

    func reduce(into state: inout State, action: Bell.Action) -> Effect<Bell.Action> {
      if case .rang(let name) = action {
        if name.hasPrefix("refused") { return .refuse("no") }
        if name == "works" { return .run { _ in try await Task.never() } }
        state.rang.append(name)
        state.origins.append(origin.session)
      }
      return Bell.effect(of: action)
    }
  }
}

/// A feature that schedules.
@Reducer
struct Bell {
  @ObservableState
  struct State: Equatable, Identifiable, ReplicatedState {
    let id: Int
    var rings = 0
  }

  enum ViewAction: Equatable, WireAction {
    /// At a date, in seconds since 2001.
    case set(String, at: Double, missed: String)
    case setEach(String, seconds: Double, missed: String)
    case setSecret(String, at: Double)
    case setLong(bytes: Int)
    case cancelled(String)
  }

  enum ReducerAction: DurableAction, Equatable {
    case rang(String)
    @DurableIgnored case secretRang(String)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .rang = action { state.rings += 1 }
      return Self.effect(of: action)
    }
  }

  static func effect(of action: Action) -> Effect<Action> {
    switch action {
    case .set(let name, let date, let missed):
      let missed = MissedFirings(rawValue: missed) ?? .once
      let date = Date(timeIntervalSinceReferenceDate: date)
      return .schedule(id: name, at: date, missed: missed, .rang(name))
    case .setEach(let name, let seconds, let missed):
      let missed = MissedFirings(rawValue: missed) ?? .once
      return .schedule(id: name, every: .seconds(seconds), missed: missed, .rang(name))
    case .setSecret(let name, let date):
      let date = Date(timeIntervalSinceReferenceDate: date)
      return .schedule(id: name, at: date, .secretRang(name))
    case .setLong(let bytes):
      return .schedule(
        id: "long",
        every: .seconds(1e12),
        .rang(String(repeating: "x", count: bytes)),
      )
    case .cancelled(let name): return .cancel(id: name)
    case .rang, .secretRang: return .none
    }
  }
}

/// A clock for schedules, whose date a test may set.
@MainActor
final class ManualTime {
  private(set) var date: Double
  private var elapsed = 0.0
  private var wait: (end: Double, body: @MainActor () -> Void)?
  /// The seconds for which the table waits; nil if it does not.
  var waiting: Double? { wait.map { $0.end - elapsed } }

  init(_ date: Double = 1_000) { self.date = date }

  var clock: ScheduleClock {
    ScheduleClock { [self] in
      date
    } elapsed: { [self] in
      elapsed
    } wake: { [self] time, body in
      wait = (elapsed + time, body)
      return { self.wait = nil }
    }
  }

  /// Lets time pass.
  ///
  /// - Parameters:
  ///   - seconds: The time.
  ///   - isAsleep: Whether the machine sleeps meanwhile, so that the clock stands still.
  func advance(by seconds: Double, isAsleep: Bool = false) {
    if isAsleep {
      date += seconds
      // The machine's wait ends late.
      return advance(by: waiting ?? 0)
    }
    let end = elapsed + seconds
    while let next = wait, next.end <= end {
      date += next.end - elapsed
      elapsed = next.end
      wait = nil
      next.body()
    }
    date += end - elapsed
    elapsed = end
  }

  /// Ends the wait in progress, once.
  func wake() {
    let body = wait?.body
    wait = nil
    body?()
  }

  /// Sets the date, as an administrator does.
  func set(by seconds: Double) { date += seconds }
}

/// The schedules of a journal.
@MainActor
final class TimerLog: EffectLog {
  var timers: [UInt64: DurableTimer] = [:]
  var fired: [(number: UInt64, due: Double, isLast: Bool)] = []

  func began(_ number: UInt64, _ effect: InterruptedEffect) {}

  func ended(_ number: UInt64) {}

  func tookBack(_ number: UInt64) { timers[100 + number] = nil }

  func timerNumber(_ serial: UInt64) -> UInt64 { 100 + serial }

  func scheduled(_ number: UInt64, _ timer: DurableTimer) { timers[number] = timer }

  func unscheduled(_ number: UInt64) { timers[number] = nil }

  func fires(_ number: UInt64, _ timer: DurableTimer, due: Double, isLast: Bool) {
    fired.append((number, due, isLast))
    timers[number] = isLast ? nil : timer
  }

  /// The schedules as a restarted daemon finds them.
  var restored: [RestoredTimer] {
    timers.sorted { $0.key < $1.key }.map { RestoredTimer(number: $0, timer: $1) }
  }
}

/// For the logs of tests without schedules.
extension EffectLog {
  func timerNumber(_ serial: UInt64) -> UInt64 { serial }

  func scheduled(_ number: UInt64, _ timer: DurableTimer) {}

  func unscheduled(_ number: UInt64) {}

  func fires(_ number: UInt64, _ timer: DurableTimer, due: Double, isLast: Bool) {}
}
