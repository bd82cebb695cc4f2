/// An event from a terminal's user.
public enum InputEvent: Hashable, Sendable {
  /// A key was pressed.
  case key(Key)
  /// The mouse was used.
  case mouse(MouseEvent)
  /// A text was pasted. Only fields take it; it never acts as keys.
  case paste(String)
  /// The terminal's size has changed, or the terminal must be redrawn.
  case resize(Size)

  var isResize: Bool { if case .resize = self { true } else { false } }

  /// The typed character; nil for other events.
  var character: Character? {
    if case .key(.character(let character)) = self { character } else { nil }
  }
}

/// A key, as far as terminals distinguish keys.
public enum Key: Hashable, Sendable {
  /// A character, including the space.
  case character(Character)
  /// A letter with the control key, in lower case.
  case control(Character)
  /// Enter or return.
  case enter
  /// The escape key.
  case escape
  /// The tabulator.
  case tab
  /// The tabulator with the shift key.
  case backTab
  /// The key that deletes the character before the cursor.
  case backspace
  /// The key that deletes the character at the cursor.
  case delete
  /// The arrow up.
  case up
  /// The arrow down.
  case down
  /// The arrow to the left.
  case left
  /// The arrow to the right.
  case right
  /// The key that moves to the beginning.
  case home
  /// The key that moves to the end.
  case end
  /// A page up.
  case pageUp
  /// A page down.
  case pageDown
}

extension Key: ExpressibleByExtendedGraphemeClusterLiteral {
  /// The key of a character.
  public init(extendedGraphemeClusterLiteral value: Character) { self = .character(value) }
}

/// An event of the mouse.
public struct MouseEvent: Hashable, Sendable {
  /// The kind of event.
  public enum Kind: Hashable, Sendable {
    /// The first button was pressed.
    case press
    /// The wheel was turned away from the user.
    case wheelUp
    /// The wheel was turned towards the user.
    case wheelDown
  }

  /// The kind of event.
  public var kind: Kind
  /// The place of the mouse.
  public var place: Point

  /// Creates an event.
  public init(_ kind: Kind, at place: Point) {
    self.kind = kind
    self.place = place
  }
}
