package import StoreActor

/// The root of the daemon that ships: all features side by side.
@Reducer
package struct WorkspaceFeature {
  @ObservableState
  package struct State: DurableState, Equatable, Sendable {
    package var counter: Counter.State
    package var game: Game.State
    package var presence: Presence.State
    package var todos: Todos.State

    package init(
      counter: Counter.State = Counter.State(),
      game: Game.State = Game.State(counter: GuessCounter.State(id: UUID(0), secret: 0)),
      presence: Presence.State = Presence.State(),
      todos: Todos.State = Todos.State(),
    ) {
      self.counter = counter
      self.game = game
      self.presence = presence
      self.todos = todos
    }
  }

  package enum Action: DurableAction, Equatable, Sendable {
    case counter(Counter.Action)
    case game(Game.Action)
    case presence(Presence.Action)
    case todos(Todos.Action)
  }

  package init() {}

  package var body: some ReducerOf<Self> {
    Scope(\.counter, action: \.counter) {
      Counter()
    }
    Scope(\.game, action: \.game) {
      Game()
    }
    Scope(\.presence, action: \.presence) {
      Presence()
    }
    Scope(\.todos, action: \.todos) {
      Todos()
    }
  }
}
