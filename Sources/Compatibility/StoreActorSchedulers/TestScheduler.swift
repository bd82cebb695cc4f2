import StoreActor
import Synchronization

/// A scheduler whose time a test controls.
///
/// ```swift
/// let scheduler = DispatchQueue.test
/// let store = TestStore(
///   initialState: AppState(),
///   reducer: appReducer,
///   environment: AppEnvironment(mainQueue: scheduler.eraseToAnyScheduler())
/// )
/// store.send(.startButtonTapped)
/// scheduler.advance(by: .seconds(1))
/// store.receive(.ticked) { $0.seconds = 1 }
/// ```
public final class TestScheduler<Base: Scheduler>: Scheduler {
  private struct Item {
    let date: SchedulerTime
    let number: UInt64
    let action: @MainActor () -> Void
  }

  private struct State {
    var now = SchedulerTime(offset: .zero)
    var items: [Item] = []
    var count: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Creates a scheduler whose time is zero.
  public init() {}

  /// The current time, up to which the test has advanced.
  public var now: SchedulerTime { state.withLock { $0.now } }

  /// Runs work when the test next advances the time, even by zero.
  public func schedule(_ action: @escaping @MainActor () -> Void) {
    schedule(after: now, action)
  }

  /// Runs work when the test has advanced to a time.
  public func schedule(after date: SchedulerTime, _ action: @escaping @MainActor () -> Void) {
    state.withLock { state in
      state.count += 1
      state.items.append(
        Item(date: max(date, state.now), number: state.count, action: action)
      )
    }
  }

  /// Returns the scheduler as one that stands for the real one.
  public func eraseToAnyScheduler() -> AnyScheduler<Base> {
    AnyScheduler(self)
  }

  /// Advances the time, and runs due work in the order of its times.
  ///
  /// The work may schedule more work, which also runs if it is due.
  ///
  /// Off the main actor, the call waits until the main actor has run the work.
  ///
  /// - Parameter stride: The distance; zero runs the work that is due now.
  public func advance(by stride: SchedulerTime.Stride = 0) {
    advance(to: now.advanced(by: stride))
  }

  /// Advances the time to a point.
  public func advance(to date: SchedulerTime) {
    waitForMainActor { while let item = self.next(until: date) { item.action() } }
  }

  /// Advances the time until no work is scheduled.
  ///
  /// A timer on the scheduler prevents the end: cancel it before, or use `advance(by:)`.
  public func run() {
    while let date = nextDate { advance(to: date) }
  }

  /// Advances the time, and lets the tasks that wait on the scheduler react.
  ///
  /// - Parameter stride: The distance; zero runs the work that is due now.
  @MainActor
  public func advance(by stride: SchedulerTime.Stride = 0) async {
    await advance(to: now.advanced(by: stride))
  }

  /// Advances the time to a point, and lets the tasks that wait on the scheduler react.
  @MainActor
  public func advance(to date: SchedulerTime) async {
    await Task.megaYield()
    while let item = next(until: date) {
      item.action()
      await Task.megaYield()
    }
  }

  /// Advances the time until no work is scheduled, and lets the tasks that wait on the
  /// scheduler react.
  @MainActor
  public func run() async {
    await Task.megaYield()
    while let date = nextDate { await advance(to: date) }
  }

  private var nextDate: SchedulerTime? {
    state.withLock { state in state.items.map(\.date).min() }
  }

  /// Removes and returns the next work that is due up to a time.
  ///
  /// Without such work, advances the time to that point.
  private func next(until date: SchedulerTime) -> Item? {
    state.withLock { state in
      let first = state.items.indices.min {
        let (left, right) = (state.items[$0], state.items[$1])
        return (left.date, left.number) < (right.date, right.number)
      }
      guard let first, state.items[first].date <= date else {
        state.now = max(state.now, date)
        return nil
      }
      state.now = state.items[first].date
      return state.items.remove(at: first)
    }
  }
}

/// A scheduler for tests that stands for one type of scheduler: `TestSchedulerOf<DispatchQueue>`.
public typealias TestSchedulerOf<Base: Scheduler> = TestScheduler<Base>
