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
    return withEscapedDependencies { escaped in
      let run = EffectRun<Action>(
        priority: priority,
        name: name,
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
