import IssueReporting

extension DependencyValues {
  /// Stops a program that is being debugged when a condition does not hold.
  ///
  /// In a test a condition that does not hold is reported, and the test goes on, so that what
  /// happens then can be tested as well.
  public var assert: any AssertEffect {
    get { self[AssertKey.self] }
    set { self[AssertKey.self] = newValue }
  }

  /// Stops a program that is being debugged; in a test it reports an issue.
  public var assertionFailure: any AssertionFailureEffect {
    get { self[AssertionFailureKey.self] }
    set { self[AssertionFailureKey.self] = newValue }
  }

  /// Stops a program when a condition does not hold; in a test it reports an issue.
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
  ///   - condition: What has to hold.
  ///   - message: What to say when it does not.
  ///   - file: Where it is checked.
  ///   - line: Where it is checked.
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
  ///   - condition: What has to hold.
  ///   - message: What to say when it does not.
  ///   - filePath: Where it is checked.
  ///   - line: Where it is checked.
  public func callAsFunction(
    _ condition: @autoclosure () -> Bool,
    _ message: @autoclosure () -> String = "",
    filePath: StaticString = #filePath,
    line: UInt = #line,
  ) {
    callAsFunction(condition(), message(), file: filePath, line: line)
  }
}

/// Says that something has happened that must not: `assertionFailure("There is no such row.")`.
public protocol AssertionFailureEffect: Sendable {
  /// Says that something has happened that must not.
  ///
  /// - Parameters:
  ///   - message: What has happened.
  ///   - file: Where that was noticed.
  ///   - line: Where that was noticed.
  func callAsFunction(_ message: @autoclosure () -> String, file: StaticString, line: UInt)
}

extension AssertionFailureEffect {
  /// Says that something has happened that must not.
  ///
  /// - Parameters:
  ///   - message: What has happened.
  ///   - filePath: Where that was noticed.
  ///   - line: Where that was noticed.
  public func callAsFunction(
    _ message: @autoclosure () -> String = "",
    filePath: StaticString = #filePath,
    line: UInt = #line,
  ) {
    callAsFunction(message(), file: filePath, line: line)
  }
}

/// A check that is made by a function, for overriding one in a test.
public struct AnyAssertEffect: AssertEffect {
  private let check:
    @Sendable (
      _ condition: () -> Bool, _ message: () -> String, _ file: StaticString, _ line: UInt
    ) -> Void

  /// A check that is made by a function.
  ///
  /// - Parameter check: Is given the condition, the message, the file and the line.
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

/// A failure that is handled by a function, for overriding one in a test.
public struct AnyAssertionFailureEffect: AssertionFailureEffect {
  private let fail: @Sendable (_ message: () -> String, _ file: StaticString, _ line: UInt) -> Void

  /// A failure that is handled by a function.
  ///
  /// - Parameter fail: Is given the message, the file and the line.
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
