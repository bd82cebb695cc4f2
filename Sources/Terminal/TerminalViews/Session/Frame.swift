/// One drawing of a view: its cells, and the responders for keys and the mouse.
@MainActor
final class Frame {
  /// A view that takes input.
  struct Responder {
    /// The identity, which is the same in each drawing.
    var path: ViewPath
    /// The area that takes the mouse.
    var area: Rect
    /// The origin of the responder's own coordinates.
    var origin: Point
    var isFocusable: Bool
    var onKey: @MainActor (Key) -> Bool
    /// Takes typed or pasted text; nil to receive characters as keys.
    var onText: (@MainActor (String) -> Void)?
    /// Takes mouse events, in the responder's own coordinates; nil to ignore the mouse.
    var onMouse: (@MainActor (MouseEvent) -> Bool)?
  }

  /// A view whose focus is bound to a value of the program.
  struct Focus {
    /// The identity of the focusable view.
    var path: ViewPath
    /// The program's value while the view has the focus.
    var field: AnyHashable
    /// Reads the program's value.
    var value: @MainActor () -> AnyHashable
    var setWanted: @MainActor (Bool) -> Void

    /// Whether the program requests the focus for the view.
    @MainActor var isWanted: Bool { value() == field }
  }

  /// A button with a title, for ``Screen/tap(_:)``.
  struct Tappable {
    var title: String
    var action: @MainActor () -> Void
  }

  /// The action to perform when a view appears.
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
  /// The responders of the topmost layer.
  private(set) var responders: [Responder] = []
  /// The focusable responders of the topmost layer, in the order of drawing.
  private(set) var focusables: [ViewPath] = []
  var focusStates: [Focus] = []
  /// The overlay that takes input; empty if there is no overlay.
  private(set) var layer: ViewPath = []
  /// The focusable views, by their layers.
  private(set) var order: [ViewPath: [ViewPath]] = [:]
  /// The view that has the focus.
  var focus: ViewPath?
  var tappables: [Tappable] = []
  private(set) var appearances: [Appearance] = []
  private(set) var overlays: [Overlay] = []
  /// The actions to perform when a sheet is gone.
  private(set) var dismissals: [ViewPath: @MainActor () -> Void] = [:]
  /// The rows of lists.
  var rows: [ViewPath: any KnownRows] = [:]
  /// The actions to perform when the drawing is displayed.
  var afterDisplay: [@MainActor (Frame) -> Void] = []
  /// Whether the drawing has changed a value that it may have drawn before.
  ///
  /// Observation does not report changes of a value during the drawing that reads it.
  var isOutdated = false
  /// The number of registrations of each kind at each place.
  private var uses: [ViewPath: Int] = [:]
  /// Nil for a drawing that only shows the views' looks.
  let memory: ViewMemory?

  init(size: Size, memory: ViewMemory? = nil) {
    grid = Grid(size: size)
    self.memory = memory
  }

  var canvas: Canvas {
    let all = Rect(x: 0, y: 0, width: grid.size.width, height: grid.size.height)
    return Canvas(frame: self, rect: all, clip: all, style: .plain)
  }

  /// Returns the identity of an item that the current view registers.
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

  /// Removes and returns the next overlay to draw, in the order of registration.
  func takeOverlay() -> Overlay? { overlays.isEmpty ? nil : overlays.removeFirst() }

  /// Begins an overlay: further drawing covers all earlier views, and only the overlay takes input.
  func begin(_ overlay: Overlay) {
    order[layer] = focusables
    responders = []
    focusables = []
    focusStates = []
    cursor = nil
    layer = overlay.path
  }

  /// Notes the focusable views of the topmost layer.
  func end() { order[layer] = focusables }

  /// Gives the focus to a view because of the user's input.
  func moveFocus(to path: ViewPath) {
    guard let memory else { return }
    memory.focus[layer] = path
    let target = focusStates.first { $0.path == path }
    for focus in focusStates where focus.path != path && focus.isWanted {
      // A value that both views share is written once, below.
      if target?.value() != focus.field { focus.setWanted(false) }
    }
    if let target, !target.isWanted { target.setWanted(true) }
  }

  /// Gives the focus to the view for which the program requests it.
  ///
  /// - Returns: Whether another view was drawn with the focus.
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
