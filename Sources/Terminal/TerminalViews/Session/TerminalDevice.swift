/// The device that shows a session's cells and provides its input: a terminal, or memory.
@MainActor
public protocol TerminalDevice: AnyObject {
  /// The device's columns and rows.
  var size: Size { get }

  /// Passes input to a closure from now on, all pending events at once.
  func start(_ onInput: @escaping @MainActor ([InputEvent]) -> Void)

  /// Shows cells.
  ///
  /// - Parameters:
  ///   - grid: The cells, of the device's size.
  ///   - cursor: The place of the cursor; nil to hide it.
  func show(_ grid: Grid, cursor: Point?)

  /// Draws the user's attention, with a sound for example.
  func ring()

  /// Stops passing input.
  func stop()
}

extension TerminalDevice {
  /// Has no effect by default.
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
  /// The device's columns and rows.
  public private(set) var size: Size
  /// The displayed cells.
  public private(set) var grid: Grid
  /// The place of the cursor; nil if it is hidden.
  public private(set) var cursor: Point?
  /// The number of pictures that were shown.
  public private(set) var frames = 0
  /// The number of calls of ``ring()``.
  public private(set) var rings = 0
  private var onInput: (@MainActor ([InputEvent]) -> Void)?

  /// Creates a terminal with a number of columns and rows.
  public init(width: Int, height: Int) {
    size = Size(width: width, height: height)
    grid = Grid(size: size)
  }

  /// The displayed lines, without trailing spaces.
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

  /// Changes the terminal's size, and reports that as input.
  public func resize(width: Int, height: Int) {
    size = Size(width: width, height: height)
    onInput?([.resize(size)])
  }

  /// Passes input to a closure from now on.
  public func start(_ onInput: @escaping @MainActor ([InputEvent]) -> Void) {
    self.onInput = onInput
  }

  /// Shows cells.
  public func show(_ grid: Grid, cursor: Point?) {
    self.grid = grid
    self.cursor = cursor
    frames += 1
  }

  /// Counts the calls that draw the user's attention.
  public func ring() { rings += 1 }

  /// Stops passing input.
  public func stop() { onInput = nil }
}
