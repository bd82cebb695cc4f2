import StoreActor
import Synchronization

/// Runs work now, soon or at a time: a queue, or a substitute that a test controls.
///
/// The work always runs on the main actor; a scheduler decides when.
public protocol Scheduler: Sendable {
  /// The scheduler's time.
  var now: SchedulerTime { get }

  /// Runs work soon.
  func schedule(_ action: @escaping @MainActor () -> Void)

  /// Runs work at a time.
  func schedule(after date: SchedulerTime, _ action: @escaping @MainActor () -> Void)

  /// Runs work at a time, and then once in each interval until cancellation.
  ///
  /// - Parameters:
  ///   - date: The time of the first run.
  ///   - interval: The time between two runs.
  ///   - action: The work.
  /// - Returns: A cancellable that ends the repetition when it is cancelled or released.
  func schedule(
    after date: SchedulerTime,
    interval: SchedulerTime.Stride,
    _ action: @escaping @MainActor () -> Void,
  ) -> AnyCancellable
}

extension Scheduler {
  /// Runs work at a time, and then once in each interval until cancellation.
  ///
  /// - Parameters:
  ///   - date: The time of the first run.
  ///   - interval: The time between two runs.
  ///   - action: The work.
  /// - Returns: A cancellable that ends the repetition when it is cancelled or released.
  public func schedule(
    after date: SchedulerTime,
    interval: SchedulerTime.Stride,
    _ action: @escaping @MainActor () -> Void,
  ) -> AnyCancellable {
    let repetition = Repetition(scheduler: self, interval: interval, action: action)
    schedule(after: date) { repetition.run(at: date) }
    return AnyCancellable { repetition.isOver = true }
  }

  /// Returns the scheduler, erased to the type of scheduler that it replaces.
  public func eraseToAnyScheduler() -> AnyScheduler<Self> {
    AnyScheduler(self)
  }

  /// Waits for a duration of the scheduler's time.
  ///
  /// - Parameter duration: The duration.
  /// - Throws: `CancellationError` if the task is cancelled before the end.
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

  /// Returns a stream of the scheduler's time at the end of each interval, until the reader stops.
  public func timer(interval: SchedulerTime.Stride) -> AsyncStream<SchedulerTime> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let timer = schedule(after: now.advanced(by: interval), interval: interval) {
        continuation.yield(now)
      }
      continuation.onTermination = { _ in onMainActor { timer.cancel() } }
    }
  }
}

/// Repeated work.
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

/// A task that waits on a scheduler.
///
/// It resumes once, at its time or by cancellation.
private final class Sleeper: Sendable {
  private enum State {
    case new
    case waiting(CheckedContinuation<Void, any Error>)
    case over(Result<Void, any Error>)
  }

  private let state = Mutex(State.new)

  /// - Returns: Whether the wait has begun; false if it is over already.
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
