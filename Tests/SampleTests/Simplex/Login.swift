import StoreActorSimplex

// A response that only the reducer's own effects may send.

struct Response: Equatable {
  var token: String
}

struct AuthClient: Sendable {
  var login: @Sendable (_ email: String, _ password: String) async throws -> Response
}

extension AuthClient: TestDependencyKey {
  static let testValue = AuthClient(login: { _, _ in throw LoginFailure() })
}

struct LoginFailure: Error, Equatable {}

extension DependencyValues {
  var authClient: AuthClient {
    get { self[AuthClient.self] }
    set { self[AuthClient.self] = newValue }
  }
}

@Reducer
struct LoginReducer {
  enum ViewAction: Equatable {
    case login
  }

  enum ReducerAction: Equatable {
    case loginResponse(TaskResult<Response>)
  }

  @Dependency(\.authClient) var authClient

  func reduce(into state: StateContainer<LoginView>, action: Action) -> SideEffect<Self> {
    switch action {
    case .login:
      return .run { [email = state.email, password = state.password] send in
        await send(
          .loginResponse(
            TaskResult { try await authClient.login(email, password) }
          )
        )
      }
    case .loginResponse(let result):
      switch result {
      case .success(let response):
        state.message = "Logged in: \(response.token)"
      case .failure:
        state.message = "Could not log in"
      }
      return .none
    }
  }
}

@ViewState
struct LoginView: View {
  @State var email: String = ""
  @State var password: String = ""
  @State var message: String = ""

  let store: Store<LoginReducer> = Store(reducer: LoginReducer())

  var body: some View {
    VStack {
      TextField("E-mail", text: $email)
      TextField("Password", text: $password)
      Button("Log in") {
        send(.login)
      }
      Text(message)
    }
  }
}
