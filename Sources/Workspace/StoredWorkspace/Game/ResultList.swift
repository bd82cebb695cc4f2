package import StoreActor

/// The results during editing: a copy, so that the game's own results do not change until the copy
/// is saved.
@Reducer
package struct ResultList {
  @ObservableState
  package struct State: DurableState, Equatable, Sendable {
    package var rows: IdentifiedArrayOf<GameResult.State>
    /// The results when the copy was made: the game's other results were added later.
    @ReplicationIgnored var original: IdentifiedArrayOf<GameResult.State> = []

    package init(_ results: IdentifiedArrayOf<GameResult.State>) {
      rows = results
      original = results
    }

    /// Whether the rows have unsaved changes.
    package var isChanged: Bool { rows != original }

    /// The edited rows, followed by the results that were added during editing.
    package func merged(
      into results: IdentifiedArrayOf<GameResult.State>
    ) -> IdentifiedArrayOf<GameResult.State> {
      var merged = rows
      for result in results where !original.contains(id: result.id) { merged.append(result) }
      return merged
    }

    /// Takes the saved rows into the results; later edits stay unsaved.
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
