/// One drawing of a view: its cells, and who wants to know of keys and the mouse.
@MainActor
final class Frame {
  /// Somebody who takes input.
  struct Responder {
    /// Which one it is, in each drawing.
    var path: ViewPath
    /// Where it is, for the mouse.
    var area: Rect
    /// Where the places of its own begin.
    var origin: Point
    var isFocusable: Bool
    var onKey: @MainActor (Key) -> Bool
    /// Takes what is typed or pasted as text; nil where characters are keys.
    var onText: (@MainActor (String) -> Void)?
    /// Takes what is done with the mouse, at places of its own; nil where that is not for it.
    var onMouse: (@MainActor (MouseEvent) -> Bool)?
  }

  /// A view whose focus is a value of the program's as well.
  struct Focus {
    /// Which of those that can have the focus it is.
    var path: ViewPath
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

  /// Something that is done when a view appears.
  struct Appearance {
    var path: ViewPath
    var action: @MainActor () -> Void
  }

  /// A view that lies over the others.
  struct Overlay {
    var path: ViewPath
    var view: any View
  }

  var grid: Grid
  var cursor: Point?
  /// Those in front of everything that takes input now.
  private(set) var responders: [Responder] = []
  /// Which of them can have the focus, in the order of drawing.
  private(set) var focusables: [ViewPath] = []
  var focusStates: [Focus] = []
  /// The overlay that takes input; empty where none lies over the views.
  private(set) var layer: ViewPath = []
  /// The views that can have the focus, by their layers.
  private(set) var order: [ViewPath: [ViewPath]] = [:]
  /// The view that has the focus.
  var focus: ViewPath?
  var tappables: [Tappable] = []
  private(set) var appearances: [Appearance] = []
  private(set) var overlays: [Overlay] = []
  /// What is done when a sheet has gone.
  private(set) var dismissals: [ViewPath: @MainActor () -> Void] = [:]
  /// The rows of lists.
  var rows: [ViewPath: any KnownRows] = [:]
  /// What is done when the drawing is displayed.
  var afterDisplay: [@MainActor (Frame) -> Void] = []
  /// Whether the drawing has changed what may have been drawn before.
  ///
  /// Nobody is told of changes of observed values during the drawing that reads them.
  var isOutdated = false
  /// How often views have registered the same at the same place.
  private var uses: [ViewPath: Int] = [:]
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

  /// The identity of what the view that is drawn now registers.
  func path(of use: ViewUse) -> ViewPath {
    let path = memory?.path ?? []
    let number = uses[path + [.use(use, 0)], default: 0]
    uses[path + [.use(use, 0)]] = number + 1
    return path + [.use(use, number)]
  }

  func addAppearance(_ action: @escaping @MainActor () -> Void) {
    appearances.append(Appearance(path: path(of: .appearance), action: action))
  }

  func addDismissal(of sheet: some Hashable, _ action: (@MainActor () -> Void)?) {
    let path = path(of: .dismissal)
    let id = ViewComponent.id(sheet)
    dismissals[path + [memory?.resolved(id, at: path) ?? id]] = action
  }

  func addOverlay(_ view: any View) {
    overlays.append(Overlay(path: path(of: .overlay), view: view))
  }

  /// Draws what lies over the views, and over each other.
  func takeOverlay() -> Overlay? { overlays.isEmpty ? nil : overlays.removeFirst() }

  /// From here on what is drawn lies over everything else, and alone takes input.
  func begin(_ overlay: Overlay) {
    order[layer] = focusables
    responders = []
    focusables = []
    focusStates = []
    cursor = nil
    layer = overlay.path
  }

  /// Notes which views can have the focus in the layer that is drawn last.
  func end() { order[layer] = focusables }

  /// Gives the focus to a view because of what was typed or pressed.
  func moveFocus(to path: ViewPath) {
    guard let memory else { return }
    memory.focus[layer] = path
    let target = focusStates.first { $0.path == path }
    for focus in focusStates where focus.path != path && focus.isWanted {
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
      let wanted = focusStates.first(where: { $0.isWanted })?.path,
      wanted != memory.focus[layer]
    else { return false }
    memory.focus[layer] = wanted
    return true
  }

  /// - Returns: Whether it has the focus.
  func add(
    _ area: Rect,
    origin: Point,
    isFocusable: Bool,
    onKey: @escaping @MainActor (Key) -> Bool,
    onText: (@MainActor (String) -> Void)? = nil,
    onMouse: (@MainActor (MouseEvent) -> Bool)?,
  ) -> Bool {
    let path = path(of: isFocusable ? .focus : onMouse == nil ? .keys : .mouse)
    let responder = Responder(
      path: path,
      area: area,
      origin: origin,
      isFocusable: isFocusable,
      onKey: onKey,
      onText: onText,
      onMouse: onMouse,
    )
    responders.append(responder)
    guard isFocusable else { return false }
    focusables.append(path)
    guard let memory else { return false }
    if memory.focus[layer] == nil { memory.focus[layer] = path }
    return memory.focus[layer] == path
  }
}
