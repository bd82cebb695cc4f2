import StoreActor
import Synchronization

/// Something that does work now, soon or at a time: a queue, or a stand-in that a test controls.
///
/// The work is always done on the main actor; a scheduler decides when.
public protocol Scheduler: Sendable {
  /// The scheduler's time.
  var now: SchedulerTime { get }

  /// Does work soon.
  func schedule(_ action: @escaping @MainActor () -> Void)

  /// Does work at a time.
  func schedule(after date: SchedulerTime, _ action: @escaping @MainActor () -> Void)

  /// Does work at a time, and again at the end of each interval after it, until it is cancelled.
  ///
  /// - Parameters:
  ///   - date: When to begin.
  ///   - interval: The time between two times.
  ///   - action: The work.
  /// - Returns: What ends it; it ends too when that is let go.
  func schedule(
    after date: SchedulerTime,
    interval: SchedulerTime.Stride,
    _ action: @escaping @MainActor () -> Void,
  ) -> AnyCancellable
}

extension Scheduler {
  /// Does work at a time, and again at the end of each interval after it, until it is cancelled.
  ///
  /// - Parameters:
  ///   - date: When to begin.
  ///   - interval: The time between two times.
  ///   - action: The work.
  /// - Returns: What ends it; it ends too when that is let go.
  public func schedule(
    after date: SchedulerTime,
    interval: SchedulerTime.Stride,
    _ action: @escaping @MainActor () -> Void,
  ) -> AnyCancellable {
    let repetition = Repetition(scheduler: self, interval: interval, action: action)
    schedule(after: date) { repetition.run(at: date) }
    return AnyCancellable { repetition.isOver = true }
  }

  /// The same scheduler with its own type hidden behind that of what it stands in for.
  public func eraseToAnyScheduler() -> AnyScheduler<Self> {
    AnyScheduler(self)
  }

  /// Waits on the scheduler.
  ///
  /// - Parameter duration: How long.
  /// - Throws: `CancellationError` when the task is cancelled before.
  public func sleep(for duration: SchedulerTime.Stride) async throws {
    try Task.checkCancellation()
    let sleeper = Sleeper()
    let end = now.advanced(by: duration)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard sleeper.begin(continuation) else { return }
        schedule(after: end) { sleeper.end(with: .success(())) }
      }
    } onCancel: {
      sleeper.end(with: .failure(CancellationError()))
    }
  }

  /// The scheduler's time at the end of each interval, for as long as anybody asks.
  public func timer(interval: SchedulerTime.Stride) -> AsyncStream<SchedulerTime> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let timer = schedule(after: now.advanced(by: interval), interval: interval) {
        continuation.yield(now)
      }
      continuation.onTermination = { _ in onMainActor { timer.cancel() } }
    }
  }
}

/// Work that is done again and again.
@MainActor
private final class Repetition<S: Scheduler> {
  var isOver = false
  private let scheduler: S
  private let interval: SchedulerTime.Stride
  private let action: @MainActor () -> Void

  nonisolated init(
    scheduler: S,
    interval: SchedulerTime.Stride,
    action: @escaping @MainActor () -> Void,
  ) {
    self.scheduler = scheduler
    self.interval = interval
    self.action = action
  }

  func run(at date: SchedulerTime) {
    guard !isOver else { return }
    action()
    guard !isOver else { return }
    let next = date.advanced(by: interval)
    scheduler.schedule(after: next) { self.run(at: next) }
  }
}

/// A task that waits on a scheduler; it goes on once, by the time or by cancellation.
private final class Sleeper: Sendable {
  private enum State {
    case new
    case waiting(CheckedContinuation<Void, any Error>)
    case over(Result<Void, any Error>)
  }

  private let state = Mutex(State.new)

  /// - Returns: Whether there is still anything to wait for.
  func begin(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
    let result: Result<Void, any Error>? = state.withLock { state in
      if case .over(let result) = state { return result }
      state = .waiting(continuation)
      return nil
    }
    if let result { continuation.resume(with: result) }
    return result == nil
  }

  func end(with result: Result<Void, any Error>) {
    let continuation: CheckedContinuation<Void, any Error>? = state.withLock { state in
      defer { if case .over = state {} else { state = .over(result) } }
      if case .waiting(let continuation) = state { return continuation }
      return nil
    }
    continuation?.resume(with: result)
  }
}
