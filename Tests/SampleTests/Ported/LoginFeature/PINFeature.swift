// Features are public for the other modules; their names replace comments.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import LoanClient
import StoreActor

/// The second step of a login.
@Reducer
public struct PINFeature: Sendable {
  @ObservableState
  public struct State: Equatable, Sendable {
    @Presents public var alert: AlertState<Action.Alert>?
    public let card: String
    public var code = ""
    public var isRequestInFlight = false

    public var isFormValid: Bool { code.count >= 4 }

    public init(card: String) {
      self.card = card
    }
  }

  public enum Action: BindableAction, Sendable {
    case alert(PresentationAction<Alert>)
    case binding(BindingAction<State>)
    case cancelButtonTapped
    case confirmButtonTapped
    case confirmResponse(Result<Reader, any Error>)

    @CasePathable
    public enum Alert: Equatable, Sendable {
      case tryAgain
    }
  }

  @Dependency(\.dismiss) var dismiss
  @Dependency(\.loanClient) var loanClient

  public init() {}

  public var body: some ReducerOf<Self> {
    BindingReducer()
    Reduce { state, action in
      switch action {
      case .alert(.presented(.tryAgain)):
        state.code = ""
        return .none

      case .alert, .binding:
        return .none

      case .cancelButtonTapped:
        return .run { _ in await dismiss() }

      case .confirmButtonTapped:
        guard state.isFormValid else { return .none }
        state.isRequestInFlight = true
        return .run { [card = state.card, code = state.code] send in
          await send(
            .confirmResponse(Result { try await loanClient.confirm(card: card, pin: code) })
          )
        }

      case .confirmResponse(.success):
        state.isRequestInFlight = false
        return .none

      case .confirmResponse(.failure(let error)):
        state.isRequestInFlight = false
        state.alert = AlertState {
          TextState("No entry")
        } actions: {
          ButtonState(action: .tryAgain) { TextState("Try again") }
          ButtonState(role: .cancel) { TextState("Leave it") }
        } message: {
          TextState(error.localizedDescription)
        }
        return .none
      }
    }
    .ifLet(\.$alert, action: \.alert)
  }
}
