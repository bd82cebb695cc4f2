import StoreActor
import StoreState

extension Kettle.State: ReplicatedRecord {
  static let layout = RecordLayout<Self>(
    "Kettle",
    [
      .field("temperature", \.temperature), .field("isOn", \.isOn), .field("label", \.label),
    ],
  )
}

extension Kettle.Action: WireChoiceAction {
  static let layout = ActionLayout<Self>(
    "Kettle.Action",
    [
      .case("switchTapped", .switchTapped),
      .case("labelChanged", "label", embed: Self.labelChanged) {
        if case .labelChanged(let label) = $0 { label } else { nil }
      },
      .case("measureButtonTapped", .measureButtonTapped),
      .case("twiceButtonTapped", .twiceButtonTapped),
    ],
  )
}

extension Kettle.Action: CasePathable {
  struct AllCasePaths: Sendable {
    var switchTapped: AnyCasePath<Kettle.Action, Void> {
      AnyCasePath(
        embed: { .switchTapped },
        extract: { if case .switchTapped = $0 { () } else { nil } },
      )
    }
    var labelChanged: AnyCasePath<Kettle.Action, String> {
      AnyCasePath(embed: Kettle.Action.labelChanged) {
        if case .labelChanged(let label) = $0 { label } else { nil }
      }
    }
    var ticked: AnyCasePath<Kettle.Action, Void> {
      AnyCasePath(
        embed: { .ticked },
        extract: { if case .ticked = $0 { () } else { nil } },
      )
    }
    var measured: AnyCasePath<Kettle.Action, Int> {
      AnyCasePath(embed: Kettle.Action.measured) {
        if case .measured(let temperature) = $0 { temperature } else { nil }
      }
    }
  }
  static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension Kitchen.Action: CasePathable {
  struct AllCasePaths: Sendable {
    var kettle: AnyCasePath<Kitchen.Action, Kettle.Action> {
      AnyCasePath(embed: Kitchen.Action.kettle) {
        if case .kettle(let action) = $0 { action } else { nil }
      }
    }
    var spare: AnyCasePath<Kitchen.Action, Kettle.Action> {
      AnyCasePath(embed: Kitchen.Action.spare) {
        if case .spare(let action) = $0 { action } else { nil }
      }
    }
  }
  static var allCasePaths: AllCasePaths { AllCasePaths() }
}
