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
/// drawn more seldom, so that changes take a thirteenth of the time at most; input is shown without
/// delay.
///
/// Input acts on views and rows that the user has seen: that a displayed picture had under the
/// focus, the cursor or the mouse, or that the user's own input has led to since. Where others have
/// removed it, the input has no effect, and ``onMiss`` is called.
@MainActor
public final class TerminalSession {
  /// Tells the user that input had no effect, since what it was meant for has gone; nil to have the
  /// terminal ring.
  public var onMiss: (@MainActor () -> Void)?
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
  private var runners: [CheckedContinuation<Void, Never>] = []
  private var isStarted = false
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
  ///
  /// Ends the session where its task is canceled.
  public func run() async {
    start()
    await withTaskCancellationHandler {
      if Task.isCancelled { end() }
      if !isEnded { await withCheckedContinuation { runners.append($0) } }
    } onCancel: {
      Task { @MainActor in self.end() }
    }
  }

  /// Shows the view and takes input from now on; nothing happens where it has started before.
  public func start() {
    guard !isStarted else { return }
    isStarted = true
    device.start { [weak self] in self?.take($0) }
    drawSoon()
  }

  /// Shows nothing more and takes no more input.
  public func end() {
    guard !isEnded else { return }
    isEnded = true
    device.stop()
    drawing?.task.cancel()
    for runner in runners { runner.resume() }
    runners = []
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
    memory.aim.display(frame)
    pacer.drew(from: start, to: now())
    if reads.isOutdated { drawSoon() } else { resumeIdle() }
  }

  private func resumeIdle() {
    let waiters = idleWaiters
    idleWaiters = []
    for waiter in waiters { waiter.resume() }
  }

  /// What there is to be shown now.
  ///
  /// - Parameter isOwn: Whether what is new is what the user's own input has led to.
  /// - Returns: The newest views.
  private func upToDate(isOwn: Bool = false) -> Frame {
    if let frame, !reads.isOutdated { return frame }
    isShown = false
    memory.acceptsReplacements = isOwn || memory.aim.layer == nil
    var frame = reads.track { lay() }
    if frame.followFocus() || memory.repairFocus(in: frame) || frame.isOutdated {
      // Once: a view that changes something in each drawing must not draw without end.
      frame = reads.track { lay() }
    }
    frame.focus = memory.focus[frame.layer]
    self.frame = frame
    if memory.finish(frame) { reads.outdate() }
    return frame
  }

  private func lay() -> Frame {
    let frame = Frame(size: device.size, memory: memory)
    memory.layOut {
      root().drawn(in: frame.canvas)
      while let overlay = frame.takeOverlay() {
        memory.at(overlay.path) { lay(over: frame, overlay) }
      }
    }
    frame.end()
    return frame
  }

  /// Draws a view in the middle of everything.
  private func lay(over frame: Frame, _ overlay: Frame.Overlay) {
    let all = frame.canvas
    let wanted = overlay.view.measured(in: all.size)
    let size = Size(
      width: min(wanted.width, all.size.width),
      height: min(wanted.height, all.size.height),
    )
    frame.begin(overlay)
    let part = all.part(
      x: (all.size.width - size.width) / 2,
      y: (all.size.height - size.height) / 3,
      width: size.width,
      height: size.height,
    )
    part.fill()
    overlay.view.drawn(in: part)
  }

  // MARK: - Input

  private func take(_ events: [InputEvent]) {
    var rest = events[...]
    while !isEnded, let event = rest.first {
      // As it is now, with what others have changed since it was displayed.
      let frame = upToDate()
      memory.aim.begin(with: frame)
      if memory.aim.isReported, !event.isResize {
        rest = rest.dropFirst()
        continue
      }
      var count = 1
      switch event {
      case .key(let key):
        // All the text that there is goes into a field at once.
        let typed = rest.prefix { $0.character != nil }
        count = take(key, typed.compactMap(\.character), frame)
      case .mouse(let event): take(event, frame)
      case .paste(let text): paste(text, frame)
      case .resize: break
      }
      rest = rest.dropFirst(count)
      invalidate()
      if memory.aim.takeMiss() {
        tellMiss()
      } else if !isEnded {
        // And with what the input has led to.
        memory.aim.reach(upToDate(isOwn: true), from: frame)
      }
    }
  }

  private func tellMiss() {
    if let onMiss { onMiss() } else { device.ring() }
  }

  /// Takes a key, or all characters that are typed where a field has the focus.
  ///
  /// - Returns: How many keys are taken.
  private func take(_ key: Key, _ typed: [Character], _ frame: Frame) -> Int {
    let aim = memory.aim
    guard aim.allows(key, in: frame) else {
      _ = aim.miss()
      return 1
    }
    let focused = aim.responder(in: frame)
    if !typed.isEmpty, let onText = focused?.onText {
      onText(String(typed))
      return typed.count
    }
    if let focused, focused.onKey(key) { return 1 }
    // The inner ones were drawn before those around them.
    for responder in frame.responders where !responder.isFocusable {
      if responder.onKey(key) { return 1 }
    }
    switch key {
    case .tab: moveFocus(by: 1, in: frame)
    case .backTab: moveFocus(by: -1, in: frame)
    default: break
    }
    return 1
  }

  private func moveFocus(by distance: Int, in frame: Frame) {
    guard let path = memory.aim.next(distance, in: frame) else { return }
    memory.aim.reachFocus(path)
    frame.moveFocus(to: path)
  }

  private func paste(_ text: String, _ frame: Frame) {
    guard memory.aim.allowsPaste(in: frame) else {
      _ = memory.aim.miss()
      return
    }
    memory.aim.responder(in: frame)?.onText?(text)
  }

  private func take(_ event: MouseEvent, _ frame: Frame) {
    guard let responders = memory.aim.responders(at: event.place, in: frame) else {
      _ = memory.aim.miss()
      return
    }
    // First, because what is pressed may give the focus to another view.
    if event.kind == .press, let focus = responders.first(where: { $0.0.isFocusable })?.0.path {
      memory.aim.reachFocus(focus)
      frame.moveFocus(to: focus)
    }
    _ = responders.contains { responder, place in
      responder.onMouse?(MouseEvent(event.kind, at: place)) ?? false
    }
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
