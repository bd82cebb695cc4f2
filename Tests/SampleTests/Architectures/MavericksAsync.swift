import StoreActor

// Mavericks: a loaded value and its progress are one value of the state. One function runs the work
// and keeps that value up to date.

@ObservableState
enum Loadable: Equatable, ReplicatedState, Sendable {
  case uninitialized
  case loading
  case success(String)
  case failure(String)
}

@Reducer
struct Weather {
  @ObservableState
  struct State: Equatable, ReplicatedState, Sendable {
    var forecast = Loadable.uninitialized
  }

  enum ViewAction: Equatable, Sendable, WireAction {
    case refreshButtonTapped
  }

  enum ReducerAction: Equatable, Sendable {
    case forecast(Loadable)
  }

  private enum CancelID { case forecast }

  @Dependency(WeatherClient.self) private var client

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .refreshButtonTapped:
        state.forecast = .loading
        // A client that leaves cancels its effects, and no effect would reset `.loading`. So
        // `.loading` refuses no action: another tap starts again.
        return execute { [client] in try await client.forecast() }
          .cancellable(id: CancelID.forecast, cancelInFlight: true)
      case .forecast(let forecast):
        state.forecast = forecast
        return .none
      }
    }
  }

  /// Runs work, and sends its result.
  private func execute(_ work: @escaping @Sendable () async throws -> String) -> Effect<Action> {
    .run { send in
      await send(.forecast(.success(try await work())))
    } catch: { error, send in
      await send(.forecast(.failure("\(error)")))
    }
  }
}

struct WeatherClient: Sendable, TestDependencyKey {
  var forecast: @Sendable () async throws -> String

  static let testValue = WeatherClient { "Sunny" }
}
