package import StoreActor
package import StoreState

extension Counter.State: ReplicatedRecord {
  package init() { self.init(count: 0) }

  package static let layout = RecordLayout<Self>(
    "Counter",
    [
      .field("count", \.count),
      .field("numberFactAlert", \.numberFactAlert),
    ],
  )
}

extension Counter.Action: WireChoiceAction {
  package static let layout = ActionLayout<Self>(
    "Counter.Action",
    [
      .case("decrementButtonTapped", .decrementButtonTapped),
      .case("factAlertDismissed", .factAlertDismissed),
      .case("incrementButtonTapped", .incrementButtonTapped),
      .case("numberFactButtonTapped", .numberFactButtonTapped),
    ],
  )
}

extension Counter.Action: CasePathable {
  package struct AllCasePaths: Sendable {
    package var numberFactResponse: AnyCasePath<Counter.Action, Result<String, NumberFactError>> {
      AnyCasePath(
        embed: { .numberFactResponse($0) },
        extract: { if case .numberFactResponse(let result) = $0 { result } else { nil } },
      )
    }
  }

  package static var allCasePaths: AllCasePaths { AllCasePaths() }
}
