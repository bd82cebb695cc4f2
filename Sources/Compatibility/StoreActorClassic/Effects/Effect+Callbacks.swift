import StoreActor
public import StoreActorSchedulers

extension Effect {
  /// Work that answers once, by a callback, from any thread.
  ///
  /// - Parameter attempt: Begins the work; calls back with the result.
  /// - Returns: The effect.
  public static func future(
    _ attempt: @escaping @MainActor (@escaping @Sendable (Result<Output, Failure>) -> Void) -> Void
  ) -> Self {
    Self { pipe in
      attempt { result in
        // Sent once and read once, on the main actor.
        nonisolated(unsafe) let result = result
        onMainActor { pipe.finish(with: result) }
      }
    }
  }

  /// Work that is done at once.
  ///
  /// - Parameter attempt: The work.
  /// - Returns: The effect, which runs the work when it begins.
  public static func result(_ attempt: @escaping @MainActor () -> Result<Output, Failure>) -> Self {
    Self { pipe in pipe.finish(with: attempt()) }
  }

  /// Work that has any number of outputs, by calls from any thread.
  ///
  /// ```swift
  /// return .run { subscriber in
  ///   let token = client.observe { subscriber.send($0) }
  ///   return AnyCancellable { client.forget(token) }
  /// }
  /// ```
  ///
  /// - Parameter work: Begins the work, and returns what stops it.
  /// - Returns: The effect.
  public static func run(
    _ work: @escaping @MainActor (_ subscriber: Subscriber) -> any Cancellable
  ) -> Self {
    Self { pipe in
      let cancellable = work(Subscriber(pipe: pipe))
      pipe.whenOver { cancellable.cancel() }
    }
  }

  /// Work that is done at once and has no outputs.
  ///
  /// - Parameter work: The work. Its errors are dropped.
  /// - Returns: The effect, which runs the work when it begins.
  public static func fireAndForget(_ work: @escaping @MainActor () throws -> Void) -> Self {
    Self { pipe in
      // Forgotten by its name: there is nowhere to send an error to.
      try? work()
      pipe.complete()
    }
  }

  /// An effect that must not begin: it is reported when it does.
  ///
  /// - Parameters:
  ///   - prefix: What was not to be used, for the report.
  ///   - fileID: The file that the effect is made in.
  ///   - filePath: The path of that file.
  ///   - line: The line that the effect is made in.
  ///   - column: The column that the effect is made in.
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

  /// An effect that must not begin: it is reported when it does.
  ///
  /// - Parameters:
  ///   - prefix: What was not to be used, for the report.
  ///   - fileID: The file that the effect is made in.
  ///   - filePath: The path of that file.
  ///   - line: The line that the effect is made in.
  ///   - column: The column that the effect is made in.
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
  /// What an effect by callbacks sends its outputs with, from any thread.
  public struct Subscriber: Sendable {
    let pipe: Pipe<Output, Failure>

    /// Sends an output.
    public func send(_ output: Output) {
      // Handed over: read once more, on the main actor.
      nonisolated(unsafe) let output = output
      onMainActor { [pipe] in pipe.send(output) }
    }

    /// Ends the effect, as intended or with a failure.
    public func send(completion: Completion) {
      onMainActor { [pipe] in
        switch completion {
        case .finished: pipe.complete()
        case .failure(let failure): pipe.complete(failure)
        }
      }
    }
  }

  /// How an effect ends.
  public enum Completion: Sendable {
    /// As intended.
    case finished
    /// With a failure.
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
