// Features are public for the other modules; their names replace comments.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import LoanClient
import StoreActor

/// The login of a reader: a form, and for some cards a second step on a sheet.
@Reducer
public struct LoginFeature: Sendable {
  @ObservableState
  public struct State: Equatable, Sendable {
    @Presents public var alert: AlertState<Action.Alert>?
    public var card = ""
    public var isFormValid = false
    public var isRequestInFlight = false
    public var name = ""
    @Presents public var pin: PINFeature.State?

    public init() {}
  }

  public enum Action: Sendable, ViewAction {
    case alert(PresentationAction<Alert>)
    case loginResponse(Result<Reader, any Error>)
    case pin(PresentationAction<PINFeature.Action>)
    case view(View)

    public enum Alert: Equatable, Sendable {}

    @CasePathable
    public enum View: BindableAction, Sendable {
      case binding(BindingAction<State>)
      case loginButtonTapped
    }
  }

  @Dependency(\.loanClient) var loanClient

  public init() {}

  public var body: some ReducerOf<Self> {
    BindingReducer(action: \.view)
    Reduce { state, action in
      switch action {
      case .alert, .pin:
        return .none

      case .loginResponse(.success(let reader)):
        state.isRequestInFlight = false
        if reader.needsPIN {
          state.pin = PINFeature.State(card: state.card)
        }
        return .none

      case .loginResponse(.failure(let error)):
        state.isRequestInFlight = false
        state.alert = AlertState { TextState(error.localizedDescription) }
        return .none

      case .view(.binding):
        state.isFormValid = !state.card.isEmpty && !state.name.isEmpty
        return .none

      case .view(.loginButtonTapped):
        state.isRequestInFlight = true
        return .run { [card = state.card, name = state.name] send in
          await send(.loginResponse(Result { try await loanClient.login(card: card, name: name) }))
        }
      }
    }
    .ifLet(\.$alert, action: \.alert)
    .ifLet(\.$pin, action: \.pin) {
      PINFeature()
    }
  }
}
