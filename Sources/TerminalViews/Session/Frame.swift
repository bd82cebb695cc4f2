/// One drawing of a view: its cells, and who wants to know of keys and the mouse.
@MainActor
final class Frame {
  /// Somebody who takes input.
  struct Responder {
    /// Where it is, for the mouse.
    var area: Rect
    /// Which of those it is that can have the focus; nil where it cannot.
    var focus: Int?
    var onKey: @MainActor (Key) -> Bool
    /// Takes what is typed or pasted as text; nil where characters are keys.
    var onText: (@MainActor (String) -> Void)?
    var onMouse: @MainActor (MouseEvent) -> Bool
  }

  /// A view whose focus is a value of the program's as well.
  struct Focus {
    /// Which of those that can have the focus it is.
    var place: Int
    /// What the program's value is while it has the focus.
    var field: AnyHashable
    /// The program's value.
    var value: @MainActor () -> AnyHashable
    var setWanted: @MainActor (Bool) -> Void

    /// Whether the program wants it to have the focus.
    @MainActor var isWanted: Bool { value() == field }
  }

  /// Something to tap.
  struct Tappable {
    var title: String
    var action: @MainActor () -> Void
  }

  var grid: Grid
  var cursor: Point?
  /// Those in front of everything that takes input now.
  private(set) var responders: [Responder] = []
  private(set) var focusables = 0
  var focusStates: [Focus] = []
  /// How many overlays lie over each other.
  private(set) var depth = 0
  var tappables: [Tappable] = []
  var appearances: [@MainActor () -> Void] = []
  var overlays: [any View] = []
  /// What is done when a sheet has gone, by its item.
  var dismissals: [[AnyHashable]: @MainActor () -> Void] = [:]
  /// Nil while nothing is drawn but for its looks.
  let memory: ViewMemory?

  init(size: Size, memory: ViewMemory? = nil) {
    grid = Grid(size: size)
    self.memory = memory
  }

  var canvas: Canvas {
    let all = Rect(x: 0, y: 0, width: grid.size.width, height: grid.size.height)
    return Canvas(frame: self, rect: all, clip: all, style: .plain)
  }

  /// From here on what is drawn lies over everything else, and alone takes input.
  func beginOverlay() {
    responders = []
    focusables = 0
    focusStates = []
    cursor = nil
    depth += 1
  }

  /// Gives the focus to a view because of what was typed or pressed.
  func moveFocus(to place: Int) {
    guard let memory else { return }
    memory.focus[depth] = place
    let target = focusStates.first { $0.place == place }
    for focus in focusStates where focus.place != place && focus.isWanted {
      // A value of which both are is written once, below.
      if target?.value() != focus.field { focus.setWanted(false) }
    }
    if let target, !target.isWanted { target.setWanted(true) }
  }

  /// Gives the focus to the view that the program wants to have it.
  ///
  /// - Returns: Whether another view was drawn as the one that has it.
  func followFocus() -> Bool {
    guard
      let memory,
      let wanted = focusStates.first(where: { $0.isWanted })?.place,
      wanted != memory.focus[depth, default: 0]
    else { return false }
    memory.focus[depth] = wanted
    return true
  }

  /// - Returns: Whether it has the focus.
  func add(
    _ area: Rect,
    isFocusable: Bool,
    onKey: @escaping @MainActor (Key) -> Bool,
    onText: (@MainActor (String) -> Void)? = nil,
    onMouse: @escaping @MainActor (MouseEvent) -> Bool,
  ) -> Bool {
    let focus = isFocusable ? focusables : nil
    if isFocusable { focusables += 1 }
    responders.append(
      Responder(area: area, focus: focus, onKey: onKey, onText: onText, onMouse: onMouse)
    )
    return focus != nil && focus == memory?.focus[depth, default: 0]
  }
}

/// What a session remembers of its views from one drawing to the next.
@MainActor
final class ViewMemory {
  /// Which of those that can have the focus has it, by the number of overlays.
  var focus: [Int: Int] = [:]
  /// Bytes of UTF-8 before cursors, by what they are in.
  var cursors: [String: Int] = [:]
  /// How many of those who want to know that they appear were told.
  var appeared = 0
  /// What is done when a sheet of the last drawing has gone, by its item.
  var dismissals: [[AnyHashable]: @MainActor () -> Void] = [:]
}
