package import StoreActor

/// One thing to do: a row of ``Todos``.
@Reducer
package struct Todo {
  @ObservableState
  package struct State: Equatable, Identifiable, ReplicatedState, Sendable {
    package var id: UUID
    package var title: String
    package var isCompleted: Bool

    package init(id: UUID, title: String = "", isCompleted: Bool = false) {
      self.id = id
      self.title = title
      self.isCompleted = isCompleted
    }
  }

  package enum Action: Equatable, Sendable, WireAction {
    case titleChanged(title: String)
    case toggleButtonTapped
  }

  package init() {}

  package var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .titleChanged(let title):
        state.title = title
        return .none

      case .toggleButtonTapped:
        state.isCompleted.toggle()
        return .none
      }
    }
  }
}
