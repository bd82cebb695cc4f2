public import StoreActorSchedulers

extension Effect {
  /// Returns the effect with its outputs and its end delivered by a scheduler.
  public func receive(on scheduler: some Scheduler) -> Self {
    rescheduled { scheduler.schedule($0) }
  }

  /// Returns the effect with its outputs and its end delayed.
  ///
  /// - Parameters:
  ///   - interval: The delay.
  ///   - scheduler: The scheduler that measures the time.
  /// - Returns: The effect, delayed.
  public func delay(
    for interval: SchedulerTime.Stride,
    scheduler: some Scheduler,
  ) -> Self {
    rescheduled { action in
      scheduler.schedule(after: scheduler.now.advanced(by: interval), action)
    }
  }

  /// Returns the effect with a delayed start.
  ///
  /// - Parameters:
  ///   - interval: The delay.
  ///   - scheduler: The scheduler that measures the time.
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

  /// Returns an effect that begins after a pause in which no other effect with the id was returned.
  ///
  /// - Parameters:
  ///   - id: The id of the debounced effects, which also cancels them.
  ///   - interval: The length of the pause.
  ///   - scheduler: The scheduler that measures the time.
  /// - Returns: The effect, deferred and cancellable.
  public func debounce(
    id: AnyHashable,
    for interval: SchedulerTime.Stride,
    scheduler: some Scheduler,
  ) -> Self {
    deferred(for: interval, scheduler: scheduler).cancellable(id: id, cancelInFlight: true)
  }

  /// Returns an effect that begins after a pause in which no other effect with a type was returned.
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
  /// Returns an effect with an output at the end of each interval, until it is cancelled.
  ///
  /// ```swift
  /// return Effect.timer(id: TimerID(), every: 1, on: environment.mainQueue)
  ///   .map { _ in .timerTicked }
  /// ```
  ///
  /// - Parameters:
  ///   - id: The id that cancels the timer. A running timer with the same id is cancelled first.
  ///   - interval: The time between two outputs.
  ///   - tolerance: The tolerance for delays, which is ignored: the timer adds no delays.
  ///   - scheduler: The scheduler that measures the time.
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

  /// Returns an effect with an output at the end of each interval, until it is cancelled by a type.
  ///
  /// - Parameters:
  ///   - id: The type, which stands for an id.
  ///   - interval: The time between two outputs.
  ///   - tolerance: The tolerance for delays, which is ignored: the timer adds no delays.
  ///   - scheduler: The scheduler that measures the time.
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
