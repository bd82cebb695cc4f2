package import StoreActor

/// The root of the daemon that ships: all features side by side.
package struct WorkspaceFeature: Reducer {
  package struct State: Equatable, Sendable {
    package var counter: Counter.State
    package var presence: Presence.State
    package var todos: Todos.State

    package init(
      counter: Counter.State = Counter.State(),
      presence: Presence.State = Presence.State(),
      todos: Todos.State = Todos.State(),
    ) {
      self.counter = counter
      self.presence = presence
      self.todos = todos
    }
  }

  package enum Action: Equatable, Sendable {
    case counter(Counter.Action)
    case presence(Presence.Action)
    case todos(Todos.Action)
  }

  package init() {}

  package var body: some ReducerOf<Self> {
    Scope(\.counter, action: \.counter) {
      Counter()
    }
    Scope(\.presence, action: \.presence) {
      Presence()
    }
    Scope(\.todos, action: \.todos) {
      Todos()
    }
  }
}
