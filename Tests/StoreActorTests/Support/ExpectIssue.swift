import Testing

/// Runs a piece of a test that has to report an issue with all of some texts in it.
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
