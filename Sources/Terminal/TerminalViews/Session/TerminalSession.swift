import Observation
import StoreBytes
import Synchronization

/// Shows a view on a terminal, and passes the terminal's input to it.
///
/// ```swift
/// let session = TerminalSession(on: terminal) { CounterView(store: store) }
/// await session.run()
/// ```
///
/// The session draws the view again after input, and after a change of a value that the view has
/// read from a store or from another `Observable` object. The frame rate is limited: a drawing
/// shows the newest state, however many changes it covers. A view that takes long to draw is drawn
/// less often, so that drawings after changes take at most a thirteenth of the time. Input shortens
/// the pause to one frame interval.
///
/// Input acts on views and rows that the user has seen: those that the displayed picture had under
/// the focus, the cursor or the mouse, and those that the user's own input has reached since. If
/// others have removed the target, the input has no effect, and the session calls ``onMiss``.
@MainActor
public final class TerminalSession {
  /// Reports to the user that input had no effect because its target was removed; nil to ring the
  /// terminal's bell.
  public var onMiss: (@MainActor () -> Void)?
  /// Reports a fault of the views to their developer, once; nil to print it on standard error when
  /// the session ends.
  ///
  /// The session calls it during a drawing. There are two kinds of faults:
  ///
  /// - Views have different ids in each drawing. The session then identifies them by their order.
  /// - Each drawing causes another one. After 20 drawings the session ends the chain: lists keep
  ///   their selections unchanged, and `onAppear` and `onDismiss` wait for a drawing that has
  ///   another cause. Changes that the views' own code makes while drawing are shown once a second.
  public var onFault: (@MainActor (_ fault: String) -> Void)?
  private let device: any TerminalDevice
  private let root: @MainActor () -> any View
  private let now: @MainActor () -> Duration
  private let pause: @MainActor (Duration) async -> Void
  private let memory = ViewMemory()
  private let reads = ViewReads()
  private var pacer: FramePacer
  /// The newest drawing, displayed or not.
  private var frame: Frame?
  private var isShown = false
  /// The number of drawings that caused one another, including the newest one.
  private var chain = 0
  /// The longest chain of drawings before the session stops it.
  private var longestChain = 20
  private var hasReportedChain = false
  /// The faults that the session prints when it ends.
  private(set) var faults: [String] = []
  /// The scheduled drawing.
  private var drawing: (task: Task<Void, Never>, isUrgent: Bool)?
  private var idleWaiters: [CheckedContinuation<Void, Never>] = []
  private var runners: [CheckedContinuation<Void, Never>] = []
  private var isStarted = false
  private var isEnded = false

