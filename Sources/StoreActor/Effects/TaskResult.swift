import IssueReporting

/// The result of work that may suspend and may throw any error.
///
/// It is `Equatable` if its value is, so actions that contain it can be `Equatable` too.
///
/// ```swift
/// enum AppAction: Equatable {
///   case numberFactResponse(TaskResult<String>)
/// }
/// ```
public enum TaskResult<Success: Sendable>: Sendable {
  /// The work's value.
  case success(Success)
  /// The error that the work threw.
  case failure(any Error)

  /// Runs work and stores its value or its error.
  public init(catching body: () async throws -> Success) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }

  /// Creates the outcome of a result.
  public init<Failure: Error>(_ result: Result<Success, Failure>) {
    switch result {
    case .success(let value): self = .success(value)
    case .failure(let error): self = .failure(error)
    }
  }

  /// The value.
  ///
  /// - Throws: The error, when there is no value.
  public var value: Success {
    get throws {
      switch self {
      case .success(let value): return value
      case .failure(let error): throw error
      }
    }
  }

  /// Transforms the value of the outcome.
  public func map<T: Sendable>(_ transform: (Success) -> T) -> TaskResult<T> {
    switch self {
    case .success(let value): .success(transform(value))
    case .failure(let error): .failure(error)
    }
  }

  /// Replaces a value by the outcome that a closure returns; an error is unchanged.
  public func flatMap<T: Sendable>(_ transform: (Success) -> TaskResult<T>) -> TaskResult<T> {
    switch self {
    case .success(let value): transform(value)
    case .failure(let error): .failure(error)
    }
  }
}

extension Result where Success: Sendable, Failure == any Error {
  /// Creates the outcome of a task.
  public init(_ result: TaskResult<Success>) {
    switch result {
    case .success(let value): self = .success(value)
    case .failure(let error): self = .failure(error)
    }
  }
}

extension TaskResult: Equatable where Success: Equatable {
  /// Whether two outcomes are the same; errors are compared when they are `Equatable`.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    switch (lhs, rhs) {
    case (.success(let lhs), .success(let rhs)): lhs == rhs
    case (.failure(let lhs), .failure(let rhs)): areEqual(lhs, rhs)
    case (.success, .failure), (.failure, .success): false
    }
  }
}

extension TaskResult: Hashable where Success: Hashable {
  /// Feeds the value, or a hashable error, to a hasher.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .success(let value):
      hasher.combine(true)
      hasher.combine(value)
    case .failure(let error):
      hasher.combine(false)
      if let error = (error as Any) as? any Hashable { error.hash(into: &hasher) }
    }
  }
}

extension TaskResult: CasePathable {
  /// The case paths of a result.
  public struct AllCasePaths: Sendable {
    /// The path of the value.
    public var success: AnyCasePath<TaskResult, Success> {
      AnyCasePath(
        _$name: "success",
        embed: { .success($0) },
        extract: { if case .success(let value) = $0 { value } else { nil } },
      )
    }

    /// The path of the error.
    public var failure: AnyCasePath<TaskResult, any Error> {
      AnyCasePath(
        _$name: "failure",
        embed: { .failure($0) },
        extract: { if case .failure(let error) = $0 { error } else { nil } },
      )
    }
  }

  /// The case paths of a result.
  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

private func areEqual(_ lhs: any Error, _ rhs: any Error) -> Bool {
  guard let comparable = (lhs as Any) as? any Equatable else {
    reportIssue(
      """
      "\(type(of: lhs))" is not equatable, so two task results that failed with it are never \
      equal.

      To fix, let the error's type conform to "Equatable" where a test compares such actions.
      """
    )
    return false
  }
  return isEqual(comparable, rhs)
}

private func isEqual<E: Equatable>(_ lhs: E, _ rhs: any Error) -> Bool {
  lhs == rhs as? E
}
