// Features are public for the other modules; their names replace comments.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import LoanClient
import LoginFeature
import StoreActor

/// The whole application: the login or the desk.
@Reducer
public enum LibraryFeature {
  case login(LoginFeature)
  case desk(DeskFeature)

  public static var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .login(.loginResponse(.success(let reader))) where !reader.needsPIN:
        state = .desk(DeskFeature.State(reader: reader))
        return .none

      case .login(.pin(.presented(.confirmResponse(.success(let reader))))):
        state = .desk(DeskFeature.State(reader: reader))
        return .none

      case .desk(.delegate(.loggedOut)):
        state = .login(LoginFeature.State())
        return .none

      case .login, .desk:
        return .none
      }
    }
    .ifCaseLet(\.login, action: \.login) {
      LoginFeature()
    }
    .ifCaseLet(\.desk, action: \.desk) {
      DeskFeature()
    }
  }
}
extension LibraryFeature.State: Equatable {}
