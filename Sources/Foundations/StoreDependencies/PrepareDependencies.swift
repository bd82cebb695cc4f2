import IssueReporting

/// Sets the defaults of dependencies for the whole process, before their first use.
///
/// Call it at the entry point of a program, which opens its database or reads its settings before
/// the first store. In a test it sets the defaults of that test only. A dependency that was used or
/// prepared before keeps its value, and the attempt is reported; in a preview it is set again.
/// Returns the result of `updateValues`.
public func prepareDependencies<R>(
  _ updateValues: (inout DependencyValues) throws -> R,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column,
) rethrows -> R {
  let current = DependencyValues._current
  var values = DependencyValues.unset(defaults: current.defaults)
  let result = try DependencyValues.$isSetting.withValue(true) { try updateValues(&values) }
  let preparation = values.preparation
  let late = current.defaults.prepare(preparation.values, in: current.context)
  var complaints: [String] = []
  if late > 0 {
    complaints.append(
      """
      \(late) of \(preparation.values.count) dependencies had been used or prepared before, and \
      keep their values.

      To fix, call "prepareDependencies" once, before anything else.
      """
    )
  }
  if preparation.changesContext {
    complaints.append("The context can't be prepared.\n\nTo fix, set it with \"withDependencies\".")
  }
  guard !complaints.isEmpty else { return result }
  reportIssue(
    complaints.joined(separator: "\n\n"),
    fileID: fileID,
    filePath: filePath,
    line: line,
    column: column,
  )
  return result
}
