public import CustomDump

/// A button that a state describes: of an alert or of a confirmation dialog.
///
/// ```swift
/// ButtonState(role: .destructive, action: .confirmDeletion) {
///   TextState("Delete")
/// }
/// ```
public struct ButtonState<Action> {
  /// The action of the button.
  public var action: ButtonStateAction<Action>

  /// The text of the button.
  public var label: TextState

  /// The purpose of the button, if it affects its look.
  public var role: ButtonStateRole?

  /// Creates a button.
  ///
  /// - Parameters:
  ///   - role: The purpose of the button.
  ///   - action: Its action; a button without an action only closes its alert or dialog.
  ///   - label: Its text.
  public init(
    role: ButtonStateRole? = nil,
    action: ButtonStateAction<Action> = .send(nil),
    label: () -> TextState,
  ) {
    self.role = role
    self.action = action
    self.label = label()
  }

  /// Creates a button that sends an action.
  ///
  /// - Parameters:
  ///   - role: The purpose of the button.
  ///   - action: The action.
  ///   - label: Its text.
  public init(
    role: ButtonStateRole? = nil,
    action: Action,
    label: () -> TextState,
  ) {
    self.init(role: role, action: .send(action), label: label)
  }

  /// Performs the button's action with a function that receives it.
  public func withAction(_ perform: (Action?) -> Void) {
    perform(action.action)
  }

  /// Transforms the action of the button.
  public func map<NewAction>(
    _ transform: (Action?) -> NewAction?
  ) -> ButtonState<NewAction> {
    ButtonState<NewAction>(role: role, action: action.map(transform)) { label }
  }
}

// An overload of the one above, with the original's name; `await` selects it.
extension ButtonState {
  /// Performs the button's action with an asynchronous function that receives it.
  public func withAction(_ perform: (Action?) async -> Void) async {
    await perform(action.action)
  }
}

/// The effect of a button that is pressed.
public struct ButtonStateAction<Action> {
  /// The action that it sends; nil if it only closes its alert or dialog.
  public let action: Action?

  /// Sends an action; nil for no action.
  public static func send(_ action: Action?) -> Self {
    Self(action: action)
  }

  /// Transforms the action.
  public func map<NewAction>(
    _ transform: (Action?) -> NewAction?
  ) -> ButtonStateAction<NewAction> {
    .send(transform(action))
  }
}

/// The purpose of a button.
public enum ButtonStateRole: Hashable, Sendable, Codable {
  /// Keeps everything unchanged.
  case cancel
  /// Deletes data, or has another effect that cannot be undone.
  case destructive
}

extension ButtonState {
  /// The effect of the button when it is pressed.
  public typealias ButtonAction = ButtonStateAction<Action>

  /// The effect of the button when it is pressed.
  public typealias Handler = ButtonStateAction<Action>

  /// The purpose of the button.
  public typealias Role = ButtonStateRole

  /// A button that keeps everything unchanged.
  ///
  /// - Parameters:
  ///   - label: Its text.
  ///   - action: Its action in addition to closing.
  /// - Returns: The button.
  public static func cancel(_ label: TextState, action: ButtonAction = .send(nil)) -> Self {
    Self(role: .cancel, action: action) { label }
  }

  /// A button with the text "Cancel".
  public static func cancel(action: ButtonAction = .send(nil)) -> Self {
    .cancel(TextState("Cancel"), action: action)
  }

  /// A button without a special role.
  ///
  /// - Parameters:
  ///   - label: Its text.
  ///   - action: Its action in addition to closing.
  /// - Returns: The button.
  public static func `default`(_ label: TextState, action: ButtonAction = .send(nil)) -> Self {
    Self(action: action) { label }
  }

  /// A button with an effect that cannot be undone.
  ///
  /// - Parameters:
  ///   - label: Its text.
  ///   - action: Its action in addition to closing.
  /// - Returns: The button.
  public static func destructive(_ label: TextState, action: ButtonAction = .send(nil)) -> Self {
    Self(role: .destructive, action: action) { label }
  }
}

extension ButtonState: Equatable where Action: Equatable {}
extension ButtonState: Hashable where Action: Hashable {}
extension ButtonState: Sendable where Action: Sendable {}
extension ButtonState: Decodable where Action: Decodable {}
extension ButtonState: Encodable where Action: Encodable {}

extension ButtonStateAction: Equatable where Action: Equatable {}
extension ButtonStateAction: Hashable where Action: Hashable {}
extension ButtonStateAction: Sendable where Action: Sendable {}
extension ButtonStateAction: Decodable where Action: Decodable {}
extension ButtonStateAction: Encodable where Action: Encodable {}

extension ButtonState: CustomDumpReflectable {
  /// The role, the action and the label, if present.
  public var customDumpMirror: Mirror {
    var children: [(label: String?, value: Any)] = []
    if let role { children.append(("role", role)) }
    if action.action != nil { children.append(("action", action)) }
    children.append(("label", label))
    return Mirror(self, children: children, displayStyle: .struct)
  }
}

extension ButtonStateAction: CustomDumpReflectable {
  /// `.send(…)`.
  public var customDumpMirror: Mirror {
    Mirror(self, children: ["send": action as Any], displayStyle: .enum)
  }
}
