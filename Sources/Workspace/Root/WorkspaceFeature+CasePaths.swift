package import StoreActor

extension WorkspaceFeature.Action: CasePathable {
  package struct AllCasePaths: Sendable {
    package var counter: AnyCasePath<WorkspaceFeature.Action, Counter.Action> {
      AnyCasePath(
        embed: { .counter($0) },
        extract: { if case .counter(let action) = $0 { action } else { nil } },
      )
    }

    package var presence: AnyCasePath<WorkspaceFeature.Action, Presence.Action> {
      AnyCasePath(
        embed: { .presence($0) },
        extract: { if case .presence(let action) = $0 { action } else { nil } },
      )
    }

    package var todos: AnyCasePath<WorkspaceFeature.Action, Todos.Action> {
      AnyCasePath(
        embed: { .todos($0) },
        extract: { if case .todos(let action) = $0 { action } else { nil } },
      )
    }
  }

  package static var allCasePaths: AllCasePaths { AllCasePaths() }
}
