/// What a view looks like now: its lines, and what its buttons do.
///
/// ```swift
/// var screen = Screen(of: CounterView(store: store))
/// screen.lines  // ["[−] 0 [+]"]
/// screen.tap("+")
/// ```
@MainActor
public struct Screen {
  /// The lines, from the top.
  public private(set) var lines: [String] = []
  private var buttons: [(title: String, action: @MainActor () -> Void)] = []
  private var appearances: [@MainActor () -> Void] = []
  private var overlays: [@MainActor (inout Screen) -> Void] = []

  /// An empty screen.
  public init() {}

  /// Shows a view as it is now.
  public init(of view: some View) {
    view.renderTree(on: &self)
    let overlays = overlays
    self.overlays = []
    for overlay in overlays { overlay(&self) }
  }

  /// The lines as one text.
  public var text: String { lines.joined(separator: "\n") }

  /// The titles of the buttons, from the top.
  public var buttonTitles: [String] { buttons.map(\.title) }

  /// Does what the first button with a title does.
  ///
  /// - Returns: Whether there is such a button.
  @discardableResult
  public func tap(_ title: String) -> Bool {
    guard let button = buttons.first(where: { $0.title == title }) else { return false }
    button.action()
    return true
  }

  /// Does what the views do when they appear.
  public func appear() {
    for appearance in appearances { appearance() }
  }

  /// Writes a line.
  public mutating func write(_ line: String) {
    lines.append(line)
  }

  /// Writes a button.
  public mutating func write(button title: String, action: @escaping @MainActor () -> Void) {
    lines.append("[\(title)]")
    addButton(title, action: action)
  }

  /// Adds something to tap that has no line of its own.
  public mutating func addButton(_ title: String, action: @escaping @MainActor () -> Void) {
    buttons.append((title, action))
  }

  /// Adds something to be done when the views appear.
  public mutating func addAppearance(_ action: @escaping @MainActor () -> Void) {
    appearances.append(action)
  }

  /// Adds something that is written below everything else.
  public mutating func addOverlay(_ overlay: @escaping @MainActor (inout Screen) -> Void) {
    overlays.append(overlay)
  }

  /// Writes what a closure writes, with its lines changed by another one.
  public mutating func write(
    _ content: (inout Screen) -> Void,
    changing change: ([String]) -> [String],
  ) {
    let outer = lines
    lines = []
    content(&self)
    lines = outer + change(lines)
  }
}
