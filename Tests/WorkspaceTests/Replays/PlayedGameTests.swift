import StoreTesting
import Testing

@testable import StoredWorkspace

/// Replays revisions 1 to 16 with the current reducers.
///
/// Written by make-test. After an intended change of the reducers, recreate or remove it.
@MainActor
@Suite struct PlayedGameTests {
  @Test func `Revisions 1 to 16 lead to the same states`() throws {
    let report = try replay(
      "PlayedGame.journal",
      exposures: WorkspaceFeature.exposures,
      sessionAction: WorkspaceFeature.action(for:),
    ) {
      WorkspaceFeature()
    }
    #expect(report.difference == nil, "\(report)")
    #expect(report.checked == 12, "\(report)")
    let unchecked: [String: Int] = [
      "game.saveResponse: it has no form": 1,
      "game.timer.ticked: it has no form": 2,
    ]
    #expect(report.unchecked == unchecked, "\(report)")
  }
}
