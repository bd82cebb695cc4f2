import CNCurses
import Dispatch
public import TerminalViews

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The terminal that the program was started on.
///
/// ```swift
/// let terminal = try CursesTerminal()
/// let session = TerminalSession(on: terminal) { CounterView(store: store) }
/// await session.run()
/// ```
///
/// From its creation to ``stop()`` only the session uses the terminal. If a signal ends the program
/// meanwhile, the terminal is restored first, and the program ends by that signal. Ctrl-Z works.
/// Input arrives on the main queue. Only one instance may exist at a time.
@MainActor
public final class CursesTerminal: TerminalDevice {
  private let notes: Int32
  private var sources: [any DispatchSourceRead] = []
  private var onInput: (@MainActor ([InputEvent]) -> Void)?
  private var parser = InputParser()
  /// The cells that the terminal shows; nil if they are unknown.
  private var shown: Grid?
  /// The current style of written text; nil if it is unknown.
  private var style: Style?
  private var isStopped = false

  /// Checks that the program runs on a terminal that can show views.
  ///
  /// - Parameter environment: The program's environment.
  /// - Throws: A ``TerminalError`` with the reason if it cannot.
  public nonisolated static func check(environment: [String: String]) throws(TerminalError) {
    guard ccurses_is_terminal() else { throw .noTerminal }
    let name = environment["TERM"] ?? ""
    guard !["", "dumb", "unknown"].contains(name) else { throw .unusable(name) }
  }

  /// Takes control of the terminal.
  ///
  /// - Parameter environment: The program's environment. `TERM` names the terminal's kind, and
  ///   `NO_COLOR` turns colours off.
  /// - Throws: A ``TerminalError`` if there is no terminal, or if it cannot show views.
  public init(environment: [String: String]) throws(TerminalError) {
    try Self.check(environment: environment)
    // This sets a UTF-8 locale, which is necessary for widths and for writing wide characters.
    _ = Canvas.columns(of: "─")
    var notes: Int32 = -1
    // Before ncurses starts, since it keeps signal handlers that are already installed.
    guard ccurses_watch_signals(&notes) else {
      throw .failed("A pipe could not be made: \(String(cString: strerror(errno))).")
    }
    self.notes = notes
    guard ccurses_open((environment["NO_COLOR"] ?? "").isEmpty) else {
      ccurses_forget_signals(notes)
      throw .unusable(environment["TERM"] ?? "")
    }
  }

  isolated deinit { stop() }

  /// The terminal's columns and rows.
  public var size: Size {
    Size(width: Int(ccurses_columns()), height: Int(ccurses_rows()))
  }

  /// Passes input to a closure from now on.
  public func start(_ onInput: @escaping @MainActor ([InputEvent]) -> Void) {
    self.onInput = onInput
    watch(STDIN_FILENO) { [weak self] in self?.readKeys() }
    watch(notes) { [weak self] in self?.readNotes() }
  }

  private func watch(_ descriptor: Int32, _ body: @escaping @MainActor () -> Void) {
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    source.setEventHandler { MainActor.assumeIsolated(body) }
    source.resume()
    sources.append(source)
  }

  /// Restores the terminal.
  ///
  /// Only the first call has an effect.
  public func stop() {
    guard !isStopped else { return }
    isStopped = true
    onInput = nil
    for source in sources { source.cancel() }
    sources = []
    ccurses_close()
    ccurses_forget_signals(notes)
  }

  /// Shows cells.
  public func show(_ grid: Grid, cursor: Point?) {
    guard !isStopped else { return }
    if shown?.size != grid.size {
      ccurses_clear()
      shown = nil
      style = nil
    }
    let old = shown ?? Grid(size: grid.size)
    var place: Point?
    for y in 0..<grid.size.height {
      let update = grid.update(ofRow: y, from: old)
      if let first = update.emptiedFrom {
        for x in first..<grid.size.width {
          var cell = grid[x, y]
          (cell.text, cell.width) = (" ", 1)
          place = put(cell, Point(x: x, y: y), cursorAt: place, in: grid.size)
        }
      }
      for x in update.columns {
        place = put(grid[x, y], Point(x: x, y: y), cursorAt: place, in: grid.size)
      }
      // Yields to other threads, as a drawing does between its views.
      sched_yield()
    }
    if let cursor { ccurses_move(Int32(cursor.y), Int32(cursor.x)) }
    ccurses_flush(cursor != nil)
    shown = grid
  }

  /// Rings the terminal's bell.
  public func ring() {
    guard !isStopped else { return }
    ccurses_byte(7)
    ccurses_flush(false)
  }

