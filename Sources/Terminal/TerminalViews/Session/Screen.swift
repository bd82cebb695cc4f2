/// A single drawing of a view, for tests: its lines and the actions of its buttons.
///
/// ```swift
/// let screen = Screen(of: CounterView(store: store))
/// screen.lines  // ["[−] 0 [+]"]
/// screen.tap("+")
/// ```
///
/// The view has unlimited room. Overlays are drawn below it.
@MainActor
public struct Screen {
  private let frame: Frame

  /// Draws a view once.
  public init(of view: some View) {
    let size = view.measured(in: .unlimited)
    frame = Frame(size: size)
    view.drawn(in: frame.canvas)
    while let overlay = frame.takeOverlay() { add(overlay.view) }
  }

  private func add(_ overlay: any View) {
    let size = overlay.measured(in: .unlimited)
    let above = frame.grid.size
    frame.grid.grow(
      to: Size(width: max(above.width, size.width), height: above.height + size.height)
    )
    overlay.drawn(in: frame.canvas.part(y: above.height))
  }

  /// The cells.
  public var grid: Grid { frame.grid }

  /// The lines, from the top.
  public var lines: [String] { frame.grid.lines }

  /// The lines as one text.
  public var text: String { lines.joined(separator: "\n") }

  /// Performs the action of the first button with a title.
  ///
  /// - Returns: Whether there is such a button.
  @discardableResult
  public func tap(_ title: String) -> Bool {
    guard let button = frame.tappables.first(where: { $0.title == title }) else { return false }
    button.action()
    return true
  }

  /// Performs the `onAppear` actions of the views.
  public func appear() {
    for appearance in frame.appearances { appearance.action() }
  }
}
