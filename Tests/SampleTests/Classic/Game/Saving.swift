import StoreActorClassic

// The document's exercises: the request belongs in the environment and may fail, and results that
// arrive during the request are merged with the edited ones instead of being lost.

struct SavingState: Equatable {
  var game = GameState()
  /// The results at the opening of the list; all other results are newer.
  var listed: Set<UUID> = []
}

struct SavingEnvironment {
  var game: GameEnvironment
  var save: (GameResultListState) -> Effect<Void, URLError>
}

let savingReducer = Reducer<SavingState, GameAction, SavingEnvironment> {
  state,
  action,
  environment in
  switch action {
  case .setNavigation(.some):
    state.listed = Set(state.game.results.ids)
    return gameReducer(&state.game, action, environment.game)

  case .alertAction(.alertSaveButtonTapped):
    state.game.savingResults = true
    return environment.save(state.game.resultListState?.value ?? [])
      .receive(on: environment.game.mainQueue)
      .catchToEffect(GameAction.saveResult)

  case .saveResult(.success):
    let arrived = state.game.results.filter { [listed = state.listed] in !listed.contains($0.id) }
    state.game.savingResults = false
    state.game.results = state.game.resultListState?.value ?? state.game.results
    state.game.results.append(contentsOf: arrived)
    state.game.resultListState = nil
    return .none

  case .saveResult(.failure):
    state.game.savingResults = false
    state.game.resultListState = nil
    state.game.alert = .init(title: .init("Could not save the changes."))
    return .none

  default:
    return gameReducer(&state.game, action, environment.game)
  }
}
