public import CustomDump

/// A button that a state describes: of an alert or of a confirmation dialog.
///
/// ```swift
/// ButtonState(role: .destructive, action: .confirmDeletion) {
///   TextState("Delete")
/// }
/// ```
public struct ButtonState<Action> {
  /// What the button does.
  public var action: ButtonStateAction<Action>

  /// What the button says.
  public var label: TextState

  /// What the button is for, where that matters to its look.
  public var role: ButtonStateRole?

  /// Creates a button.
  ///
  /// - Parameters:
  ///   - role: What the button is for.
  ///   - action: What it does: without an action it only closes what it stands in.
  ///   - label: What it says.
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
  ///   - role: What the button is for.
  ///   - action: The action.
  ///   - label: What it says.
  public init(
    role: ButtonStateRole? = nil,
    action: Action,
    label: () -> TextState,
  ) {
    self.init(role: role, action: .send(action), label: label)
  }

  /// Does what the button does, with a function that is given its action.
  public func withAction(_ perform: (Action?) -> Void) {
    perform(action.action)
  }

  /// The same button with another action.
  public func map<NewAction>(
    _ transform: (Action?) -> NewAction?
  ) -> ButtonState<NewAction> {
    ButtonState<NewAction>(role: role, action: action.map(transform)) { label }
  }
}

// Beside the one above, with the original's name; whether a call is awaited tells them apart.
extension ButtonState {
  /// Does what the button does, with an asynchronous function that is given its action.
  public func withAction(_ perform: (Action?) async -> Void) async {
    await perform(action.action)
  }
}

/// What a button does when it is pressed.
public struct ButtonStateAction<Action> {
  /// The action that it sends; nil when it only closes what it stands in.
  public let action: Action?

  /// Sends an action, or nothing.
  public static func send(_ action: Action?) -> Self {
    Self(action: action)
  }

  /// The same with another action.
  public func map<NewAction>(
    _ transform: (Action?) -> NewAction?
  ) -> ButtonStateAction<NewAction> {
    .send(transform(action))
  }
}

/// What a button is for.
public enum ButtonStateRole: Hashable, Sendable, Codable {
  /// Leaves everything as it is.
  case cancel
  /// Deletes something, or does something else that cannot be undone.
  case destructive
}

extension ButtonState {
  /// What the button does when it is pressed.
  public typealias ButtonAction = ButtonStateAction<Action>

  /// What the button does when it is pressed.
  public typealias Handler = ButtonStateAction<Action>

  /// What the button is for.
  public typealias Role = ButtonStateRole

  /// A button that leaves everything as it is.
  ///
  /// - Parameters:
  ///   - label: What it says.
  ///   - action: What it does beside closing.
  /// - Returns: The button.
  public static func cancel(_ label: TextState, action: ButtonAction = .send(nil)) -> Self {
    Self(role: .cancel, action: action) { label }
  }

  /// A button that says "Cancel".
  public static func cancel(action: ButtonAction = .send(nil)) -> Self {
    .cancel(TextState("Cancel"), action: action)
  }

  /// A button without a special role.
  ///
  /// - Parameters:
  ///   - label: What it says.
  ///   - action: What it does beside closing.
  /// - Returns: The button.
  public static func `default`(_ label: TextState, action: ButtonAction = .send(nil)) -> Self {
    Self(action: action) { label }
  }

  /// A button that does something that cannot be undone.
  ///
  /// - Parameters:
  ///   - label: What it says.
  ///   - action: What it does beside closing.
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
  /// The role, the action and the label, as far as there are any.
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
