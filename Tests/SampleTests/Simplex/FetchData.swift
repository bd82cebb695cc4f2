import StoreActorSimplex

// An effect whose response a test receives by the key path of its case.

struct ApiClient: Sendable {
  var fetchData: @Sendable (_ id: Int) async throws -> [String]
}

extension ApiClient: TestDependencyKey {
  static let testValue = ApiClient(fetchData: { _ in throw LoginFailure() })
}

extension DependencyValues {
  var apiClient: ApiClient {
    get { self[ApiClient.self] }
    set { self[ApiClient.self] = newValue }
  }
}

@Reducer
struct DataReducer {
  enum ViewAction {
    case fetchData
    case fetchSlowly
  }

  enum ReducerAction {
    case fetchDataResponse(TaskResult<[String]>)
  }

  @Dependency(\.apiClient) var apiClient
  @Dependency(\.continuousClock) var clock

  func reduce(into state: StateContainer<DataView>, action: Action) -> SideEffect<Self> {
    switch action {
    case .fetchData:
      return .run { send in
        await send(.fetchDataResponse(TaskResult { try await apiClient.fetchData(1) }))
      }
    case .fetchSlowly:
      return SideEffect.send(.fetchData).debounce(id: "fetch", for: .seconds(1), clock: clock)
    case .fetchDataResponse(.success(let data)):
      state.data = data
      return .none
    case .fetchDataResponse(.failure):
      state.data = []
      return .none
    }
  }
}

@ViewState
struct DataView: View {
  @State var data: [String] = []

  let store: Store<DataReducer> = Store(reducer: DataReducer())

  var body: some View {
    List(data, id: \.self) { Text($0) }
  }
}
