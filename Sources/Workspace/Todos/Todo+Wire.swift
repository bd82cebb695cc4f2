package import StoreActor
package import StoreState

extension Todo.State: ReplicatedRecord {
  package init() { self.init(id: UUID(0)) }

  package static let layout = RecordLayout<Self>(
    "Todo",
    [
      .field("id", \.id),
      .field("title", \.title),
      .field("isCompleted", \.isCompleted),
    ],
  )
}

extension Todo.Action: WireChoiceAction {
  package static let layout = ActionLayout<Self>(
    "Todo.Action",
    [
      .case("titleChanged", "title", embed: Self.titleChanged(title:)) {
        if case .titleChanged(let title) = $0 { title } else { nil }
      },
      .case("toggleButtonTapped", .toggleButtonTapped),
    ],
  )
}

extension Todo.Action: CasePathable {
  package struct AllCasePaths: Sendable {
    package var titleChanged: AnyCasePath<Todo.Action, String> {
      AnyCasePath(
        embed: { .titleChanged(title: $0) },
        extract: { if case .titleChanged(let title) = $0 { title } else { nil } },
      )
    }

    package var toggleButtonTapped: AnyCasePath<Todo.Action, Void> {
      AnyCasePath(
        embed: { .toggleButtonTapped },
        extract: { if case .toggleButtonTapped = $0 { () } else { nil } },
      )
    }
  }

  package static var allCasePaths: AllCasePaths { AllCasePaths() }
}
