public import CustomDump

/// A confirmation dialog that a state describes: a list of answers to choose from.
///
/// ```swift
/// state.dialog = ConfirmationDialogState {
///   TextState("Save changes?")
/// } actions: {
///   ButtonState(action: .save) { TextState("Save") }
///   ButtonState(role: .destructive, action: .discard) { TextState("Discard") }
///   ButtonState(role: .cancel) { TextState("Cancel") }
/// }
/// ```
///
/// It is a plain value like ``AlertState`` and becomes nil after any of its actions, too.
public struct ConfirmationDialogState<Action> {
  /// The question.
  public var title: TextState

  /// The additional text.
  public var message: TextState?

  /// The answers.
  public var buttons: [ButtonState<Action>]

  /// Whether the question is shown.
  public var titleVisibility: ConfirmationDialogStateTitleVisibility

  private var identity = EphemeralIdentity()

  private enum CodingKeys: CodingKey {
    case title
    case message
    case buttons
    case titleVisibility
  }

  /// Creates a dialog.
  ///
  /// - Parameters:
  ///   - titleVisibility: Whether the question is shown.
  ///   - title: The question.
  ///   - actions: The answers.
  ///   - message: The additional text.
  public init(
    titleVisibility: ConfirmationDialogStateTitleVisibility = .automatic,
    title: () -> TextState,
    @ButtonStateBuilder<Action> actions: () -> [ButtonState<Action>] = { [] },
    message: (() -> TextState)? = nil,
  ) {
    self.init(
      title: title(),
      titleVisibility: titleVisibility,
      message: message?(),
      buttons: actions(),
    )
  }

  /// Creates a dialog from its parts.
  ///
  /// - Parameters:
  ///   - title: The question.
  ///   - titleVisibility: Whether it is shown.
  ///   - message: The additional text.
  ///   - buttons: The answers.
  public init(
    title: TextState,
    titleVisibility: ConfirmationDialogStateTitleVisibility = .automatic,
    message: TextState? = nil,
    buttons: [ButtonState<Action>] = [],
  ) {
    self.title = title
    self.titleVisibility = titleVisibility
    self.message = message
    self.buttons = buttons
  }

  /// The same dialog with other actions.
  public func map<NewAction>(
    _ transform: (Action?) -> NewAction?
  ) -> ConfirmationDialogState<NewAction> {
    ConfirmationDialogState<NewAction>(
      title: title,
      titleVisibility: titleVisibility,
      message: message,
      buttons: buttons.map { $0.map(transform) },
    )
  }
}

/// Whether a confirmation dialog shows its title.
public enum ConfirmationDialogStateTitleVisibility: Hashable, Sendable, Codable {
  /// Platform default.
  case automatic
  /// Never shown.
  case hidden
  /// Always shown.
  case visible
}

extension ConfirmationDialogState {
  /// A button of a dialog.
  public typealias Button = ButtonState<Action>
}

extension ConfirmationDialogState: _EphemeralState {}

extension ConfirmationDialogState: Identifiable {
  /// Distinguishes a dialog from its replacement, even if their texts are the same.
  ///
  /// It is not part of the value: `==` does not compare it, and it has no wire form.
  public var id: _EphemeralStateID { identity.id }
}

extension ConfirmationDialogState: Equatable where Action: Equatable {}
extension ConfirmationDialogState: Hashable where Action: Hashable {}
extension ConfirmationDialogState: Sendable where Action: Sendable {}
extension ConfirmationDialogState: Decodable where Action: Decodable {}
extension ConfirmationDialogState: Encodable where Action: Encodable {}

extension ConfirmationDialogState: CustomDumpReflectable {
  /// The title, and the other parts if present.
  public var customDumpMirror: Mirror {
    var children: [(label: String?, value: Any)] = []
    if titleVisibility != .automatic { children.append(("titleVisibility", titleVisibility)) }
    children.append(("title", title))
    if !buttons.isEmpty { children.append(("actions", buttons)) }
    if let message { children.append(("message", message)) }
    return Mirror(self, children: children, displayStyle: .struct)
  }
}
