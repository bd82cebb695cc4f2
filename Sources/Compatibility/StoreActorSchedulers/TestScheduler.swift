import StoreActor
import Synchronization

/// A scheduler whose time passes only when a test says so.
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

  /// Creates one whose time is the beginning of time.
  public init() {}

  /// The time up to which the test has let time pass.
  public var now: SchedulerTime { state.withLock { $0.now } }

  /// Does work when the test next lets time pass, be it none.
  public func schedule(_ action: @escaping @MainActor () -> Void) {
    schedule(after: now, action)
  }

  /// Does work when the test has let time pass as far as a time.
  public func schedule(after date: SchedulerTime, _ action: @escaping @MainActor () -> Void) {
    state.withLock { state in
      state.count += 1
      state.items.append(
        Item(date: max(date, state.now), number: state.count, action: action)
      )
    }
  }

  /// The same scheduler as one that stands for the real one.
  public func eraseToAnyScheduler() -> AnyScheduler<Base> {
    AnyScheduler(self)
  }

  /// Lets time pass, doing what is scheduled on the way in the order of its times.
  ///
  /// What is done may schedule more, which is done too when its time has come.
  ///
  /// Off the main actor it waits until the main actor has done the work.
  ///
  /// - Parameter stride: How much time; none does what is due now.
  public func advance(by stride: SchedulerTime.Stride = 0) {
    advance(to: now.advanced(by: stride))
  }

  /// Lets time pass up to a time.
  public func advance(to date: SchedulerTime) {
    waitForMainActor { while let item = self.next(until: date) { item.action() } }
  }

  /// Lets time pass until nothing is scheduled any more.
  ///
  /// With a timer on the scheduler that is never so: cancel it before, or use `advance(by:)`.
  public func run() {
    while let date = nextDate { advance(to: date) }
  }

  /// Lets time pass, with the tasks that wait on the scheduler getting time to react.
  ///
  /// - Parameter stride: How much time; none does what is due now.
  @MainActor
  public func advance(by stride: SchedulerTime.Stride = 0) async {
    await advance(to: now.advanced(by: stride))
  }

  /// Lets time pass up to a time, with the tasks that wait on the scheduler getting time to react.
  @MainActor
  public func advance(to date: SchedulerTime) async {
    await Task.megaYield()
    while let item = next(until: date) {
      item.action()
      await Task.megaYield()
    }
  }

  /// Lets time pass until nothing is scheduled any more, with the tasks that wait on the scheduler
  /// getting time to react.
  @MainActor
  public func run() async {
    await Task.megaYield()
    while let date = nextDate { await advance(to: date) }
  }

  private var nextDate: SchedulerTime? {
    state.withLock { state in state.items.map(\.date).min() }
  }

  /// What is due next, up to a time; time has passed to there when there is nothing.
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
