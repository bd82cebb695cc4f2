public import StoreState

/// The wire form of a visibility is its name.
extension ConfirmationDialogStateTitleVisibility: ReplicatedChoice {
  /// The three visibilities.
  public static let layout = ChoiceLayout<ConfirmationDialogStateTitleVisibility>(
    "ConfirmationDialogStateTitleVisibility",
    [.case("automatic", .automatic), .case("hidden", .hidden), .case("visible", .visible)],
  )
}

extension ConfirmationDialogState: WirePayload, WireValue, ReplicatedState, ReplicatedRecord
where Action: WirePayload {
  /// The title and its visibility, the message and the buttons.
  public static var layout: RecordLayout<Self> {
    GenericLayouts.layout {
      RecordLayout(
        "ConfirmationDialogState",
        [
          .field("title", \.title),
          .field("titleVisibility", \.titleVisibility),
          .field("message", \.message),
          .field("buttons", \.buttons),
        ],
      )
    }
  }

  /// Creates an empty dialog, to be filled in.
  public init() {
    self.init(title: TextState(""))
  }
}
