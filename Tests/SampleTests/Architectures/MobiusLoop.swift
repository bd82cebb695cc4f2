import StoreActor

// Mobius: a pure function takes a model and an event, and returns the next model and effects, which
// are values. A separate handler performs them, and turns results into events.

@Reducer
struct Search {
  @ObservableState
  struct State: Equatable, ReplicatedState, Sendable {
    var query = ""
    var hits: [String] = []
  }

  enum ViewAction: Equatable, Sendable, WireAction {
    case queryChanged(String)
  }

  enum ReducerAction: Equatable, Sendable {
    case found([String])
  }

  /// The work to do, as a value: a test compares it, and need not run it.
  enum Work: Equatable, Sendable {
    case search(String)
  }

  /// The loop's function, which a test can call as the reducer does.
  static func update(_ state: inout State, _ event: Action) -> [Work] {
    switch event {
    case .queryChanged(let query):
      state.query = query
      return query.isEmpty ? [] : [.search(query)]
    case .found(let hits):
      state.hits = hits
      return []
    }
  }

  /// The effect handler: a dependency, so that tests replace it.
  @Dependency(SearchHandler.self) private var handler

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      let work = Self.update(&state, action)
      return .merge(
        work.map { work in
          .run { [handler] send in
            switch work {
            case .search(let query): await send(.found(handler.search(query)))
            }
          }
        }
      )
    }
  }
}

struct SearchHandler: Sendable, TestDependencyKey {
  var search: @Sendable (String) async -> [String]

  static let testValue = SearchHandler { ["\($0) 1", "\($0) 2"] }
}
