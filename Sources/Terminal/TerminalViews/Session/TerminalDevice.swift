/// Where a session shows cells and what it gets input from: a terminal, or memory.
@MainActor
public protocol TerminalDevice: AnyObject {
  /// The columns and rows that there are.
  var size: Size { get }

  /// Hands over input from now on: all that there is of it at once.
  func start(_ onInput: @escaping @MainActor ([InputEvent]) -> Void)

  /// Shows cells.
  ///
  /// - Parameters:
  ///   - grid: The cells, as many as there is room.
  ///   - cursor: Where the cursor is to be seen; nil for nowhere.
  func show(_ grid: Grid, cursor: Point?)

  /// Draws the user's attention, by a sound for example.
  func ring()

  /// Hands over no more input.
  func stop()
}

extension TerminalDevice {
  /// Does nothing.
  public func ring() {}
}

/// A terminal in memory, for tests of whole screens.
///
/// ```swift
/// let terminal = MemoryTerminal(width: 80, height: 24)
/// let session = TerminalSession(on: terminal) { CounterView(store: store) }
/// session.start()
/// terminal.press("+")
/// await session.idle()
/// terminal.lines
/// ```
@MainActor
public final class MemoryTerminal: TerminalDevice {
  /// The columns and rows that there are.
  public private(set) var size: Size
  /// What is shown.
  public private(set) var grid: Grid
  /// Where the cursor is to be seen.
  public private(set) var cursor: Point?
  /// How often something was shown.
  public private(set) var frames = 0
  /// How often the user's attention was drawn.
  public private(set) var rings = 0
  private var onInput: (@MainActor ([InputEvent]) -> Void)?

  /// Creates a terminal of so many columns and rows.
  public init(width: Int, height: Int) {
    size = Size(width: width, height: height)
    grid = Grid(size: size)
  }

  /// The lines that are shown, without spaces at their ends.
  public var lines: [String] { grid.lines }

  /// Presses keys.
  public func press(_ keys: Key...) { onInput?(keys.map(InputEvent.key)) }

  /// Types a text.
  public func type(_ text: String) { onInput?(text.map { .key(.character($0)) }) }

  /// Pastes a text.
  public func paste(_ text: String) { onInput?([.paste(text)]) }

  /// Uses the mouse.
  public func use(_ kind: MouseEvent.Kind, x: Int, y: Int) {
    onInput?([.mouse(MouseEvent(kind, at: Point(x: x, y: y)))])
  }

  /// Gives it another size.
  public func resize(width: Int, height: Int) {
    size = Size(width: width, height: height)
    onInput?([.resize(size)])
  }

  /// Hands over input from now on.
  public func start(_ onInput: @escaping @MainActor ([InputEvent]) -> Void) {
    self.onInput = onInput
  }

  /// Shows cells.
  public func show(_ grid: Grid, cursor: Point?) {
    self.grid = grid
    self.cursor = cursor
    frames += 1
  }

  /// Counts how often the user's attention was drawn.
  public func ring() { rings += 1 }

  /// Hands over no more input.
  public func stop() { onInput = nil }
}
