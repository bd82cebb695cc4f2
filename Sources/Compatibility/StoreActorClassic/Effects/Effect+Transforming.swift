extension Effect {
  /// The effect with its outputs turned into others.
  public func map<T>(_ transform: @escaping @MainActor (Output) -> T) -> Effect<T, Failure> {
    switch work {
    case .none:
      .none
    case .merge(let effects):
      .merge(effects.map { $0.map(transform) })
    case .concatenate(let effects):
      .concatenate(effects.map { $0.map(transform) })
    case .failure(let failure):
      Effect<T, Failure>(error: failure)
    case .value, .begin:
      through { output, pipe in pipe.send(transform(output)) }
    }
  }

  /// The effect with those of its outputs that a closure turns into something.
  public func compactMap<T>(
    _ transform: @escaping @MainActor (Output) -> T?
  ) -> Effect<T, Failure> {
    through { output, pipe in
      if let output = transform(output) { pipe.send(output) }
    }
  }

  /// The effect with those of its outputs that a closure accepts.
  public func filter(_ isIncluded: @escaping @MainActor (Output) -> Bool) -> Self {
    compactMap { isIncluded($0) ? $0 : nil }
  }

  /// The effect with its failure turned into another one.
  public func mapError<F: Error>(
    _ transform: @escaping @MainActor (Failure) -> F
  ) -> Effect<Output, F> {
    Effect<Output, F> { pipe in
      begin(
        into: pipe.upstream {
          pipe.send($0)
        } onCompletion: {
          pipe.complete($0.map(transform))
        }
      )
    }
  }

  /// The effect with an output in the place of its failure.
  public func replaceError(with output: Output) -> Effect<Output, Never> {
    let replacement = Effect<Output, Never>(value: output)
    return Effect<Output, Never> { pipe in
      begin(
        into: pipe.upstream {
          pipe.send($0)
        } onCompletion: {
          if $0 == nil { pipe.complete() } else { replacement.begin(into: pipe) }
        }
      )
    }
  }

  /// The effect with its outputs, and its failure, as results.
  ///
  /// It cannot fail any more, as the effects of a reducer must not.
  public func catchToEffect() -> Effect<Result<Output, Failure>, Never> {
    catchToEffect { $0 }
  }

  /// The effect with its outputs, and its failure, as actions that are made of results.
  ///
  /// - Parameter transform: Makes an action of a result, as `AppAction.numberFactResponse` does.
  /// - Returns: The effect, which cannot fail any more.
  public func catchToEffect<T>(
    _ transform: @escaping @MainActor (Result<Output, Failure>) -> T
  ) -> Effect<T, Never> {
    if isNone { return .none }
    return Effect<T, Never> { pipe in
      begin(
        into: pipe.upstream {
          pipe.send(transform(.success($0)))
        } onCompletion: {
          if let failure = $0 { pipe.send(transform(.failure(failure))) }
          pipe.complete()
        }
      )
    }
  }

  /// Itself: an effect has one type whatever it was made by.
  public func eraseToEffect() -> Self {
    self
  }

  /// The effect with its outputs turned into others.
  public func eraseToEffect<T>(
    _ transform: @escaping @MainActor (Output) -> T
  ) -> Effect<T, Failure> {
    map(transform)
  }

  /// The effect's work without its outputs and its failure, as an effect of another type.
  public func fireAndForget<NewOutput, NewFailure: Error>(
    outputType: NewOutput.Type = NewOutput.self,
    failureType: NewFailure.Type = NewFailure.self,
  ) -> Effect<NewOutput, NewFailure> {
    Effect<NewOutput, NewFailure> { pipe in
      begin(
        into: pipe.upstream { _ in
        } onCompletion: { _ in
          pipe.complete()
        }
      )
    }
  }

  /// The effect with what a closure makes of each output; the end and the failure stay.
  private func through<T>(
    _ receive: @escaping @MainActor (Output, Pipe<T, Failure>) -> Void
  ) -> Effect<T, Failure> {
    Effect<T, Failure> { pipe in
      begin(
        into: pipe.upstream {
          receive($0, pipe)
        } onCompletion: {
          pipe.complete($0)
        }
      )
    }
  }
}

extension Effect where Failure == Never {
  /// The effect as one that could fail, to be merged with those that can.
  public func setFailureType<F: Error>(to _: F.Type) -> Effect<Output, F> {
    Effect<Output, F> { pipe in
      begin(
        into: pipe.upstream {
          pipe.send($0)
        } onCompletion: { _ in
          pipe.complete()
        }
      )
    }
  }
}
