import StoreActor
public import StoreActorSchedulers

extension Effect {
  /// Returns an effect of work that calls back once with its result, from any thread.
  ///
  /// - Parameter attempt: Starts the work, which calls back with the result.
  /// - Returns: The effect.
  public static func future(
    _ attempt: @escaping @MainActor (@escaping @Sendable (Result<Output, Failure>) -> Void) -> Void
  ) -> Self {
    Self { pipe in
      attempt { result in
        // The result is sent once and read once, on the main actor.
        nonisolated(unsafe) let result = result
        onMainActor { pipe.finish(with: result) }
      }
    }
  }

  /// Returns an effect of synchronous work.
  ///
  /// - Parameter attempt: The work.
  /// - Returns: The effect, which runs the work when it begins.
  public static func result(_ attempt: @escaping @MainActor () -> Result<Output, Failure>) -> Self {
    Self { pipe in pipe.finish(with: attempt()) }
  }

  /// Returns an effect of work with any number of outputs, sent from any thread.
  ///
  /// ```swift
  /// return .run { subscriber in
  ///   let token = client.observe { subscriber.send($0) }
  ///   return AnyCancellable { client.forget(token) }
  /// }
  /// ```
  ///
  /// - Parameter work: Starts the work, and returns a cancellable that stops it.
  /// - Returns: The effect.
  public static func run(
    _ work: @escaping @MainActor (_ subscriber: Subscriber) -> any Cancellable
  ) -> Self {
    Self { pipe in
      let cancellable = work(Subscriber(pipe: pipe))
      pipe.whenOver { cancellable.cancel() }
    }
  }

  /// Returns an effect of synchronous work without outputs.
  ///
  /// - Parameter work: The work. Its errors are dropped.
  /// - Returns: The effect, which runs the work when it begins.
  public static func fireAndForget(_ work: @escaping @MainActor () throws -> Void) -> Self {
    Self { pipe in
      // The error is dropped, as the function's name states.
      try? work()
      pipe.complete()
    }
  }

  /// Returns an effect that must not begin, and that reports an issue if it does.
  ///
  /// - Parameters:
  ///   - prefix: The name of the unexpected dependency, for the report.
  ///   - fileID: The file that creates the effect.
  ///   - filePath: The file's path.
  ///   - line: The line that creates the effect.
  ///   - column: The column that creates the effect.
  /// - Returns: The effect, which ends at once.
  public static func unimplemented(
    _ prefix: String,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Self {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    return Self { pipe in
      location.report(
        """
        \(prefix.isEmpty ? "" : "\(prefix) - ")An unimplemented effect ran.

        The code under test uses an effect that the test has not provided.

        To fix, give the environment an effect of the test's own, or find out why this one is used.
        """
      )
      pipe.complete()
    }
  }

  /// Returns an effect that must not begin, and that reports an issue if it does.
  ///
  /// - Parameters:
  ///   - prefix: The name of the unexpected dependency, for the report.
  ///   - fileID: The file that creates the effect.
  ///   - filePath: The file's path.
  ///   - line: The line that creates the effect.
  ///   - column: The column that creates the effect.
  /// - Returns: The effect, which ends at once.
  public static func failing(
    _ prefix: String,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Self {
    unimplemented(prefix, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

extension Effect {
  /// The object by which an effect of callbacks sends its outputs, from any thread.
  public struct Subscriber: Sendable {
    let pipe: Pipe<Output, Failure>

    /// Sends an output.
    public func send(_ output: Output) {
      // The output is handed over, and read once more, on the main actor.
      nonisolated(unsafe) let output = output
      onMainActor { [pipe] in pipe.send(output) }
    }

    /// Ends the effect, with success or a failure.
    public func send(completion: Completion) {
      onMainActor { [pipe] in
        switch completion {
        case .finished: pipe.complete()
        case .failure(let failure): pipe.complete(failure)
        }
      }
    }
  }

  /// The end of an effect.
  public enum Completion: Sendable {
    /// The effect has succeeded.
    case finished
    /// The effect has failed.
    case failure(Failure)
  }
}

extension Pipe {
  fileprivate func finish(with result: Result<Output, Failure>) {
    switch result {
    case .success(let output):
      send(output)
      complete()
    case .failure(let failure):
      complete(failure)
    }
  }
}
