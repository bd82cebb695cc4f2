package import StoreActor

/// The results while someone edits them: a copy, so that the game's own stay as they are until the
/// changes are saved.
@Reducer
package struct ResultList {
  @ObservableState
  package struct State: DurableState, Equatable, Sendable {
    package var rows: IdentifiedArrayOf<GameResult.State>
    /// The results that the copy was made of: what the game has besides came meanwhile.
    @ReplicationIgnored var original: IdentifiedArrayOf<GameResult.State> = []

    package init(_ results: IdentifiedArrayOf<GameResult.State>) {
      rows = results
      original = results
    }

    /// Whether there is something to save.
    package var isChanged: Bool { rows != original }

    /// The edited rows, and behind them those results that came while they were edited.
    package func merged(
      into results: IdentifiedArrayOf<GameResult.State>
    ) -> IdentifiedArrayOf<GameResult.State> {
      var merged = rows
      for result in results where !original.contains(id: result.id) { merged.append(result) }
      return merged
    }

    /// Takes what was saved into the results, and leaves what was edited since to be saved.
    mutating func finishSaving(
      _ saved: Game.Saved,
      results: inout IdentifiedArrayOf<GameResult.State>,
    ) {
      var all = saved.results
      for result in results where !original.contains(id: result.id) {
        if !all.contains(id: result.id) { all.append(result) }
      }
      results = all
      original = saved.rows
    }
  }

  package enum Action: Equatable, Sendable, WireAction {
    case removed(id: UUID)
    case rows(IdentifiedActionOf<GameResult>)
  }

  package init() {}

  package var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .removed(let id):
        state.rows.remove(id: id)
        return .none

      case .rows:
        return .none
      }
    }
    .forEach(\.rows, action: \.rows) {
      GameResult()
    }
  }
}
