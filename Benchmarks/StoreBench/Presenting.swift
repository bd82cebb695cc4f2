import StoreActor

// Three variants of one presentation: of a struct, of an enum with macros, and of an enum without
// them, whose case and payload the library determines itself.

@Reducer
struct StructPresenting {
  struct State: Equatable, Sendable {
    @PresentationState var destination: Leaf.State? = Leaf.State()
  }

  enum Action: Sendable { case destination(PresentationAction<Leaf.Action>) }

  var body: some ReducerOf<Self> {
    EmptyReducer().ifLet(\.$destination, action: \.destination) { Leaf() }
  }
}

@Reducer
struct MacroPresenting {
  @Reducer(state: .equatable, .sendable, action: .sendable)
  enum Destination {
    case counter(Counter)
    case other(Counter)
  }

  @Reducer
  struct Counter {
    @ObservableState
    struct State: Equatable, Sendable { var count = 0 }

    typealias Action = Leaf.Action

    var body: some ReducerOf<Self> {
      Reduce { state, _ in
        state.count += 1
        return .none
      }
    }
  }

  @ObservableState
  struct State: Equatable, Sendable {
    @Presents var destination: Destination.State? = .counter(Counter.State())
  }

  enum Action: Sendable { case destination(PresentationAction<Destination.Action>) }

  var body: some ReducerOf<Self> {
    EmptyReducer().ifLet(\.$destination, action: \.destination)
  }
}

@Reducer
struct PlainPresenting {
  enum Destination: Equatable, Sendable {
    case counter(Leaf.State)
    case other(Leaf.State)
  }

  struct State: Equatable, Sendable {
    @PresentationState var destination: Destination? = .counter(Leaf.State())
  }

  enum Action: Sendable { case destination(PresentationAction<Leaf.Action>) }

  var body: some ReducerOf<Self> {
    EmptyReducer().ifLet(\.$destination, action: \.destination) {
      Reduce { state, _ in
        if case .counter(var leaf) = state {
          leaf.count += 1
          state = .counter(leaf)
        }
        return .none
      }
    }
  }
}
