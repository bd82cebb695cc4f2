import StoreActorClassic
import TerminalViews

// The guessing game's earlier parts: a secret, a guess, and a timer. The document assumes them.

struct Counter: Equatable, Identifiable {
  var count: Int = 0
  var secret = Int.random(in: -100...100)
  var id: UUID = UUID()
}

enum CounterAction: Equatable {
  case increment
  case decrement
  case playNext
}

struct CounterEnvironment {
  var generateRandom: (ClosedRange<Int>) -> Int
  var uuid: () -> UUID
}

let counterReducer = Reducer<Counter, CounterAction, CounterEnvironment> {
  state,
  action,
  environment in
  switch action {
  case .increment:
    state.count += 1
    return .none
  case .decrement:
    state.count -= 1
    return .none
  case .playNext:
    state.count = 0
    state.secret = environment.generateRandom(-100...100)
    state.id = environment.uuid()
    return .none
  }
}

struct CounterView: View {
  let store: Store<Counter, CounterAction>
  var body: some View {
    WithViewStore(store) { viewStore in
      HStack {
        Button("-") { viewStore.send(.decrement) }
        Text("\(viewStore.count)")
        Button("+") { viewStore.send(.increment) }
        Button("Next") { viewStore.send(.playNext) }
      }
    }
  }
}

struct TimerState: Equatable {
  var started: Date?
  var duration: TimeInterval = 0
}

enum TimerAction: Equatable {
  case start
  case stop
  case timeUpdated
}

struct TimerEnvironment {
  var date: () -> Date
  var mainQueue: AnySchedulerOf<DispatchQueue>
}

let timerReducer = Reducer<TimerState, TimerAction, TimerEnvironment> {
  state,
  action,
  environment in
  struct TimerId: Hashable {}
  switch action {
  case .start:
    if state.started == nil {
      state.started = environment.date()
    }
    return Effect.timer(
      id: TimerId(),
      every: .milliseconds(10),
      tolerance: .zero,
      on: environment.mainQueue,
    ).map { _ in TimerAction.timeUpdated }
  case .timeUpdated:
    state.duration += 0.01
    return .none
  case .stop:
    return .cancel(id: TimerId())
  }
}
