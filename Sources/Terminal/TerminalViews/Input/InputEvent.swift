/// Something that a terminal's user did.
public enum InputEvent: Hashable, Sendable {
  /// A key was pressed.
  case key(Key)
  /// The mouse was used.
  case mouse(MouseEvent)
  /// A text was pasted: it is for a field, and never keys.
  case paste(String)
  /// The terminal has another size, or has to be drawn afresh.
  case resize(Size)

  var isResize: Bool { if case .resize = self { true } else { false } }

  /// The character that was typed, where it was one.
  var character: Character? {
    if case .key(.character(let character)) = self { character } else { nil }
  }
}

/// A key, as far as terminals tell one from another.
public enum Key: Hashable, Sendable {
  /// A character, the space too.
  case character(Character)
  /// A letter with the control key, in lower case.
  case control(Character)
  /// Enter or return.
  case enter
  /// Escape.
  case escape
  /// The tabulator.
  case tab
  /// The tabulator with the shift key.
  case backTab
  /// The key that deletes what stands before the cursor.
  case backspace
  /// The key that deletes what stands at the cursor.
  case delete
  /// The arrow up.
  case up
  /// The arrow down.
  case down
  /// The arrow to the left.
  case left
  /// The arrow to the right.
  case right
  /// To the beginning.
  case home
  /// To the end.
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

/// Something done with the mouse.
public struct MouseEvent: Hashable, Sendable {
  /// What was done.
  public enum Kind: Hashable, Sendable {
    /// The first button was pressed.
    case press
    /// The wheel was turned away from the user.
    case wheelUp
    /// The wheel was turned towards the user.
    case wheelDown
  }

  /// What was done.
  public var kind: Kind
  /// Where.
  public var place: Point

  /// Creates an event.
  public init(_ kind: Kind, at place: Point) {
    self.kind = kind
    self.place = place
  }
}
