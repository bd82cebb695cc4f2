import Observation
import Synchronization

/// Shows a view on a terminal for as long as it is wanted, and lets it take input.
///
/// ```swift
/// let session = TerminalSession(on: terminal) { CounterView(store: store) }
/// await session.run()
/// ```
///
/// The view is drawn again when something has changed that it has read of a store, or of any other
/// `Observable` object, and after input, but never more often than so many times a second: however
/// quick the changes are, what is drawn is the newest state. A view that takes long to draw is
/// drawn more seldom, so that changes take a ninth of the time at most; input is shown without
/// delay.
@MainActor
public final class TerminalSession {
  private let device: any TerminalDevice
  private let root: @MainActor () -> any View
  private let now: @MainActor () -> Duration
  private let pause: @MainActor (Duration) async -> Void
  private let memory = ViewMemory()
  private let reads = ViewReads()
  private var pacer: FramePacer
  /// What is drawn, whether or not it is shown yet.
  private var frame: Frame?
  private var isShown = false
  /// The drawing that is to come.
  private var drawing: (task: Task<Void, Never>, isUrgent: Bool)?
  private var idleWaiters: [CheckedContinuation<Void, Never>] = []
  private var runner: CheckedContinuation<Void, Never>?
  private var isEnded = false

  /// Creates a session, which shows nothing until it is started.
  ///
  /// - Parameters:
  ///   - device: Where to show it.
  ///   - framesPerSecond: The most drawings in a second.
  ///   - clock: What tells the time between two drawings.
  ///   - root: The view.
  public init<C: Clock<Duration>, Root: View>(
    on device: any TerminalDevice,
    framesPerSecond: Int = 30,
    clock: C = ContinuousClock(),
    @ViewBuilder root: @escaping @MainActor () -> Root,
  ) {
    self.device = device
    self.root = root
    let start = clock.now
    now = { start.duration(to: clock.now) }
    // A pause is cut short where another drawing comes in the place of this one.
    pause = { try? await clock.sleep(for: $0) }
    pacer = FramePacer(framesPerSecond: framesPerSecond)
    reads.onChange = { [weak self] in self?.drawSoon() }
  }

  /// Starts, and waits until ``end()`` is called.
  public func run() async {
    start()
    if !isEnded { await withCheckedContinuation { runner = $0 } }
  }

  /// Shows the view and takes input from now on.
  public func start() {
    device.start { [weak self] in self?.take($0) }
    drawSoon()
  }

  /// Shows nothing more and takes no more input.
  public func end() {
    guard !isEnded else { return }
    isEnded = true
    device.stop()
    drawing?.task.cancel()
    runner?.resume()
    runner = nil
    resumeIdle()
  }

  /// Draws anew, soon: for changes of what is not observed.
  public func invalidate() {
    reads.outdate()
    drawSoon(isUrgent: true)
  }

  /// Waits until the newest state of everything is shown.
  public func idle() async {
    while !isEnded, reads.isOutdated || !isShown {
      await withCheckedContinuation { idleWaiters.append($0) }
    }
  }

  // MARK: - Drawing

  private func drawSoon(isUrgent: Bool = false) {
    if isEnded { return }
    if let drawing {
      guard isUrgent, !drawing.isUrgent else { return }
      drawing.task.cancel()
    }
    let task = Task { [weak self] in
      if let self, case let delay = pacer.delay(at: now(), isUrgent: isUrgent), delay > .zero {
        await pause(delay)
      }
      if !Task.isCancelled { self?.draw() }
    }
    drawing = (task, isUrgent)
  }

  private func draw() {
    drawing = nil
    guard !isEnded else { return }
    let start = now()
    let frame = upToDate()
    device.show(frame.grid, cursor: frame.cursor)
    isShown = true
    pacer.drew(from: start, to: now())
    if reads.isOutdated { drawSoon() } else { resumeIdle() }
  }

  private func resumeIdle() {
    let waiters = idleWaiters
    idleWaiters = []
    for waiter in waiters { waiter.resume() }
  }

  /// What there is to be shown now.
  private func upToDate() -> Frame {
    if let frame, !reads.isOutdated { return frame }
    isShown = false
    var frame = reads.track { lay() }
    if frame.followFocus() { frame = reads.track { lay() } }
    memory.focus = memory.focus.filter { $0.key <= frame.depth }
    let focus = memory.focus[frame.depth, default: 0]
    memory.focus[frame.depth] = max(0, min(focus, frame.focusables - 1))
    self.frame = frame
    for appear in frame.appearances.dropFirst(memory.appeared) { appear() }
    memory.appeared = max(memory.appeared, frame.appearances.count)
    let gone = memory.dismissals.filter { frame.dismissals[$0.key] == nil }
    memory.dismissals = frame.dismissals
    for dismiss in gone.values {
      dismiss()
      reads.outdate()
    }
    return frame
  }

