import StoreActor
import Testing

@testable import StoredWorkspace

/// The workspace's behavior after a restart of its daemon.
@MainActor
@Suite struct RestorationTests {
  private func core(
    _ state: WorkspaceFeature.State,
    save: @escaping @Sendable ([GameResult.State]) async throws -> Void = { _ in
      Issue.record("Nothing was to be saved")
    },
  ) -> RootCore<WorkspaceFeature.State, WorkspaceFeature.Action> {
    RootCore(
      initialState: { state },
      reducer: { WorkspaceFeature() },
      withDependencies: { $0.gameResults.save = save },
    )
  }

  private var edited: WorkspaceFeature.State {
    let result = GameResult.State(id: UUID(1), guess: 1, secret: 2, timeSpent: .zero)
    var list = ResultList.State([result])
    list.rows[id: UUID(1)]?.guess = 2
    var state = WorkspaceFeature.State()
    state.game.results = [result]
    state.game.resultList = list
    return state
  }

  private let saving = InterruptedEffect(
    name: "save results",
    path: ["game", "alert", "presented", "saveButtonTapped"],
  )

  @Test func `A save that was interrupted is made`() async {
    let core = core(edited) { #expect($0.map(\.guess) == [2]) }
    core.restart(
      Restoration(wasStopped: false, interrupted: [saving]),
      reset: { _ in },
      then: nil,
    )
    #expect(core.state.game.isSaving)
    while core.hasRunningEffects { await Task.yield() }
    #expect(!core.state.game.isSaving)
    #expect(core.state.game.results.map(\.guess) == [2])
    #expect(core.state.game.resultList == nil)
  }

  @Test func `Where nothing was being saved nothing is`() {
    let core = core(edited)
    core.restart(Restoration(wasStopped: true), reset: { _ in }, then: nil)
    #expect(core.state == edited)
    #expect(!core.hasRunningEffects)
  }

  @Test func `Who asked for a fact is told that none will come`() {
    let core = core(WorkspaceFeature.State())
    let asking = InterruptedEffect(
      name: "ask for a number fact",
      path: ["counter", "numberFactButtonTapped"],
    )
    core.restart(
      Restoration(wasStopped: false, interrupted: [asking]),
      reset: { _ in },
      then: nil,
    )
    #expect(core.state.counter.numberFactAlert?.contains("started again") == true)
  }
}
