public import StoreActorSchedulers

extension Effect {
  /// The effect with its outputs and its end coming by way of a scheduler.
  public func receive(on scheduler: some Scheduler) -> Self {
    rescheduled { scheduler.schedule($0) }
  }

  /// The effect with its outputs and its end coming later.
  ///
  /// - Parameters:
  ///   - interval: How much later.
  ///   - scheduler: What measures the time.
  /// - Returns: The effect, delayed.
  public func delay(
    for interval: SchedulerTime.Stride,
    scheduler: some Scheduler,
  ) -> Self {
    rescheduled { action in
      scheduler.schedule(after: scheduler.now.advanced(by: interval), action)
    }
  }

  /// The effect, beginning later.
  ///
  /// - Parameters:
  ///   - interval: How much later.
  ///   - scheduler: What measures the time.
  /// - Returns: The effect, deferred.
  public func deferred(
    for interval: SchedulerTime.Stride,
    scheduler: some Scheduler,
  ) -> Self {
    if isNone { return self }
    return Self { pipe in
      scheduler.schedule(after: scheduler.now.advanced(by: interval)) {
        if !pipe.lifetime.isOver { begin(into: pipe) }
      }
    }
  }

  /// The effect, beginning when nothing has been returned under the id for a while.
  ///
  /// - Parameters:
  ///   - id: What is debounced. The id cancels, too.
  ///   - interval: How long nothing may follow.
  ///   - scheduler: What measures the time.
  /// - Returns: The effect, deferred and cancellable.
  public func debounce(
    id: AnyHashable,
    for interval: SchedulerTime.Stride,
    scheduler: some Scheduler,
  ) -> Self {
    deferred(for: interval, scheduler: scheduler).cancellable(id: id, cancelInFlight: true)
  }

  /// The effect, beginning when nothing has been returned under a type for a while.
  public func debounce(
    id: Any.Type,
    for interval: SchedulerTime.Stride,
    scheduler: some Scheduler,
  ) -> Self {
    debounce(id: ObjectIdentifier(id), for: interval, scheduler: scheduler)
  }

  private func rescheduled(
    _ schedule: @escaping @MainActor (@escaping @MainActor () -> Void) -> Void
  ) -> Self {
    Self { pipe in
      begin(
        into: pipe.upstream { output in
          schedule { pipe.send(output) }
        } onCompletion: { failure in
          schedule { pipe.complete(failure) }
        }
      )
    }
  }
}

extension Effect where Output == SchedulerTime, Failure == Never {
  /// An output at the end of each interval, until it is cancelled.
  ///
  /// ```swift
  /// return Effect.timer(id: TimerID(), every: 1, on: environment.mainQueue)
  ///   .map { _ in .timerTicked }
  /// ```
  ///
  /// - Parameters:
  ///   - id: What cancels it; one that runs under the id already is cancelled.
  ///   - interval: The time between two outputs.
  ///   - tolerance: How late an output may come. Ignored: none comes late on purpose.
  ///   - scheduler: What measures the time.
  /// - Returns: The effect.
  public static func timer(
    id: AnyHashable,
    every interval: SchedulerTime.Stride,
    tolerance: SchedulerTime.Stride? = nil,
    on scheduler: some Scheduler,
  ) -> Self {
    let timer = Self { pipe in
      let timer = scheduler.schedule(
        after: scheduler.now.advanced(by: interval),
        interval: interval,
      ) {
        pipe.send(scheduler.now)
      }
      pipe.whenOver { timer.cancel() }
    }
    return timer.cancellable(id: id, cancelInFlight: true)
  }

  /// An output at the end of each interval, until it is cancelled by a type.
  ///
  /// - Parameters:
  ///   - id: The type, which stands for an id.
  ///   - interval: The time between two outputs.
  ///   - tolerance: How late an output may come. Ignored: none comes late on purpose.
  ///   - scheduler: What measures the time.
  /// - Returns: The effect.
  public static func timer(
    id: Any.Type,
    every interval: SchedulerTime.Stride,
    tolerance: SchedulerTime.Stride? = nil,
    on scheduler: some Scheduler,
  ) -> Self {
    timer(id: ObjectIdentifier(id), every: interval, tolerance: tolerance, on: scheduler)
  }
}
