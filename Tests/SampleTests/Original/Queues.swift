import StoreActor
import StoreActorSchedulers

@Reducer
struct Search {
  @ObservableState
  struct State: Equatable {
    var query = ""
    var results: [String] = []
    var seconds = 0
    var saved: [String] = []
  }

  enum Action: Equatable {
    case queryChanged(String)
    case search
    case response([String])
    case startButtonTapped
    case stopButtonTapped
    case tick
    case save(String)
    case didSave(String)
  }

  enum CancelID { case search, timer, saving }

  @Dependency(\.mainQueue) var mainQueue

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .queryChanged(let query):
        state.query = query
        return .send(.search)
          .debounce(id: CancelID.search, for: .milliseconds(300), scheduler: mainQueue)
      case .search:
        return .run { [query = state.query] send in
          try await mainQueue.sleep(for: .seconds(1))
          await send(.response(["\(query) 1", "\(query) 2"]))
        }
      case .response(let results):
        state.results = results
        return .none
      case .startButtonTapped:
        return .run { send in
          for await _ in mainQueue.timer(interval: .seconds(1)) {
            await send(.tick)
          }
        }
        .cancellable(id: CancelID.timer)
      case .stopButtonTapped:
        return .cancel(id: CancelID.timer)
      case .tick:
        state.seconds += 1
        return .none
      case .save(let text):
        return .send(.didSave(text))
          .throttle(id: CancelID.saving, for: 1, scheduler: mainQueue, latest: true)
      case .didSave(let text):
        state.saved.append(text)
        return .none
      }
    }
  }
}
