extension Effect {
  /// Returns the effect with transformed outputs.
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

  /// Returns the effect with transformed outputs, without those that become nil.
  public func compactMap<T>(
    _ transform: @escaping @MainActor (Output) -> T?
  ) -> Effect<T, Failure> {
    through { output, pipe in
      if let output = transform(output) { pipe.send(output) }
    }
  }

  /// Returns the effect with only the outputs that a closure accepts.
  public func filter(_ isIncluded: @escaping @MainActor (Output) -> Bool) -> Self {
    compactMap { isIncluded($0) ? $0 : nil }
  }

  /// Returns the effect with a transformed failure.
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

  /// Returns the effect with an output in place of its failure.
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

  /// Returns the effect with its outputs and its failure as results.
  ///
  /// The result cannot fail, as reducers require of their effects.
  public func catchToEffect() -> Effect<Result<Output, Failure>, Never> {
    catchToEffect { $0 }
  }

  /// Returns the effect with its outputs and its failure as actions, made from results.
  ///
  /// - Parameter transform: Returns the action for a result, as
  ///   `AppAction.numberFactResponse` does.
  /// - Returns: The effect, which cannot fail.
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

  /// Returns the effect unchanged, since all effects have the same type.
  public func eraseToEffect() -> Self {
    self
  }

  /// Returns the effect with transformed outputs.
  public func eraseToEffect<T>(
    _ transform: @escaping @MainActor (Output) -> T
  ) -> Effect<T, Failure> {
    map(transform)
  }

  /// Returns the effect without its outputs and its failure, as an effect of another type.
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

  /// Returns an effect whose closure handles each output; the end and the failure are passed on.
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
  /// Returns the effect with a failure type, to merge it with effects that can fail.
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
