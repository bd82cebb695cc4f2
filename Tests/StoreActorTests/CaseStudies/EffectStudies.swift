import StoreActor

/// A number and a fact about it, from a client that may fail.
@DependencyClient
struct FactClient {
  var fetch: @Sendable (Int) async throws -> String
}

extension FactClient: TestDependencyKey {
  static let testValue = FactClient()
}

extension DependencyValues {
  var factClient: FactClient {
    get { self[FactClient.self] }
    set { self[FactClient.self] = newValue }
  }
}

/// A request that can be cancelled, with its response as a `Result`.
@Reducer
struct EffectsCancellation {
  @ObservableState
  struct State: Equatable {
    var count = 0
    var currentFact: String?
    var isFactRequestInFlight = false
    @Presents var alert: AlertState<Action.Alert>?
  }

  enum Action {
    case alert(PresentationAction<Alert>)
    case cancelButtonTapped
    case factButtonTapped
    case factResponse(Result<String, any Error>)
    case stepperChanged(Int)

    @CasePathable
    enum Alert: Equatable { case tryAgain }
  }

  @Dependency(\.factClient) var factClient

  private enum CancelID { case factRequest }

  var body: some Reducer<State, Action> {
    Reduce { state, action in
      switch action {
      case .alert(.presented(.tryAgain)):
        return .send(.factButtonTapped)
      case .alert:
        return .none
      case .cancelButtonTapped:
        state.isFactRequestInFlight = false
        return .cancel(id: CancelID.factRequest)
      case .factButtonTapped:
        state.currentFact = nil
        state.isFactRequestInFlight = true
        return .run { [count = state.count] send in
          await send(
            .factResponse(Result { try await self.factClient.fetch(count) }),
            animation: .default,
          )
        }
        .cancellable(id: CancelID.factRequest, cancelInFlight: true)
      case .factResponse(.success(let fact)):
        state.isFactRequestInFlight = false
        state.currentFact = fact
        return .none
      case .factResponse(.failure):
        state.isFactRequestInFlight = false
        state.alert = AlertState {
          TextState("No fact")
        } actions: {
          ButtonState(role: .cancel) { TextState("Cancel") }
          ButtonState(action: .tryAgain) { TextState("Try again") }
        }
        return .none
      case .stepperChanged(let value):
        state.count = value
        return .cancel(id: CancelID.factRequest)
      }
    }
    .ifLet(\.$alert, action: \.alert)
  }
}

/// A timer whose ticks are animated, and ends with the feature.
@Reducer
struct Timers {
  @ObservableState
  struct State: Equatable {
    var isTimerActive = false
    var secondsElapsed = 0
  }

  enum Action {
    case onDisappear
    case timerTicked
    case toggleTimerButtonTapped
  }

  @Dependency(\.continuousClock) var clock
  private enum CancelID { case timer }

  var body: some Reducer<State, Action> {
    Reduce { state, action in
      switch action {
      case .onDisappear:
        return .cancel(id: CancelID.timer)
      case .timerTicked:
        state.secondsElapsed += 1
        return .none
      case .toggleTimerButtonTapped:
        state.isTimerActive.toggle()
        return .run { [isTimerActive = state.isTimerActive] send in
          guard isTimerActive else { return }
          for await _ in self.clock.timer(interval: .seconds(1)) {
            await send(
              .timerTicked,
              animation: .interpolatingSpring(stiffness: 3000, damping: 40),
            )
          }
        }
        .cancellable(id: CancelID.timer, cancelInFlight: true)
      }
    }
  }
}

/// A sequence of values with pauses between them.
@Reducer
struct Animations {
  @ObservableState
  struct State: Equatable {
    @Presents var alert: AlertState<Action.Alert>?
    var color = "red"
  }

  enum Action: Sendable {
    case alert(PresentationAction<Alert>)
    case rainbowButtonTapped
    case resetButtonTapped
    case setColor(String)

    @CasePathable
    enum Alert: Sendable { case resetConfirmationButtonTapped }
  }

  @Dependency(\.continuousClock) var clock
  private enum CancelID { case rainbow }

  var body: some Reducer<State, Action> {
    Reduce { state, action in
      switch action {
      case .alert(.presented(.resetConfirmationButtonTapped)):
        state = State()
        return .cancel(id: CancelID.rainbow)
      case .alert:
        return .none
      case .rainbowButtonTapped:
        return .run { send in
          for color in ["blue", "green", "black"] {
            await send(.setColor(color), animation: .linear)
            try await self.clock.sleep(for: .seconds(1))
          }
        }
        .cancellable(id: CancelID.rainbow)
        .animation(.easeInOut(duration: 0.2))
      case .resetButtonTapped:
        state.alert = AlertState {
          TextState("Reset?")
        } actions: {
          ButtonState(
            role: .destructive,
            action: .send(.resetConfirmationButtonTapped, animation: .default),
          ) {
            TextState("Reset")
          }
        }
        return .none
      case .setColor(let color):
        state.color = color
        return .none
      }
    }
    .ifLet(\.$alert, action: \.alert)
  }
}

/// An effect that lasts as long as its caller waits for it.
@Reducer
struct LongLiving {
  @ObservableState
  struct State: Equatable {
    var screenshotCount = 0
  }

  enum Action {
    case task
    case userDidTakeScreenshot
  }

  @Dependency(\.screenshots) var screenshots

  var body: some Reducer<State, Action> {
    Reduce { state, action in
      switch action {
      case .task:
        return .run { send in
          for await _ in await self.screenshots() {
            await send(.userDidTakeScreenshot)
          }
        }
      case .userDidTakeScreenshot:
        state.screenshotCount += 1
        return .none
      }
    }
  }
}

extension DependencyValues {
  var screenshots: @Sendable () async -> AsyncStream<Void> {
    get { self[ScreenshotsKey.self] }
    set { self[ScreenshotsKey.self] = newValue }
  }

  private enum ScreenshotsKey: DependencyKey {
    static let liveValue: @Sendable () async -> AsyncStream<Void> = { .never }
  }
}
