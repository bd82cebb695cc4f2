import StoreActorSimplex

// A sign-up whose reducer moves the focus to the next field to fill in.

@Reducer
struct SignUpReducer {
  enum ViewAction {
    case signUp
  }

  func reduce(into state: StateContainer<SignUpView>, action: Action) -> SideEffect<Self> {
    switch action {
    case .signUp:
      if state.email.isEmpty {
        state.focus = .email
      } else if state.password.isEmpty {
        state.focus = .password
      } else {
        state.focus = nil
        state.message = "Welcome, \(state.email)"
      }
      return .none
    }
  }
}

@ViewState
struct SignUpView: View {
  enum Field: Hashable {
    case email
    case password
  }

  @State var email: String = ""
  @State var password: String = ""
  @State var message: String = ""
  @FocusState var focus: Field?

  let store: Store<SignUpReducer> = Store(reducer: SignUpReducer())

  var body: some View {
    VStack {
      TextField("E-mail", text: $email)
        .focused($focus, equals: .email)
      TextField("Password", text: $password)
        .focused($focus, equals: .password)
      Button("Sign up") {
        send(.signUp)
      }
      Text(message)
    }
  }
}
