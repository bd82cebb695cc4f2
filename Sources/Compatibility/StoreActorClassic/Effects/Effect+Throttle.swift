public import StoreActorSchedulers

extension Effect {
  /// Limits all effects with an id to at most one output in each interval.
  ///
  /// - Parameters:
  ///   - id: The id of the throttled effects, which also cancels them.
  ///   - interval: The shortest time between two outputs.
  ///   - scheduler: The scheduler that measures the time.
  ///   - latest: Whether the last output of an interval is sent at its end, or the first.
  /// - Returns: The effect, throttled.
  public func throttle(
    id: AnyHashable,
    for interval: SchedulerTime.Stride,
    scheduler: some Scheduler,
    latest: Bool,
  ) -> Self {
    let key = CancellationID(id)
    let throttled = Self { pipe in
      let throttling = Throttling(
        id: key.value,
        interval: interval,
        scheduler: scheduler,
        latest: latest,
        pipe: pipe,
      )
      begin(
        into: pipe.upstream {
          throttling.receive($0)
        } onCompletion: {
          throttling.complete($0)
        }
      )
    }
    return throttled.cancellable(id: id, cancelInFlight: true)
  }

  /// Limits all effects with a type to at most one output in each interval.
  ///
  /// - Parameters:
  ///   - id: The type, which stands for an id.
  ///   - interval: The shortest time between two outputs.
  ///   - scheduler: The scheduler that measures the time.
  ///   - latest: Whether the last output of an interval is sent at its end, or the first.
  /// - Returns: The effect, throttled.
  public func throttle(
    id: Any.Type,
    for interval: SchedulerTime.Stride,
    scheduler: some Scheduler,
    latest: Bool,
  ) -> Self {
    throttle(
      id: ObjectIdentifier(id),
      for: interval,
      scheduler: scheduler,
      latest: latest,
    )
  }
}

/// One throttled effect.
@MainActor
private final class Throttling<Output, Failure: Error, S: Scheduler> {
  private let id: AnyHashable
  private let interval: SchedulerTime.Stride
  private let scheduler: S
  private let latest: Bool
  private let pipe: Pipe<Output, Failure>
  private var waitingCount = 0
  private var completion: (() -> Void)?

  init(
    id: AnyHashable,
    interval: SchedulerTime.Stride,
    scheduler: S,
    latest: Bool,
    pipe: Pipe<Output, Failure>,
  ) {
    self.id = id
    self.interval = interval
    self.scheduler = scheduler
    self.latest = latest
    self.pipe = pipe
  }

  func receive(_ output: Output) {
    let now = scheduler.now
    guard var throttle = pipe.cancellations.throttles[id] else { return pass(output) }
    let kept = latest ? output : throttle.waiting as? Output ?? output
    let end = throttle.last.advanced(by: interval)
    guard now < end else { return pass(kept) }
    throttle.waiting = kept
    pipe.cancellations.throttles[id] = throttle
    waitingCount += 1
    scheduler.schedule(after: end) { self.waited(for: kept) }
  }

  func complete(_ failure: Failure?) {
    completion = { [pipe] in pipe.complete(failure) }
    if waitingCount == 0 { completion?() }
  }

  private func waited(for output: Output) {
    waitingCount -= 1
    if !pipe.lifetime.isOver { pass(output) }
    if waitingCount == 0 { completion?() }
  }

  private func pass(_ output: Output) {
    pipe.cancellations.throttles[id] = CancellationTable.Throttle(last: scheduler.now)
    pipe.send(output)
  }
}
