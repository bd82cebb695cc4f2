public import CustomDump

/// An alert that a state describes: its question, and the actions that its buttons send.
///
/// ```swift
/// state.alert = AlertState {
///   TextState("Delete this item?")
/// } actions: {
///   ButtonState(role: .destructive, action: .confirmDeletion) { TextState("Delete") }
///   ButtonState(role: .cancel) { TextState("Keep") }
/// } message: {
///   TextState("This cannot be undone.")
/// }
/// ```
///
/// It is a plain value: a test compares it, and a client in a terminal shows it and sends the
/// chosen button's action. Presented with `ifLet`, it becomes nil after any of its actions.
public struct AlertState<Action> {
  /// The question.
  public var title: TextState

  /// The additional text.
  public var message: TextState?

  /// The answers.
  public var buttons: [ButtonState<Action>]

  private var identity = EphemeralIdentity()

  private enum CodingKeys: CodingKey {
    case title
    case message
    case buttons
  }

  /// Creates an alert.
  ///
  /// - Parameters:
  ///   - title: The question.
  ///   - actions: The answers; an empty list leads to one button that closes the alert.
  ///   - message: The additional text.
  public init(
    title: () -> TextState,
    @ButtonStateBuilder<Action> actions: () -> [ButtonState<Action>] = { [] },
    message: (() -> TextState)? = nil,
  ) {
    self.init(title: title(), message: message?(), buttons: actions())
  }

  /// Creates an alert from its parts.
  ///
  /// - Parameters:
  ///   - title: The question.
  ///   - message: The additional text.
  ///   - buttons: The answers.
  public init(title: TextState, message: TextState? = nil, buttons: [ButtonState<Action>]) {
    self.title = title
    self.message = message
    self.buttons = buttons
  }

  /// The same alert with other actions.
  public func map<NewAction>(
    _ transform: (Action?) -> NewAction?
  ) -> AlertState<NewAction> {
    AlertState<NewAction>(
      title: title,
      message: message,
      buttons: buttons.map { $0.map(transform) },
    )
  }
}

extension AlertState {
  /// A button of an alert.
  public typealias Button = ButtonState<Action>

  /// Creates an alert with one button, or with the default one.
  ///
  /// - Parameters:
  ///   - title: The statement.
  ///   - message: The additional text.
  ///   - dismissButton: The button.
  public init(title: TextState, message: TextState? = nil, dismissButton: Button? = nil) {
    self.init(title: title, message: message, buttons: dismissButton.map { [$0] } ?? [])
  }

  /// Creates an alert with two buttons.
  ///
  /// - Parameters:
  ///   - title: The question.
  ///   - message: The additional text.
  ///   - primaryButton: The first answer.
  ///   - secondaryButton: The second answer.
  public init(
    title: TextState,
    message: TextState? = nil,
    primaryButton: Button,
    secondaryButton: Button,
  ) {
    self.init(title: title, message: message, buttons: [primaryButton, secondaryButton])
  }
}

extension AlertState: _EphemeralState {}

extension AlertState: Identifiable {
  /// Distinguishes an alert from its replacement, even if their texts are the same.
  ///
  /// It is not part of the value: `==` does not compare it, and it has no wire form.
  public var id: _EphemeralStateID { identity.id }
}

extension AlertState: Equatable where Action: Equatable {}
extension AlertState: Hashable where Action: Hashable {}
extension AlertState: Sendable where Action: Sendable {}
extension AlertState: Decodable where Action: Decodable {}
extension AlertState: Encodable where Action: Encodable {}

extension AlertState: CustomDumpReflectable {
  /// The title, and the actions and the message if present.
  public var customDumpMirror: Mirror {
    var children: [(label: String?, value: Any)] = [("title", title)]
    if !buttons.isEmpty { children.append(("actions", buttons)) }
    if let message { children.append(("message", message)) }
    return Mirror(self, children: children, displayStyle: .struct)
  }
}
