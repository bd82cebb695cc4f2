import CustomDump
import IssueReporting

extension Effect {
  /// Work that may suspend and send any number of actions back.
  ///
  /// ```swift
  /// return .run { send in
  ///   for await event in client.events() {
  ///     await send(.received(event))
  ///   }
  /// }
  /// ```
  ///
  /// The work starts after the state of its action has been committed, and runs outside of the main
  /// actor with the dependencies that were in force at its creation. Each action that it
  /// sends is a revision of its own.
  ///
  /// - `priority`: The priority of the task.
  /// - `name`: The name of the task. A daemon with a journal also records the begin and the end of
  ///   an effect with a name. After a restart it reports interrupted ones: see
  ///   ``Reducer/onRestored(_:)``.
  /// - `operation`: The work.
  /// - `handler`: Handles an error. Without it, an error is reported as a mistake in the feature,
  ///   except for `CancellationError`, which is dropped.
  public static func run(
    priority: TaskPriority? = nil,
    name: String? = nil,
    operation: @escaping @concurrent @Sendable (_ send: Send<Action>) async throws -> Void,
    catch handler: (
      @concurrent @Sendable (_ error: any Error, _ send: Send<Action>) async -> Void
    )? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Self {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    return run(priority, name, .sender, operation, handler, at: location)
  }

  /// Work that the daemon owns: it outlives the sender of the action.
  ///
  /// ```swift
  /// case .printButtonTapped:
  ///   return .run(name: "print", owner: .daemon) { [printer] send in
  ///     await send(.printed(try await printer()))
  ///   }
  ///   .cancellable(id: CancelID.print)
  /// ```
  ///
  /// The client that has started it may leave. ``StoreTask/finish()`` does not wait for the work,
  /// and ``StoreTask/cancel()`` reaches neither it nor the effects of the actions that it sends. It
  /// ends by itself, or when an ``Effect/cancel(id:)`` or the removal of its child cancels it.
  ///
  /// The other steps of a `.concatenate` still belong to the sender, as do the delays of `debounce`
  /// and `throttle`: a step that has not begun when the sender leaves does not begin. The task of
  /// the action waits for all steps, unless it is cancelled.
  ///
  /// The work acts on behalf of the sender. A daemon lists running work of its own by name in its
  /// status, and limits that of each user. If it restarts meanwhile, it reports the interrupted
  /// work: see ``Reducer/onRestored(_:)``.
  ///
  /// - `priority`: The priority of the task.
  /// - `name`: The name of the work.
  /// - `owner`: The owner of the work.
  /// - `operation`: The work.
  /// - `handler`: Handles an error. Without it, an error is reported as a mistake in the feature,
  ///   except for `CancellationError`, which is dropped.
  public static func run(
    priority: TaskPriority? = nil,
    name: String,
    owner: EffectOwner,
    operation: @escaping @concurrent @Sendable (_ send: Send<Action>) async throws -> Void,
    catch handler: (
      @concurrent @Sendable (_ error: any Error, _ send: Send<Action>) async -> Void
    )? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Self {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    return run(priority, name, owner, operation, handler, at: location)
  }

  private static func run(
    _ priority: TaskPriority?,
    _ name: String?,
    _ owner: EffectOwner,
    _ operation: @escaping @concurrent @Sendable (Send<Action>) async throws -> Void,
    _ handler: (@concurrent @Sendable (any Error, Send<Action>) async -> Void)?,
    at location: IssueLocation,
  ) -> Self {
    withEscapedDependencies { escaped in
      let run = EffectRun<Action>(
        priority: priority,
        name: name,
        owner: owner,
        location: location,
      ) { send in
        await escaped.yield {
          do {
            try await operation(send)
          } catch is CancellationError {
            return
          } catch {
            guard let handler else { return reportUnhandled(error, at: location) }
            await handler(error, send)
          }
        }
      }
      return Self(.run(run))
    }
  }
}

private func reportUnhandled(_ error: any Error, at location: IssueLocation) {
  var dump = ""
  customDump(error, to: &dump, indent: 4)
  location.report(
    """
    An "Effect.run" returned from "\(location.fileID):\(location.line)" threw an unhandled error. …

    \(dump)

    To fix, handle all errors other than cancellation, with the "catch" parameter of "Effect.run" \
    or with a "do" block inside it.
    """
  )
}
