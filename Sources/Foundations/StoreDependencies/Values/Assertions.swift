import IssueReporting

extension DependencyValues {
  /// Stops a debug build of a program if a condition is false.
  ///
  /// In a test a false condition is reported, and the test continues, so that it can check
  /// the consequences.
  public var assert: any AssertEffect {
    get { self[AssertKey.self] }
    set { self[AssertKey.self] = newValue }
  }

  /// Stops a debug build of a program; in a test it reports an issue.
  public var assertionFailure: any AssertionFailureEffect {
    get { self[AssertionFailureKey.self] }
    set { self[AssertionFailureKey.self] = newValue }
  }

  /// Stops a program if a condition is false; in a test it reports an issue.
  public var precondition: any AssertEffect {
    get { self[PreconditionKey.self] }
    set { self[PreconditionKey.self] = newValue }
  }

  private enum AssertKey: DependencyKey {
    static let liveValue: any AssertEffect = AnyAssertEffect { condition, message, file, line in
      Swift.assert(condition(), message(), file: file, line: line)
    }
    static let testValue = reportingAssert
  }

  private enum AssertionFailureKey: DependencyKey {
    static let liveValue: any AssertionFailureEffect = AnyAssertionFailureEffect {
      Swift.assertionFailure($0(), file: $1, line: $2)
    }
    static let testValue: any AssertionFailureEffect = AnyAssertionFailureEffect {
      report($0(), file: $1, line: $2)
    }
  }

  private enum PreconditionKey: DependencyKey {
    static let liveValue: any AssertEffect = AnyAssertEffect { condition, message, file, line in
      Swift.precondition(condition(), message(), file: file, line: line)
    }
    static let testValue = reportingAssert
  }

  private static let reportingAssert: any AssertEffect = AnyAssertEffect {
    condition,
    message,
    file,
    line in
    if !condition() { report(message(), file: file, line: line) }
  }

  private static func report(_ message: String, file: StaticString, line: UInt) {
    reportIssue(
      message.isEmpty ? "An assertion of the feature failed." : message,
      fileID: file,
      filePath: file,
      line: line,
    )
  }
}

/// Checks a condition: `assert(count >= 0, "A count is never negative.")`.
public protocol AssertEffect: Sendable {
  /// Checks a condition.
  ///
  /// - Parameters:
  ///   - condition: The condition that must be true.
  ///   - message: The message if it is false.
  ///   - file: The file of the check.
  ///   - line: The line of the check.
  func callAsFunction(
    _ condition: @autoclosure () -> Bool,
    _ message: @autoclosure () -> String,
    file: StaticString,
    line: UInt,
  )
}

extension AssertEffect {
  /// Checks a condition.
  ///
  /// - Parameters:
  ///   - condition: The condition that must be true.
  ///   - message: The message if it is false.
  ///   - filePath: The file of the check.
  ///   - line: The line of the check.
  public func callAsFunction(
    _ condition: @autoclosure () -> Bool,
    _ message: @autoclosure () -> String = "",
    filePath: StaticString = #filePath,
    line: UInt = #line,
  ) {
    callAsFunction(condition(), message(), file: filePath, line: line)
  }
}

/// Reports an event that must not occur: `assertionFailure("There is no such row.")`.
public protocol AssertionFailureEffect: Sendable {
  /// Reports an event that must not occur.
  ///
  /// - Parameters:
  ///   - message: The event.
  ///   - file: The file of the report.
  ///   - line: The line of the report.
  func callAsFunction(_ message: @autoclosure () -> String, file: StaticString, line: UInt)
}

extension AssertionFailureEffect {
  /// Reports an event that must not occur.
  ///
  /// - Parameters:
  ///   - message: The event.
  ///   - filePath: The file of the report.
  ///   - line: The line of the report.
  public func callAsFunction(
    _ message: @autoclosure () -> String = "",
    filePath: StaticString = #filePath,
    line: UInt = #line,
  ) {
    callAsFunction(message(), file: filePath, line: line)
  }
}

/// A check by a function, for an override in a test.
public struct AnyAssertEffect: AssertEffect {
  private let check:
    @Sendable (
      _ condition: () -> Bool, _ message: () -> String, _ file: StaticString, _ line: UInt
    ) -> Void

  /// Creates a check by a function.
  ///
  /// - Parameter check: Receives the condition, the message, the file and the line.
  public init(
    _ check:
      @escaping @Sendable (
        _ condition: () -> Bool, _ message: () -> String, _ file: StaticString, _ line: UInt
      ) -> Void
  ) {
    self.check = check
  }

  /// Calls the function.
  public func callAsFunction(
    _ condition: @autoclosure () -> Bool,
    _ message: @autoclosure () -> String,
    file: StaticString,
    line: UInt,
  ) {
    check(condition, message, file, line)
  }
}

/// A failure that a function handles, for an override in a test.
public struct AnyAssertionFailureEffect: AssertionFailureEffect {
  private let fail: @Sendable (_ message: () -> String, _ file: StaticString, _ line: UInt) -> Void

  /// Creates a failure that a function handles.
  ///
  /// - Parameter fail: Receives the message, the file and the line.
  public init(
    _ fail:
      @escaping @Sendable (_ message: () -> String, _ file: StaticString, _ line: UInt) -> Void
  ) {
    self.fail = fail
  }

  /// Calls the function.
  public func callAsFunction(
    _ message: @autoclosure () -> String,
    file: StaticString,
    line: UInt,
  ) {
    fail(message, file, line)
  }
}
