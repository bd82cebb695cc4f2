import IssueReporting

extension DependencyValues {
  /// Starts work without waiting for its end, such as analytics.
  ///
  /// In a test and in a preview the work is awaited, so that it ends with the test, and its error
  /// is reported.
  public var fireAndForget: FireAndForget {
    get { self[FireAndForgetKey.self] }
    set { self[FireAndForgetKey.self] = newValue }
  }

  private enum FireAndForgetKey: DependencyKey {
    static let liveValue = FireAndForget { priority, operation in
      Task(priority: priority) { try await operation() }
    }
    static let previewValue = awaiting
    static let testValue = awaiting

    private static let awaiting = FireAndForget { priority, operation in
      do {
        try await Task(priority: priority) { try await operation() }.value
      } catch is CancellationError {
        // Cancellation is not a failure.
      } catch {
        reportIssue(error)
      }
    }
  }
}

/// Starts work without waiting for its end.
public struct FireAndForget: Sendable {
  private let start:
    @Sendable (
      _ priority: TaskPriority?, _ operation: @escaping @Sendable () async throws -> Void
    ) async -> Void

  /// Creates a value from a function that starts work.
  public init(
    _ start:
      @escaping @Sendable (
        _ priority: TaskPriority?, _ operation: @escaping @Sendable () async throws -> Void
      ) async -> Void
  ) {
    self.start = start
  }

  /// Starts an operation; a program ignores its errors.
  public func callAsFunction(
    priority: TaskPriority? = nil,
    _ operation: @escaping @Sendable () async throws -> Void,
  ) async {
    await start(priority, operation)
  }
}