  /// Writes a cell.
  ///
  /// - Parameters:
  ///   - cell: The cell.
  ///   - place: The cell's place.
  ///   - known: The cursor's place; nil if it is unknown.
  ///   - size: The columns and rows of the grid.
  /// - Returns: The new place of the cursor, which is known only after ASCII. Terminals draw other
  ///   characters with different widths, and differ in the characters that they join.
  private func put(_ cell: Cell, _ place: Point, cursorAt known: Point?, in size: Size) -> Point? {
    let isLast = place.y == size.height - 1 && place.x + cell.width == size.width
    guard cell.width > 0, !(isLast && ccurses_scrolls()) else { return known }
    if known != place { ccurses_move(Int32(place.y), Int32(place.x)) }
    if style != cell.style {
      style = cell.style
      ccurses_style(
        cell.style.attributes,
        cell.style.foreground.number,
        cell.style.background?.number ?? -1,
      )
    }
    let bytes = Array(cell.text.utf8)
    ccurses_write(bytes, Int32(bytes.count))
    let isASCII = bytes.count == 1 && place.x + 1 < size.width
    return isASCII ? Point(x: place.x + 1, y: place.y) : nil
  }

  // MARK: - Input

  private func readKeys() {
    var isEmpty = true
    while !isStopped, let typed = next() {
      isEmpty = false
      parser.take(typed)
      if parser.events.count == Self.mostAtOnce { handOver() }
    }
    if !isStopped {
      // After an escape, a read waits for the rest of its sequence.
      parser.pause()
      handOver()
    }
    guard isEmpty, !isStopped, hasHungUp else { return }
    // The terminal has closed, and the signal for that was not sent or is ignored.
    for source in sources { source.cancel() }
    raise(SIGHUP)
    // If the signal is ignored, the program ends here, since it has no terminal to show views on.
    _exit(128 + SIGHUP)
  }

  /// The greatest number of events that are passed at once.
  private static let mostAtOnce = 4096

  private func handOver() {
    let events = parser.events.map { redrawn($0) ?? $0 }
    parser.events = []
    if !events.isEmpty { onInput?(events) }
  }

  /// Returns the event that Ctrl-L causes: a complete drawing, for a terminal to which another
  /// program has written.
  private func redrawn(_ event: InputEvent) -> InputEvent? {
    guard case .key(.control("l")) = event else { return nil }
    shown = nil
    return .resize(size)
  }

  private var hasHungUp: Bool {
    var item = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&item, 1, 0) > 0 && Int32(item.revents) & Int32(POLLHUP | POLLERR | POLLNVAL) != 0
  }

  /// Reads the next pending input; nil if there is no more.
  private func next() -> InputParser.Typed? {
    var character: UInt32 = 0
    var (y, x): (Int32, Int32) = (0, 0)
    let kind = ccurses_read(&character, &y, &x)
    let place = Point(x: Int(x), y: Int(y))
    switch Int(kind) {
    case CCURSES_NOTHING: return nil
    case CCURSES_CHARACTER: return .character(character)
    case CCURSES_PRESS: return .event(.mouse(MouseEvent(.press, at: place)))
    case CCURSES_WHEEL_UP: return .event(.mouse(MouseEvent(.wheelUp, at: place)))
    case CCURSES_WHEEL_DOWN: return .event(.mouse(MouseEvent(.wheelDown, at: place)))
    default: return Self.keys[Int(kind)].map { .event(.key($0)) } ?? .other
    }
  }

  private static let keys: [Int: Key] = [
    Int(CCURSES_ENTER): .enter, Int(CCURSES_BACKSPACE): .backspace, Int(CCURSES_DELETE): .delete,
    Int(CCURSES_BACKTAB): .backTab, Int(CCURSES_UP): .up, Int(CCURSES_DOWN): .down,
    Int(CCURSES_LEFT): .left, Int(CCURSES_RIGHT): .right, Int(CCURSES_HOME): .home,
    Int(CCURSES_END): .end, Int(CCURSES_PAGE_UP): .pageUp, Int(CCURSES_PAGE_DOWN): .pageDown,
  ]

  private func readNotes() {
    var signals = [UInt8](repeating: 0, count: 64)
    let count = read(notes, &signals, signals.count)
    guard count > 0, !isStopped else { return }
    if signals[..<count].contains(UInt8(SIGTSTP)) { ccurses_stop() }
    ccurses_resize()
    shown = nil
    onInput?([.resize(size)])
  }
}

extension Style {
  fileprivate var attributes: Int32 {
    var attributes = 0
    if isBold { attributes |= Int(CCURSES_BOLD) }
    if isUnderlined { attributes |= Int(CCURSES_UNDERLINED) }
    if isReversed { attributes |= Int(CCURSES_REVERSED) }
    if foreground == .secondary { attributes |= Int(CCURSES_DIM) }
    return Int32(attributes)
  }
}

extension Color {
  /// The colour's number in terminals; -1 for the default colour.
  fileprivate var number: Int32 {
    switch self {
    case .primary, .secondary: -1
    case .red: 1
    case .green: 2
    case .yellow: 3
    case .blue: 4
    case .magenta: 5
    case .cyan: 6
    }
  }
}
