import IssueReporting

extension DependencyValues {
  /// Starts work whose end nobody waits for, such as analytics.
  ///
  /// In a test and in a preview the work is awaited, so that nothing of it is left over, and its
  /// error is reported.
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
        // It has not failed.
      } catch {
        reportIssue(error)
      }
    }
  }
}

/// Starts work whose end no caller awaits.
public struct FireAndForget: Sendable {
  private let start:
    @Sendable (
      _ priority: TaskPriority?, _ operation: @escaping @Sendable () async throws -> Void
    ) async -> Void

  /// A way to start work.
  public init(
    _ start:
      @escaping @Sendable (
        _ priority: TaskPriority?, _ operation: @escaping @Sendable () async throws -> Void
      ) async -> Void
  ) {
    self.start = start
  }

  /// Starts a piece of work; a program ignores its errors.
  public func callAsFunction(
    priority: TaskPriority? = nil,
    _ operation: @escaping @Sendable () async throws -> Void,
  ) async {
    await start(priority, operation)
  }
}
