package import StoreActor
package import StoreState

extension Todos.State: ReplicatedRecord {
  package init() { self.init(items: []) }

  package static let layout = RecordLayout<Self>(
    "Todos",
    [
      .field("items", \.items),
      .field("filter", \.filter),
    ],
  )
}

extension Todos.Filter: ReplicatedState {}

extension Todos.Action: WireChoiceAction {
  package static let layout = ActionLayout<Self>(
    "Todos.Action",
    [
      .case("addButtonTapped", "title", embed: Self.addButtonTapped(title:)) {
        if case .addButtonTapped(let title) = $0 { title } else { nil }
      },
      .case("clearCompletedButtonTapped", .clearCompletedButtonTapped),
      .case("filterPicked", "filter", embed: Self.filterPicked(filter:)) {
        if case .filterPicked(let filter) = $0 { filter } else { nil }
      },
      .case("items", embed: Self.items) {
        if case .items(let action) = $0 { action } else { nil }
      },
      .case("moved", "id", "toOffset", embed: Self.moved(id:toOffset:)) {
        if case .moved(let id, let offset) = $0 { (id, offset) } else { nil }
      },
      .case("removed", "id", embed: Self.removed(id:)) {
        if case .removed(let id) = $0 { id } else { nil }
      },
    ],
  )
}

extension Todos.Action: CasePathable {
  package struct AllCasePaths: Sendable {
    package var items: AnyCasePath<Todos.Action, IdentifiedActionOf<Todo>> {
      AnyCasePath(
        embed: { .items($0) },
        extract: { if case .items(let action) = $0 { action } else { nil } },
      )
    }
  }

  package static var allCasePaths: AllCasePaths { AllCasePaths() }
}
