import StoreActor
import TerminalViews

// The counter with a number fact in its 1.x form: a `@Reducer`, and dependencies in place of the
// environment.

@Reducer
struct NumberFact {
  @ObservableState
  struct State: Equatable {
    var count = 0
    var numberFactAlert: String?
  }

  enum Action {
    case factAlertDismissed
    case decrementButtonTapped
    case incrementButtonTapped
    case numberFactButtonTapped
    case numberFactResponse(Result<String, any Error>)
  }

  @Dependency(\.numberFact) var numberFact

  var body: some Reducer<State, Action> {
    Reduce { state, action in
      switch action {
      case .factAlertDismissed:
        state.numberFactAlert = nil
        return .none

      case .decrementButtonTapped:
        state.count -= 1
        return .none

      case .incrementButtonTapped:
        state.count += 1
        return .none

      case .numberFactButtonTapped:
        return .run { [count = state.count] send in
          await send(.numberFactResponse(Result { try await numberFact.fetch(count) }))
        }

      case .numberFactResponse(.success(let fact)):
        state.numberFactAlert = fact
        return .none

      case .numberFactResponse(.failure):
        state.numberFactAlert = "Could not load a number fact :("
        return .none
      }
    }
  }
}

struct NumberFactClient: Sendable {
  var fetch: @Sendable (Int) async throws -> String
}

extension NumberFactClient: DependencyKey {
  static let liveValue = NumberFactClient(fetch: { "\($0) is a good number Brent" })
}

extension DependencyValues {
  var numberFact: NumberFactClient {
    get { self[NumberFactClient.self] }
    set { self[NumberFactClient.self] = newValue }
  }
}

struct NumberFactView: View {
  let store: StoreOf<NumberFact>

  var body: some View {
    VStack {
      HStack {
        Button("−") { store.send(.decrementButtonTapped) }
        Text("\(store.count)")
        Button("+") { store.send(.incrementButtonTapped) }
      }
      Button("Number fact") { store.send(.numberFactButtonTapped) }
      if let fact = store.numberFactAlert {
        Text("! \(fact)")
        Button("OK") { store.send(.factAlertDismissed) }
      }
    }
  }
}
