import Testing

/// Runs a part of a test, and expects an issue that contains all of the given texts.
@MainActor
func expectIssue(
  _ texts: String...,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @MainActor () async -> Void,
) async {
  await withKnownIssue(sourceLocation: sourceLocation) {
    await body()
  } matching: { issue in
    texts.allSatisfy { issue.description.contains($0) }
  }
}
