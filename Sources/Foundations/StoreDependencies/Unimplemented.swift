import IssueReporting

/// Reports the use of a dependency that a test has not set, if its value affects the result.
///
/// - Parameters:
///   - name: The property of ``DependencyValues``.
///   - example: A value that a test may set.
func reportUnimplemented(_ name: String, example: String) {
  // Setting a part of a dependency through a key path reads it first.
  guard !DependencyValues.isSetting else { return }
  reportIssue(
    """
    Unimplemented: @Dependency(\\.\(name))

    It was used in a test that has not set it.

    To fix, set it for this test, as in "$0.\(name) = \(example)": in the trailing \
    "withDependencies" closure of a "TestStore", elsewhere with "withDependencies".
    """
  )
}
