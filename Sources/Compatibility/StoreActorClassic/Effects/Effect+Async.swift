import CustomDump
import StoreActor

extension Effect where Failure == Never {
  /// Returns an effect of asynchronous work with one output.
  ///
  /// ```swift
  /// return .task { [count = state.count] in
  ///   await .numberFactResponse(TaskResult { try await environment.numberFact(count) })
  /// }
  /// ```
  ///
  /// The work runs on the main actor, so that it may use an environment that is not Sendable.
  /// Functions that it awaits run under their own isolation.
  ///
  /// - Parameters:
  ///   - priority: The priority of the task.
  ///   - operation: The work.
  ///   - handler: Returns an output for an error. Without it errors are reported as mistakes in the
  ///     feature, except for `CancellationError`, which is dropped.
  ///   - fileID: The file that creates the effect.
  ///   - filePath: The file's path.
  ///   - line: The line that creates the effect.
  ///   - column: The column that creates the effect.
  /// - Returns: The effect.
  public static func task(
    priority: TaskPriority? = nil,
    operation: @escaping @MainActor () async throws -> Output,
    catch handler: (@MainActor (any Error) async -> Output)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Self {
    var recover: (@MainActor (any Error, Send) async -> Void)?
    if let handler { recover = { error, send in await send(handler(error)) } }
    return run(
      priority: priority,
      operation: { send in await send(try await operation()) },
      catch: recover,
      fileID: fileID,
      filePath: filePath,
      line: line,
      column: column,
    )
  }

  /// Returns an effect of asynchronous work with any number of outputs.
  ///
  /// ```swift
  /// return .run { send in
  ///   for await event in environment.events() { await send(.received(event)) }
  /// }
  /// ```
  ///
  /// The work runs on the main actor, so that it may use an environment that is not Sendable.
  /// Functions that it awaits run under their own isolation.
  ///
  /// - Parameters:
  ///   - priority: The priority of the task.
  ///   - operation: The work.
  ///   - handler: Handles an error. Without it errors are reported as mistakes in the feature,
  ///     except for `CancellationError`, which is dropped.
  ///   - fileID: The file that creates the effect.
  ///   - filePath: The file's path.
  ///   - line: The line that creates the effect.
  ///   - column: The column that creates the effect.
  /// - Returns: The effect.
  public static func run(
    priority: TaskPriority? = nil,
    operation: @escaping @MainActor (_ send: Send) async throws -> Void,
    catch handler: (@MainActor (_ error: any Error, _ send: Send) async -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Self {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    return Self { pipe in
      let send = Send { pipe.send($0) }
      let task = pipe.makeTask(priority: priority) {
        do {
          try await operation(send)
        } catch is CancellationError {
          // Cancellation is not a mistake in the feature.
        } catch {
          if let handler { await handler(error, send) } else { report(error, at: location) }
        }
        pipe.complete()
      }
      pipe.whenCancelled { task.cancel() }
    }
  }

  /// Returns an effect of asynchronous work without outputs.
  ///
  /// - Parameters:
  ///   - priority: The priority of the task.
  ///   - work: The work. Its errors are dropped.
  /// - Returns: The effect.
  public static func fireAndForget(
    priority: TaskPriority? = nil,
    _ work: @escaping @MainActor () async throws -> Void,
  ) -> Self {
    run(priority: priority, operation: { _ in try await work() }, catch: { _, _ in })
  }
}

extension Effect where Failure == any Error {
  /// Returns an effect of asynchronous work that has one output or fails.
  ///
  /// - Parameters:
  ///   - priority: The priority of the task.
  ///   - operation: The work.
  /// - Returns: The effect, which fails with the work's error.
  public static func task(
    priority: TaskPriority? = nil,
    operation: @escaping @MainActor () async throws -> Output,
  ) -> Self {
    Self { pipe in
      let task = pipe.makeTask(priority: priority) {
        do {
          pipe.send(try await operation())
          pipe.complete()
        } catch {
          pipe.complete(error)
        }
      }
      pipe.whenCancelled { task.cancel() }
    }
  }
}

extension Effect where Failure == Never {
  /// The function by which a running effect sends actions: `await send(.response(value))`.
  ///
  /// After cancellation of the effect, actions are dropped.
  @MainActor
  public struct Send: Sendable {
    private let deliver: @MainActor (Output) -> Void

    /// Creates a sender from a function.
    public nonisolated init(send: @escaping @MainActor (Output) -> Void) {
      deliver = send
    }

    /// Sends an action, which has been reduced when this returns.
    public func callAsFunction(_ action: Output) async {
      guard !Task.isCancelled else { return }
      deliver(action)
    }
  }
}

extension Pipe {
  /// Returns a task in which cancellation ids belong to the pipe's store.
  fileprivate func makeTask(
    priority: TaskPriority?,
    operation: @escaping @MainActor () async -> Void,
  ) -> Task<Void, Never> {
    CancellationTable.$current.withValue(cancellations) {
      Task(priority: priority) { @MainActor in await operation() }
    }
  }
}

private func report(_ error: any Error, at location: IssueLocation) {
  var dump = ""
  customDump(error, to: &dump, indent: 4)
  location.report(
    """
    An effect returned from "\(location.fileID):\(location.line)" threw an unhandled error. …

    \(dump)

    To fix, handle all errors other than cancellation, with the "catch" parameter of "Effect.task" \
    or "Effect.run", or with a "TaskResult" or a "do" block inside it.
    """
  )
}
