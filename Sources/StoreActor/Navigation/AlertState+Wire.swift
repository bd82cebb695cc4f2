public import StoreState

extension AlertState: WirePayload, WireValue, ReplicatedState, ReplicatedRecord
where Action: WirePayload {
  /// The title, the message and the buttons.
  public static var layout: RecordLayout<Self> {
    GenericLayouts.layout {
      RecordLayout(
        "AlertState",
        [.field("title", \.title), .field("message", \.message), .field("buttons", \.buttons)],
      )
    }
  }

  /// Creates an empty alert, to be filled in.
  public init() {
    self.init(title: TextState(""), buttons: [])
  }
}