  private func lay() -> Frame {
    let frame = Frame(size: device.size, memory: memory)
    root().drawn(in: frame.canvas)
    while !frame.overlays.isEmpty { lay(over: frame, frame.overlays.removeFirst()) }
    return frame
  }

  /// Draws a view in the middle of everything.
  private func lay(over frame: Frame, _ view: any View) {
    let all = frame.canvas
    let wanted = view.measured(in: all.size)
    let size = Size(
      width: min(wanted.width, all.size.width),
      height: min(wanted.height, all.size.height),
    )
    frame.beginOverlay()
    let part = all.part(
      x: (all.size.width - size.width) / 2,
      y: (all.size.height - size.height) / 3,
      width: size.width,
      height: size.height,
    )
    part.fill()
    view.drawn(in: part)
  }

  // MARK: - Input

  private func take(_ events: [InputEvent]) {
    var rest = events[...]
    while !isEnded, let event = rest.first {
      // Whoever typed this has seen, or foreseen, what the input before it has led to.
      let frame = upToDate()
      var count = 1
      switch event {
      case .key(let key):
        if event.character != nil, let onText = focused(in: frame)?.onText {
          // All the text that there is goes into a field at once.
          let typed = rest.prefix { $0.character != nil }
          count = typed.count
          onText(String(typed.compactMap(\.character)))
        } else {
          take(key, frame)
        }
      case .mouse(let event): take(event, frame)
      case .paste(let text): focused(in: frame)?.onText?(text)
      case .resize: break
      }
      rest = rest.dropFirst(count)
      invalidate()
    }
  }

  private func focused(in frame: Frame) -> Frame.Responder? {
    let focus = memory.focus[frame.depth, default: 0]
    return frame.responders.first { $0.focus == focus }
  }

  private func take(_ key: Key, _ frame: Frame) {
    if let focused = focused(in: frame), focused.onKey(key) { return }
    // The inner ones were drawn before those around them.
    for responder in frame.responders where responder.focus == nil {
      if responder.onKey(key) { return }
    }
    guard frame.focusables > 0 else { return }
    let focus = memory.focus[frame.depth, default: 0]
    switch key {
    case .tab: frame.moveFocus(to: (focus + 1) % frame.focusables)
    case .backTab: frame.moveFocus(to: (focus + frame.focusables - 1) % frame.focusables)
    default: break
    }
  }

  private func take(_ event: MouseEvent, _ frame: Frame) {
    let responders = frame.responders.reversed().filter { $0.area.contains(event.place) }
    // First, because what is pressed may give the focus to another view.
    if event.kind == .press, let focus = responders.lazy.compactMap(\.focus).first {
      frame.moveFocus(to: focus)
    }
    _ = responders.contains { $0.onMouse(event) }
  }
}

/// What a drawing has read, and whether that has changed since.
@MainActor
private final class ViewReads {
  /// Which drawing is the newest, and whether it is out of date.
  private struct Status {
    var drawing = 0
    var isOutdated = true
  }

  /// Something that each drawing reads: to change it ends the observation of everything else that
  /// the drawing has read, and that is not wanted any more.
  @Observable
  final class Mark {
    var drawing = 0
  }

  var onChange: @MainActor () -> Void = {}
  // Changed by whoever changes something that was read, on any thread.
  private let status = Mutex(Status())
  private let mark = Mark()

  var isOutdated: Bool { status.withLock { $0.isOutdated } }

  func outdate() { status.withLock { $0.isOutdated = true } }

  /// Calls a closure, and observes what it reads.
  func track(_ body: () -> Frame) -> Frame {
    let drawing = status.withLock { status in
      status.drawing += 1
      status.isOutdated = false
      return status.drawing
    }
    mark.drawing = drawing
    return withObservationTracking {
      _ = mark.drawing
      return body()
    } onChange: { [weak self] in
      self?.changed(drawing)
    }
  }

  private nonisolated func changed(_ drawing: Int) {
    let isNews = status.withLock { status in
      guard status.drawing == drawing, !status.isOutdated else { return false }
      status.isOutdated = true
      return true
    }
    guard isNews else { return }
    Task { @MainActor in self.onChange() }
  }
}