  /// Creates a session.
  ///
  /// It shows the view after it is started.
  ///
  /// - Parameters:
  ///   - device: The device that shows the view.
  ///   - framesPerSecond: The greatest number of drawings in a second.
  ///   - clock: The clock that measures the time between two drawings.
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
    // A drawing that replaces this one cancels the pause.
    pause = { try? await clock.sleep(for: $0) }
    pacer = FramePacer(framesPerSecond: framesPerSecond)
    reads.onChange = { [weak self] in self?.drawSoon() }
  }

  /// Starts the session, and waits until ``end()`` is called.
  ///
  /// Cancellation of the task ends the session.
  public func run() async {
    start()
    await withTaskCancellationHandler {
      if Task.isCancelled { end() }
      if !isEnded { await withCheckedContinuation { runners.append($0) } }
    } onCancel: {
      Task { @MainActor in self.end() }
    }
  }

  /// Shows the view and takes input from now on.
  ///
  /// Only the first call has an effect.
  public func start() {
    guard !isStarted else { return }
    isStarted = true
    device.start { [weak self] in self?.take($0) }
    drawSoon()
  }

  /// Stops the device, so that the session shows no more pictures and takes no more input.
  public func end() {
    guard !isEnded else { return }
    isEnded = true
    device.stop()
    drawing?.task.cancel()
    for runner in runners { runner.resume() }
    runners = []
    resumeIdle()
    for fault in faults { ProgramName.report(fault) }
    faults = []
  }

  /// Schedules a drawing, after a change that is not observed.
  public func invalidate() {
    reads.outdate()
    // A drawing may also call this.
    drawSoon(isUrgent: reads.cause == 0)
  }

  /// Waits until the newest state is displayed.
  public func idle() async {
    while !isEnded, reads.isOutdated && !isEndless || !isShown {
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
      if let self, case let delay = delay(isUrgent: isUrgent), delay > .zero {
        await pause(delay)
      }
      if !Task.isCancelled { self?.draw() }
    }
    drawing = (task, isUrgent)
  }

  private func delay(isUrgent: Bool) -> Duration {
    let delay = pacer.delay(at: now(), isUrgent: isUrgent)
    return isEndless && !isUrgent ? max(delay, .seconds(1)) : delay
  }

  /// Whether a drawing made the pending change, as each drawing before it did.
  private var isEndless: Bool { reads.cause > longestChain }

  private func draw() {
    drawing = nil
    guard !isEnded else { return }
    let start = now()
    let frame = upToDate()
    device.show(frame.grid, cursor: frame.cursor)
    isShown = true
    DrawingChain.draw(chain) { memory.aim.display(frame) }
    pacer.drew(from: start, to: now())
    if reads.isOutdated { drawSoon() }
    if !reads.isOutdated || isEndless { resumeIdle() }
  }

  private func resumeIdle() {
    let waiters = idleWaiters
    idleWaiters = []
    for waiter in waiters { waiter.resume() }
  }

  /// Returns the newest views, laid out again if they are out of date.
  ///
  /// - Parameter isOwn: Whether the user's own input has led to the changes.
  /// - Returns: The newest views.
  private func upToDate(isOwn: Bool = false) -> Frame {
    if let frame, !reads.isOutdated { return frame }
    isShown = false
    chain = reads.cause + 1
    return DrawingChain.draw(chain) { layOut(isOwn: isOwn) }
  }

  private func layOut(isOwn: Bool) -> Frame {
    memory.acceptsReplacements = isOwn || memory.aim.layer == nil
    memory.isSettled = chain > longestChain
    if memory.isSettled { reportEndlessChain() }
    var frame = withLastingIDs(reads.track { lay() })
    if frame.followFocus() || memory.repairFocus(in: frame) || frame.isOutdated {
      // Only once: a view that changes a value in each drawing must not cause endless drawings.
      frame = reads.track { lay() }
    }
    frame.focus = memory.focus[frame.layer]
    self.frame = frame
    if memory.finish(frame) { reads.outdate() }
    return frame
  }

  /// Lays out again if all ids at a place were replaced.
  ///
  /// The state does not change meanwhile, so lasting ids stay the same. The session stops using ids
  /// that do not last.
  ///
  /// - Parameter first: The drawing.
  /// - Returns: The newest drawing.
  private func withLastingIDs(_ first: Frame) -> Frame {
    var frame = first
    var identities = memory.identities(of: frame)
    var places = memory.replacedPlaces(in: identities)
    let replaced = places
    for _ in 0..<2 where !places.isEmpty {
      frame = reads.track { lay() }
      let again = memory.identities(of: frame)
      places.formIntersection(again.replacedPlaces(since: identities))
      identities = again
    }
    memory.trust(replaced.subtracting(places))
    // If another thread has made a change meanwhile, the next drawing shows it.
    guard !places.isEmpty, !reads.isOutdated else { return frame }
    memory.useOrder(at: places)
    report(.fleetingIDs(at: places))
    return reads.track { lay() }
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

  /// Draws an overlay, centered horizontally, over all other views.
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

  // MARK: - Faults

  private func reportEndlessChain() {
    guard !hasReportedChain else { return }
    report(.endlessChain(of: longestChain))
    // The next chain ends sooner.
    (hasReportedChain, longestChain) = (true, 5)
  }

  private func report(_ fault: ViewFault) {
    if let onFault { onFault(fault.description) } else { faults.append(fault.description) }
  }

  // MARK: - Input

  private func take(_ events: [InputEvent]) {
    var rest = events[...]
    while !isEnded, let event = rest.first {
      // The current views, including changes by others since the last display.
      let frame = upToDate()
      memory.aim.begin(with: frame)
      if memory.aim.isReported, !event.isResize {
        rest = rest.dropFirst()
        continue
      }
      var count = 1
      switch event {
      case .key(let key):
        // A field takes all of the pending text at once.
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
        // The views after the input's changes.
        memory.aim.reach(upToDate(isOwn: true), from: frame)
      }
    }
  }

  private func tellMiss() {
    if let onMiss { onMiss() } else { device.ring() }
  }

  /// Takes a key, or all typed characters if a field has the focus.
  ///
  /// - Returns: The number of keys that are taken.
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
    // Inner views were drawn before the views around them.
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
    // First, because the pressed view may give the focus to another view.
    if event.kind == .press, let focus = responders.first(where: { $0.0.isFocusable })?.0.path {
      memory.aim.reachFocus(focus)
      frame.moveFocus(to: focus)
    }
    _ = responders.contains { responder, place in
      responder.onMouse?(MouseEvent(event.kind, at: place)) ?? false
    }
  }
}

/// The values that a drawing has read, and whether they have changed since.
@MainActor
private final class ViewReads {
  /// The number of the newest drawing, and whether it is out of date.
  private struct Status {
    var drawing = 0
    var isOutdated = true
    /// The number of drawings that caused one another and then the change.
    var cause = 0
  }

  /// A value that each drawing reads.
  ///
  /// Changing it ends the observation of all other values that the previous drawing has read, since
  /// that observation is no longer needed.
  @Observable
  final class Mark {
    var drawing = 0
  }

  var onChange: @MainActor () -> Void = {}
  // Written on any thread, by the code that changes a value that was read.
  private let status = Mutex(Status())
  private let mark = Mark()

  var isOutdated: Bool { status.withLock { $0.isOutdated } }

  var cause: Int { status.withLock { $0.cause } }

  func outdate() {
    let cause = DrawingChain.length
    status.withLock { status in
      (status.isOutdated, status.cause) = (true, cause)
    }
  }

  /// Calls a closure, and observes the values that it reads.
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
    let cause = DrawingChain.length
    let isNews = status.withLock { status in
      guard status.drawing == drawing, !status.isOutdated else { return false }
      (status.isOutdated, status.cause) = (true, cause)
      return true
    }
    guard isNews else { return }
    Task { @MainActor in self.onChange() }
  }
}
