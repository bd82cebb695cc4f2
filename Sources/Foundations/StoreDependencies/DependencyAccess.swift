import IssueReporting
import StoreConcurrency

/// The dependency that is being read, and the place of the access, for reports.
struct DependencyAccess: Sendable {
  /// The property of ``DependencyValues`` whose default is being created.
  @TaskLocal static var inner: DependencyAccess?

  /// The `@Dependency` property that is being read.
  @TaskLocal static var outer: DependencyAccess?

  /// Records that a report was omitted while values are being set: a dependency that is read in
  /// order to change it has not been used.
  @TaskLocal static var omission: LockIsolated<Omission?>?

  /// The origin of an omitted report.
  enum Omission {
    /// This library's report of a key without its own value.
    case ours
    /// A report of the default's own code.
    case theirs
  }

  let name: StaticString
  let fileID: StaticString
  let filePath: StaticString
  let line: UInt
  let column: UInt

  static var current: Reporter { Reporter(inner: inner, outer: outer) }

  /// Reports a missing value, at the place that the reader can change.
  struct Reporter {
    let inner: DependencyAccess?
    let outer: DependencyAccess?

    func reportMissingTestValue<Key: TestDependencyKey>(of key: Key.Type) {
      report(
        """
        \(name(key)) has no test implementation, but was accessed from a test context:

        \(description(key))

        A test says for each dependency what it is, so that none reaches the outside world by \
        accident.

        To fix, set \(name(key)) for this test: in the trailing "withDependencies" closure of a \
        "TestStore", elsewhere with "withDependencies". If one value serves every test, implement \
        the "testValue" of "\(Key.self)".
        """
      )
    }

    func reportMissingLiveValue<Key: TestDependencyKey>(of key: Key.Type) {
      report(
        """
        \(name(key)) has no live implementation, but was accessed from a live context:

        \(description(key))

        To fix, conform "\(Key.self)" to "DependencyKey" with a "liveValue", and check that the \
        module with this conformance is linked.
        """
      )
    }

    /// Returns the dependency as it is written at its use.
    private func name<Key: TestDependencyKey>(_ key: Key.Type) -> String {
      let name = inner.map { "\($0.name)" } ?? ""
      let isProperty = !name.isEmpty && !name.contains("(")
      return isProperty ? "@Dependency(\\.\(name))" : "@Dependency(\(Key.self).self)"
    }

    private func description<Key: TestDependencyKey>(_ key: Key.Type) -> String {
      var lines: [String] = []
      if let outer { lines.append("  Location:\n    \(outer.fileID):\(outer.line)") }
      lines.append("  Key:\n    \(Key.self)")
      lines.append("  Value:\n    \(Key.Value.self)")
      return lines.joined(separator: "\n")
    }

    private func report(_ message: @autoclosure () -> String) {
      guard !DependencyValues.isSetting else {
        DependencyAccess.omission?.withValue { $0 = $0 ?? .ours }
        return
      }
      let message = message()
      guard let place = outer ?? inner else {
        reportIssue(message)
        return
      }
      reportIssue(
        message,
        fileID: place.fileID,
        filePath: place.filePath,
        line: place.line,
        column: place.column,
      )
    }
  }
}
