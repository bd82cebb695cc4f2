import IssueReporting

/// Runs an operation with changed dependencies.
///
/// ```swift
/// let model = withDependencies {
///   $0.date.now = Date(timeIntervalSince1970: 0)
/// } operation: {
///   FeatureModel()
/// }
/// ```
///
/// - Parameters:
///   - updateValues: Changes the values of the current task.
///   - operation: Reads the changed values. They also apply to the tasks that it starts, and to
///     the objects with `@Dependency` properties that it creates, as long as these objects live.
/// - Returns: The operation's result.
@discardableResult
public func withDependencies<R>(
  _ updateValues: (inout DependencyValues) throws -> Void,
  operation: () throws -> R,
) rethrows -> R {
  var values = DependencyValues._current
  try DependencyValues.$isSetting.withValue(true) { try updateValues(&values) }
  return try DependencyValues.$_current.withValue(values) {
    try DependencyValues.$isSetting.withValue(false) {
      let result = try operation()
      DependencyObjects.shared.remember(result, values)
      return result
    }
  }
}

/// Runs an asynchronous operation with changed dependencies.
@discardableResult
public func withDependencies<R>(
  isolation: isolated (any Actor)? = #isolation,
  _ updateValues: (inout DependencyValues) async throws -> Void,
  operation: () async throws -> R,
) async rethrows -> R {
  var values = DependencyValues._current
  try await DependencyValues.$isSetting.withValue(true) { try await updateValues(&values) }
  return try await DependencyValues.$_current.withValue(values) {
    try await DependencyValues.$isSetting.withValue(false) {
      let result = try await operation()
      DependencyObjects.shared.remember(result, values)
      return result
    }
  }
}

/// Runs an operation with the dependencies of an object, and changes to them.
///
/// Use it in a model that creates a child model: the child gets the dependencies of its parent. The
/// parent has a `@Dependency` property, or is the result of a `withDependencies`. Returns the
/// result of the operation.
@discardableResult
public func withDependencies<Model: AnyObject, R>(
  from model: Model,
  _ updateValues: (inout DependencyValues) throws -> Void,
  operation: () throws -> R,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column,
) rethrows -> R {
  guard let values = DependencyObjects.shared.values(of: model) else {
    reportNoValues(of: model, fileID: fileID, filePath: filePath, line: line, column: column)
    return try withDependencies(updateValues, operation: operation)
  }
  return try withDependencies {
    $0 = values.merging($0)
    try updateValues(&$0)
  } operation: {
    try operation()
  }
}

/// Runs an asynchronous operation with the dependencies of an object, and changes to them.
@discardableResult
public func withDependencies<Model: AnyObject, R>(
  from model: Model,
  isolation: isolated (any Actor)? = #isolation,
  _ updateValues: (inout DependencyValues) async throws -> Void,
  operation: () async throws -> R,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column,
) async rethrows -> R {
  guard let values = DependencyObjects.shared.values(of: model) else {
    reportNoValues(of: model, fileID: fileID, filePath: filePath, line: line, column: column)
    return try await withDependencies(updateValues, operation: operation)
  }
  return try await withDependencies {
    $0 = values.merging($0)
    try await updateValues(&$0)
  } operation: {
    try await operation()
  }
}

/// Runs an operation with the dependencies of an object.
@discardableResult
public func withDependencies<Model: AnyObject, R>(
  from model: Model,
  operation: () throws -> R,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column,
) rethrows -> R {
  try withDependencies(
    from: model,
    { _ in },
    operation: operation,
    fileID: fileID,
    filePath: filePath,
    line: line,
    column: column,
  )
}

/// Runs an asynchronous operation with the dependencies of an object.
@discardableResult
public func withDependencies<Model: AnyObject, R>(
  from model: Model,
  isolation: isolated (any Actor)? = #isolation,
  operation: () async throws -> R,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column,
) async rethrows -> R {
  try await withDependencies(
    from: model,
    { _ in },
    operation: operation,
    fileID: fileID,
    filePath: filePath,
    line: line,
    column: column,
  )
}

private func reportNoValues<Model: AnyObject>(
  of model: Model,
  fileID: StaticString,
  filePath: StaticString,
  line: UInt,
  column: UInt,
) {
  reportIssue(
    """
    An object of type "\(type(of: model))" has no dependencies to take over.

    To fix, give it a "@Dependency" property, or make it inside "withDependencies".
    """,
    fileID: fileID,
    filePath: filePath,
    line: line,
    column: column,
  )
}
