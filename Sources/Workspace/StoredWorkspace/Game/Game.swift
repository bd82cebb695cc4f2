package import StoreActor

/// Guess the number: one round after another, a timer, and results that can be edited and saved.
///
/// Results are edited on a copy. When a client leaves the changed copy, an alert asks whether to
/// save it. Saving takes time, and rounds that are played meanwhile are merged, not lost.
///
/// Saving is an effect of the session that requested it, and ends with that session. Then the alert
/// appears again when the list is left again, and saving starts over. A save that the end of the
/// daemon has interrupted runs after the restart.
@Reducer
package struct Game {
  @ObservableState
  package struct State: DurableState, Equatable, Sendable {
    package var counter: GuessCounter.State
    package var timer: GameTimer.State
    package var results: IdentifiedArrayOf<GameResult.State>
    /// The results that are being edited; nil outside of editing.
    package var resultList: ResultList.State?
    @Presents package var alert: AlertState<Alert>?
    @DurableIgnored package var isSaving = false
    /// The time played when the round began.
    @ReplicationIgnored var roundStart: Duration = .zero

    package init(
      counter: GuessCounter.State,
      timer: GameTimer.State = GameTimer.State(),
      results: IdentifiedArrayOf<GameResult.State> = [],
    ) {
      self.counter = counter
      self.timer = timer
      self.results = results
    }
  }

  @CasePathable
  package enum Alert: Equatable, Sendable, WireAction {
    case discardButtonTapped
    case saveButtonTapped
  }

  package enum ViewAction: Equatable, Sendable, WireAction {
    case alert(PresentationAction<Alert>)
    case counter(GuessCounter.Action)
    case resultList(ResultList.Action)
    /// Opens a copy of the results for editing.
    case resultsButtonTapped
    /// Leaves the copy; asks whether to save it if it has changed.
    case resultsDismissed
    case timer(GameTimer.Action)
  }

  package enum ReducerAction: DurableAction, Equatable, Sendable {
    case saveResponse(Result<Saved, SaveError>)
  }

  /// The results of a save.
  @ObservableState
  package struct Saved: DurableState, Equatable, Sendable {
    /// The edited rows as they were when saving began.
    package var rows: IdentifiedArrayOf<GameResult.State>
    /// All saved results: the edited rows and the results that were added before saving began.
    package var results: IdentifiedArrayOf<GameResult.State>
  }

  private enum CancelID { case save }

  /// The name of the save in a report of interrupted effects.
  private static let saving = "save results"

  @Dependency(\.gameResults) private var gameResults
  @Dependency(\.uuid) private var uuid
  @Dependency(\.withRandomNumberGenerator) private var withRandomNumberGenerator

  package init() {}

  package var body: some ReducerOf<Self> {
    Scope(\.counter, action: \.counter) {
      GuessCounter()
    }
    Scope(\.timer, action: \.timer) {
      GameTimer()
    }
    Reduce(reduce)
      .ifLet(\.resultList, action: \.resultList) {
        ResultList()
      }
      .ifLet(\.$alert, action: \.alert)
      .onRestored { state, restoration in
        restoration.interrupted(Self.saving) ? startSaving(&state) : .none
      }
  }

  private func reduce(_ state: inout State, _ action: Action) -> Effect<Action> {
    switch action {
    case .alert(.presented(.discardButtonTapped)):
      state.isSaving = false
      state.resultList = nil
      return .cancel(id: CancelID.save)

    case .alert(.presented(.saveButtonTapped)):
      return startSaving(&state)

    case .counter(.playNextButtonTapped):
      playNext(&state)
      return .none

    case .resultsButtonTapped:
      if state.resultList == nil { state.resultList = ResultList.State(state.results) }
      return .none

    case .resultsDismissed:
      guard let list = state.resultList else { return .none }
      if list.isChanged { state.alert = .saveChanges } else { state.resultList = nil }
      return .none

    case .saveResponse(.success(let saved)):
      state.isSaving = false
      state.resultList?.finishSaving(saved, results: &state.results)
      if state.resultList?.isChanged == false { state.resultList = nil }
      return .none

    case .saveResponse(.failure(let error)):
      state.isSaving = false
      state.alert = .notSaved(error)
      return .none

    case .alert, .counter, .resultList, .timer:
      return .none
    }
  }

  private func playNext(_ state: inout State) {
    state.results.append(
      GameResult.State(
        id: state.counter.id,
        guess: state.counter.count,
        secret: state.counter.secret,
        timeSpent: state.timer.duration - state.roundStart,
      )
    )
    state.roundStart = state.timer.duration
    let secret = withRandomNumberGenerator {
      Int.random(in: GuessCounter.State.range, using: &$0)
    }
    state.counter = GuessCounter.State(id: uuid(), secret: secret)
  }

  private func startSaving(_ state: inout State) -> Effect<Action> {
    guard let list = state.resultList else { return .none }
    state.isSaving = true
    return save(Saved(rows: list.rows, results: list.merged(into: state.results)))
  }

  /// Saves results; an earlier attempt is canceled.
  private func save(_ saved: Saved) -> Effect<Action> {
    .run(name: Self.saving) { [gameResults] send in
      try await gameResults.save(results: Array(saved.results))
      await send(.saveResponse(.success(saved)))
    } catch: { error, send in
      let error = error as? SaveError ?? SaveError("The results could not be saved: \(error)")
      await send(.saveResponse(.failure(error)))
    }
    .cancellable(id: CancelID.save, cancelInFlight: true)
  }
}

extension AlertState<Game.Alert> {
  static let saveChanges = AlertState {
    TextState("Save Changes?")
  } actions: {
    ButtonState(action: .saveButtonTapped) {
      TextState("OK")
    }
    ButtonState(role: .cancel, action: .discardButtonTapped) {
      TextState("Cancel")
    }
  }

  static func notSaved(_ error: SaveError) -> AlertState {
    AlertState {
      TextState("Not Saved")
    } actions: {
      ButtonState(action: .saveButtonTapped) {
        TextState("Try Again")
      }
      ButtonState(role: .cancel, action: .discardButtonTapped) {
        TextState("Discard")
      }
    } message: {
      TextState(error.message)
    }
  }
}
