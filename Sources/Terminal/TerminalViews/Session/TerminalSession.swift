import Observation
import StoreBytes
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
  /// Reports a fault of the views to their developer, once; nil to have it printed on standard
  /// error when the session has ended.
  ///
  /// The session calls it during a drawing. There are two kinds of faults:
  ///
  /// - Views have other ids in each drawing. The session identifies them by their order instead.
  /// - Each drawing leads to another one. After 20 drawings the session ends that: lists leave
  ///   their selections unchanged, and `onAppear` and `onDismiss` wait for a drawing that has
  ///   another cause. Changes that the views' own code makes while drawing show once a second.
  public var onFault: (@MainActor (_ fault: String) -> Void)?
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
  /// How many drawings have led to one another, the newest one among them.
  private var chain = 0
  /// The longest chain of drawings before the session stops it.
  private var longestChain = 20
  private var hasReportedChain = false
  /// The faults to be printed when the session has ended.
  private(set) var faults: [String] = []
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
    for fault in faults { ProgramName.report(fault) }
    faults = []
  }

  /// Draws anew, soon: for changes of what is not observed.
  public func invalidate() {
    reads.outdate()
    // A drawing may call this, too.
    drawSoon(isUrgent: reads.cause == 0)
  }

  /// Waits until the newest state of everything is shown.
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

  /// Whether what is out of date was changed by a drawing, as the ones before were.
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

  /// What there is to be shown now.
  ///
  /// - Parameter isOwn: Whether what is new is what the user's own input has led to.
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
      // Once: a view that changes something in each drawing must not draw without end.
      frame = reads.track { lay() }
    }
    frame.focus = memory.focus[frame.layer]
    self.frame = frame
    if memory.finish(frame) { reads.outdate() }
    return frame
  }

  /// Lays out again where all ids at a place were replaced.
  ///
  /// Nothing changes meanwhile, so ids that last stay the same. The session no longer uses others.
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
    // Where another thread has changed something meanwhile, the next drawing will show.
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

  // MARK: - Faults

  private func reportEndlessChain() {
    guard !hasReportedChain else { return }
    report(.endlessChain(of: longestChain))
    // The next time it ends sooner.
    (hasReportedChain, longestChain) = (true, 5)
  }

  private func report(_ fault: ViewFault) {
    if let onFault { onFault(fault.description) } else { faults.append(fault.description) }
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
    /// How many drawings have led to one another and to the change.
    var cause = 0
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

  var cause: Int { status.withLock { $0.cause } }

  func outdate() {
    let cause = DrawingChain.length
    status.withLock { status in
      (status.isOutdated, status.cause) = (true, cause)
    }
  }

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
