import StoreActor

/// A kettle that heats water degree by degree, with effects of every kind.
struct Kettle: Reducer {
  struct State: Equatable, Sendable {
    var temperature = 20
    var isOn = false
    var label = ""
    /// Not replicated: only the daemon has it.
    var ticks = 0
  }

  enum Action: Equatable, Sendable {
    case switchTapped
    case labelChanged(String)
    case measureButtonTapped
    case twiceButtonTapped
    /// Only effects send these.
    case ticked
    case measured(Int)
  }

  enum CancelID { case heating }

  @Dependency(\.continuousClock) var clock
  @Dependency(\.thermometer) var thermometer

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .switchTapped:
        state.isOn.toggle()
        guard state.isOn else { return .cancel(id: CancelID.heating) }
        return .run { send in
          for await _ in clock.timer(interval: .seconds(1)) { await send(.ticked) }
        }
        .cancellable(id: CancelID.heating)
      case .labelChanged(let label):
        state.label = label
        return label.isEmpty ? .refuse("A label has letters.", code: "empty", value: 1) : .none
      case .measureButtonTapped:
        return .run { send in await send(.measured(try await thermometer.read())) }
      case .twiceButtonTapped:
        return .merge(.send(.ticked), .send(.ticked))
      case .ticked:
        state.ticks += 1
        state.temperature += 1
        return .none
      case .measured(let temperature):
        state.temperature = temperature
        return temperature < -273 ? .refuse("No temperature is so low.") : .none
      }
    }
  }
}

/// The thermometer from which a kettle reads its temperature.
struct Thermometer: Sendable {
  var read: @Sendable () async throws -> Int
}

extension Thermometer: DependencyKey {
  static let liveValue = Thermometer { 0 }
}

extension DependencyValues {
  var thermometer: Thermometer {
    get { self[Thermometer.self] }
    set { self[Thermometer.self] = newValue }
  }
}

/// A kitchen whose clients see the kettle and the guest's cup.
struct Kitchen: Reducer {
  struct State: Equatable, Sendable {
    var kettle = Kettle.State()
    var spare: Kettle.State?
    var cups = 0
  }

  enum Action: Equatable, Sendable {
    case kettle(Kettle.Action)
    case spare(Kettle.Action)
    case cupTaken
    case spareRemoved
    case vigilBegan
    case refusedTicks
  }

  @Dependency(\.traces) var traces

  var body: some ReducerOf<Self> {
    Scope(\.kettle, action: \.kettle) { Kettle() }
    Reduce { state, action in
      switch action {
      case .kettle(.labelChanged("for all")):
        state.spare?.label = "for all"
        return .send(.cupTaken)
      case .cupTaken:
        state.cups += 1
        state.kettle.temperature = 0
        return .none
      case .spareRemoved:
        state.spare = nil
        return .none
      case .kettle(.labelChanged("later")):
        return .run { send in await send(.refusedTicks) }
      case .refusedTicks:
        return .concatenate(.send(.kettle(.ticked)), .send(.kettle(.labelChanged(""))))
      case .kettle(.labelChanged("watched")):
        return .send(.vigilBegan)
      case .vigilBegan:
        return .run { [traces] _ in
          await withTaskCancellationHandler {
            for await _ in AsyncStream<Never>.never {}
          } onCancel: {
            traces.withValue { $0.append("given up") }
          }
        }
      case .spare(.switchTapped):
        return .run { await $0(.spareRemoved) }
      default: return .none
      }
    }
    .ifLet(\.spare, action: \.spare) { Kettle() }
  }
}
