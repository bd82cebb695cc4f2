import Dispatch
import Logging
import StoreActor
import StoreHistory
import StoreProtocol
import StoreServer
import Synchronization
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Decides who may connect, on a thread of its own, so that a busy main thread neither delays new
/// connections nor admits more than there are descriptors for.
///
/// Each admitted connection gets a serial that is never reused, which libzmq attaches to each of
/// its frames. A routing id would not do, because peers choose it.
///
/// What guards what: `table`, `door` and `cuts` are shared by the thread and the main actor, each
/// behind its mutex, `hasGone`
/// and its like are atomic, `wakeUp` is the main actor's. The sockets belong to the thread that is
/// in ``run()``, and to whoever has joined it afterwards.
final class ConnectionGuard: Sendable {
  /// Nanoseconds between two reminders that somebody has not been.
  private static let reminder: Int64 = 250_000_000
  /// Who may connect.
  private struct Door {
    var grants: Grants
    /// The public keys of tickets, and until when each is good.
    ///
    /// Bounded by ``KeyService/Limits/tickets``.
    var tickets: [[UInt8]: Int64] = [:]
  }

  private let table: Mutex<ConnectionTable>
  private let hasGone = Atomic(false)
  private let hasFloods = Atomic(false)
  /// How often the main thread has served all peers.
  private let rounds = Atomic<UInt64>(0)
  private let isOverdue = Atomic(false)
  private let isWaking = Atomic(false)
  private let isReturningMemory = Atomic(false)
  /// When memory was last returned to the system, as a range; read while no return is running.
  private let returnStart = Atomic<Int64>(0)
  private let returnEnd = Atomic<Int64>(0)
  private let memoryQueue = DispatchQueue(label: "storeactor.memory", qos: .utility)
  private let refused = Atomic<UInt64>(0)
  private let cutSilent = Atomic<UInt64>(0)
  private let cutFloods = Atomic<UInt64>(0)
  private let door: Mutex<Door>
  private let cuts = Mutex(CutReports())
  private let logger: Logger

  /// Schedules a turn of the main loop.
  @MainActor var wakeUp: () -> Void = {}
  /// Called once if the thread can guard nothing any more: then the daemon has to end.
  @MainActor var onFailure: (ZeroMQError) -> Void = { _ in }
  /// The endpoints of the two sockets.
  private let ends: Set<Connection.OwnEnd>
  private let context: Context

  // Used by the thread alone, while it runs.
  nonisolated(unsafe) private let admission: Admission
  // Used by the thread alone, while it runs.
  nonisolated(unsafe) private let monitors: [(side: ConnectionTable.Side, monitor: SocketMonitor)]
  // Used by the thread alone. How many of the monitors have ended.
  nonisolated(unsafe) private var stopped = 0

  /// Creates the guard of two sockets, which are not bound yet.
  init(
    _ context: Context,
    control: Socket,
    publishing: Socket,
    ends: Set<Connection.OwnEnd>,
    limits: ConnectionTable.Limits,
    grants: Grants,
    logger: Logger,
  ) throws(ZeroMQError) {
    self.context = context
    self.ends = ends
    table = Mutex(ConnectionTable(limits: limits, ownUser: geteuid()))
    door = Mutex(Door(grants: grants))
    self.logger = logger
    ZeroMQLibrary.mapLargeBlocks()
    admission = try Admission(context)
    monitors = [
      (.control, try SocketMonitor(context, of: control, name: "control")),
      (.publishing, try SocketMonitor(context, of: publishing, name: "publishing")),
    ]
  }

  /// Closes the guard's sockets, after its thread has ended.
  func close() {
    admission.socket.close()
    for (_, monitor) in monitors { monitor.socket.close() }
  }

  // MARK: - For the main actor

  /// How many connections were refused.
  var refusedCount: UInt64 { refused.load(ordering: .relaxed) }

  /// How many were shut down because they sent nothing.
  var cutSilentCount: UInt64 { cutSilent.load(ordering: .relaxed) }

  /// How many were shut down because they kept sending while the main thread was busy.
  var cutFloodCount: UInt64 { cutFloods.load(ordering: .relaxed) }

  /// Records that the main thread has read everything received.
  func heardEverybody() { rounds.add(1, ordering: .relaxed) }

  /// Calls the closure with each serial that the thread has shut down for what it sends.
  func forEachFlood(_ body: (UInt64, ConnectionTable.Side) -> Void) {
    guard hasFloods.load(ordering: .acquiring) else { return }
    let floods = table.withLock { table in
      hasFloods.store(false, ordering: .relaxed)
      return table.takeFloods()
    }
    for case (let serial?, let side) in floods { body(serial, side) }
  }

  /// Records which connection sends frames with a serial.
  ///
  /// - Returns: False when that connection has ended, or is shut down because its key has too many
  ///   connections or no budget for one; no frame can be sent to it.
  func identify(
    _ serial: UInt64,
    _ descriptor: Int32,
    _ side: ConnectionTable.Side,
    as name: PeerName?,
  ) -> Bool {
    let now = LoopClock.nanoseconds
    return table.withLock { table in
      if table.identify(serial, descriptor, side, as: name, now: now) { return true }
      for connection in table.takeExcess() {
        refused.add(1, ordering: .relaxed)
        shutDown(connection)
      }
      return false
    }
  }

  /// The holder of the connection with a serial, whose frames are known by a name.
  func holder(
    of serial: UInt64,
    _ descriptor: Int32,
    _ side: ConnectionTable.Side,
    as name: PeerName?,
  ) -> Holder {
    table.withLock { $0.holder(of: serial, descriptor, side, as: name) }
  }

  /// Records that a control connection was welcomed.
  func greet(_ serial: UInt64, _ descriptor: Int32) {
    table.withLock { $0.greet(serial, descriptor) }
  }

  /// Calls the closure once with each serial whose connection has ended.
  ///
  /// Whoever is let in now cannot have taken over the routing id of a serial that is told later:
  /// what has happened is looked at before anybody is let in.
  func forEachGone(_ body: (UInt64) -> Void) {
    guard hasGone.load(ordering: .acquiring) else { return }
    let gone = table.withLock { table in
      hasGone.store(false, ordering: .relaxed)
      return table.takeGone()
    }
    for serial in gone { body(serial) }
  }

  /// Whether a connection has not been greeted, or is silent, for too long; says so once until it
  /// is found again.
  func takeOverdue() -> Bool {
    isOverdue.load(ordering: .relaxed) && isOverdue.exchange(false, ordering: .relaxed)
  }

  /// Shuts down the connections that should have been greeted, or have spoken, by a moment.
  func shutDownSilent(at moment: Int64) {
    table.withLock { table in
      for connection in table.takeSilent(at: moment) {
        cutSilent.add(1, ordering: .relaxed)
        shutDown(connection)
      }
    }
  }

  /// Shuts down the connection with a serial, if it is open; nothing more is received from it.
  func shutDown(
    _ serial: UInt64,
    _ descriptor: Int32,
    _ side: ConnectionTable.Side,
    reason: String,
  ) {
    let (peer, holder) = table.withLock { table -> (String?, Holder) in
      guard table.identify(serial, descriptor, side) else { return (nil, .unknown) }
      if let identity = table.identity(descriptor, side) {
        Connection.discard(descriptor, identity)
      }
      let peer = table.peer(descriptor, side).name
      return (peer, table.holder(of: serial, descriptor, side))
    }
    report(CutReports.Cut(connection: serial, peer: peer, holder: holder, reason: reason))
  }

  private func report(_ cut: CutReports.Cut) {
    cuts.withLock { $0.add(cut) }
    reportCuts(at: LoopClock.nanoseconds)
  }

  /// Says which connections were shut down, unless that was said a moment ago.
  private func reportCuts(at now: Int64, isLast: Bool = false) {
    for line in cuts.withLock({ $0.take(at: now, isLast: isLast) }) {
      // That strangers try is nothing that an operator has to do something about.
      let level: Logger.Level = line.kind == .unknown ? .info : .warning
      logger.log(level: level, "\(line.text)", metadata: line.details.mapValues { "\($0)" })
    }
  }

  /// Admits only users and keys with a grant, and ends the connections of others.
  ///
  /// Whoever is let in by the group of a process is asked once more.
  func admit(_ grants: Grants) {
    door.withLock { $0.grants = grants }
    table.withLock { table in
      let others = table.connections {
        grants.admits(.user($0, group: .max, process: 0))
      } namesBut: {
        $0.isGood(under: grants)
      }
      for connection in others { shutDown(connection) }
    }
  }

  private func shutDown(_ connection: ConnectionTable.Ended) {
    guard let identity = connection.identity else { return }
    Connection.shutDown(connection.descriptor, identity)
  }

  /// Lets in who has one of these tickets, each until then, to the control socket alone.
  func admit(tickets: [[UInt8]: Int64]) { door.withLock { $0.tickets = tickets } }

  // MARK: - The thread

  /// Runs until neither socket is monitored any longer.
  func run() {
    do throws(ZeroMQError) {
      try guardConnections()
    } catch {
      logger.critical("Connections cannot be guarded any more: \(error) The daemon ends.")
      DispatchQueue.main.async { [self] in MainActor.assumeIsolated { onFailure(error) } }
      drain()
    }
  }

  /// Reads the monitors to their ends, and lets nobody in.
  ///
  /// When nobody reads them, the library's I/O thread waits, and then nothing can be sent, and no
  /// socket be closed.
  func drain() {
    do throws(ZeroMQError) {
      let poller = Poller(monitors.map { .socket($0.monitor.socket) })
      while stopped < monitors.count {
        _ = try poller.wait(timeout: nil)
        for (_, monitor) in monitors {
          while let event = try monitor.next() { if event == .stopped { stopped += 1 } }
        }
      }
    } catch {
      context.shutDown()
    }
  }

  private func guardConnections() throws(ZeroMQError) {
    let poller = Poller([.socket(admission.socket)] + monitors.map { .socket($0.monitor.socket) })
    var floods = FloodWatch()
    var memory = MemoryReturn()
    var nextLook: Int64 = 0
    var lastReminder: Int64 = 0
    // Nobody is there any more who would have a later line of it.
    defer { reportCuts(at: LoopClock.nanoseconds, isLast: true) }
    while stopped < monitors.count {
      let look = until(nextLook, isPending: memory.isPending)
      let waits = [remind(&lastReminder), look, untilCutsAreTold].compactMap(\.self)
      _ = try poller.wait(timeout: waits.min())
      try takeEvents()
      let now = LoopClock.nanoseconds
      if now >= nextLook {
        let bytes = ZeroMQLibrary.residentBytes
        if bytes > 0, !isReturningMemory.load(ordering: .acquiring) {
          try shutDownFlood(&floods, at: bytes)
          returnMemory(&memory, of: bytes, at: now)
        }
        let end = LoopClock.nanoseconds
        // Looking takes no more than a part of the thread's time.
        nextLook = end + max(floods.interval, 3 * (end - now))
      }
      while let request = try admission.next() {
        // What was over before this one came must be known before it is let in.
        try takeEvents()
        try answer(request)
      }
      reportCuts(at: LoopClock.nanoseconds)
    }
  }

  private var untilCutsAreTold: Duration? {
    cuts.withLock { $0.due }.map { .nanoseconds(max(0, $0 - LoopClock.nanoseconds)) }
  }

  /// Handles the events of the monitors.
  private func takeEvents() throws(ZeroMQError) {
    for (side, monitor) in monitors {
      while let event = try monitor.next() {
        switch event {
        case .accepted(let descriptor):
          accept(descriptor, side)
        case .disconnected(let descriptor):
          let isTold = table.withLock { table in
            hasGone.store(true, ordering: .releasing)
            return table.disconnect(descriptor, side)
          }
          if isTold { wakeMainLoop() }
        // Told to those only who connect.
        case .connected, .refused, .mismatched: break
        case .stopped: stopped += 1
        }
      }
    }
  }

  private func accept(_ descriptor: Int32, _ side: ConnectionTable.Side) {
    let user = Connection.user(descriptor)
    let program = PeerProgram(descriptor)
    // Where the connection is over already, its descriptor may be that of a socket of the program.
    let identity = Connection.Identity(descriptor).flatMap { ends.contains($0.ownEnd) ? $0 : nil }
    let now = LoopClock.nanoseconds
    let refusal = table.withLock { table -> CutReports.Cut? in
      if table.accept(descriptor, side, user: user, program: program, identity: identity, now: now)
      {
        return nil
      }
      return CutReports.Cut(
        kind: .refused,
        peer: table.peer(descriptor, side).name,
        holder: table.holder(at: descriptor, side),
        reason: "was one too many, or came too fast",
      )
    }
    guard let refusal else { return }
    refused.add(1, ordering: .relaxed)
    cuts.withLock { $0.add(refusal) }
    shutDown(ConnectionTable.Ended(descriptor: descriptor, identity: identity))
  }

  private func answer(_ request: Admission.Request) throws(ZeroMQError) {
    guard let suffix = suffix(for: request) else {
      refused.add(1, ordering: .relaxed)
      let cut = CutReports.Cut(
        kind: .unknown,
        peer: request.address,
        holder: holder(of: request),
        reason: "is of a user to whom nothing is granted",
      )
      cuts.withLock { $0.add(cut) }
      return try admission.refuse(request)
    }
    let serial = table.withLock { $0.makeSerial() }
    // In the one property that no peer can choose.
    try admission.accept(request, as: "\(serial)\(suffix)")
  }

  /// The holder of a peer that is refused, whose key has no name.
  private func holder(of request: Admission.Request) -> Holder {
    if request.key != nil { return .network }
    let identity = ActionOrigin.Identity(place: request.address)
    return door.withLock { $0.grants.holder(of: identity) }
  }

  /// What follows the serial of an admitted peer; nil for a peer that is refused.
  private func suffix(for request: Admission.Request) -> String? {
    door.withLock { door in
      guard let key = request.key else {
        // Over ipc the kernel says who it is; that others cannot open the socket's file is not all
        // that keeps them out.
        let identity = ActionOrigin.Identity(place: request.address)
        guard door.grants.admits(identity), let name = PeerName(identity) else { return nil }
        return " \(name.word)"
      }
      if let name = door.grants.name(ofKey: key) { return " \(PeerName.key(name, key).word)" }
      guard request.domain == ConnectionTable.Side.control.domain,
        let end = door.tickets[key], LoopClock.nanoseconds < end
      else { return nil }
      return " \(PeerName.ticket(KeyTicket(key: key)).word)"
    }
  }

  /// Reminds the main actor of those who were not greeted, or are silent, for too long.
  ///
  /// - Returns: When to look again; nil for when something happens.
  private func remind(_ lastReminder: inout Int64) -> Duration? {
    guard let end = table.withLock({ $0.firstSilentEnd }) else { return nil }
    let now = LoopClock.nanoseconds
    let next = max(end, lastReminder + Self.reminder)
    if next > now { return .nanoseconds(next - now) }
    lastReminder = now
    isOverdue.store(true, ordering: .relaxed)
    wakeMainLoop()
    return .nanoseconds(Self.reminder)
  }

  /// Returns memory to the system when the process has grown; on another thread, as it is slow.
  ///
  /// Meanwhile the library's thread may have to wait, and what waits in the system says nothing.
  private func returnMemory(_ memory: inout MemoryReturn, of bytes: Int, at now: Int64) {
    let end = returnEnd.exchange(0, ordering: .relaxed)
    if end > 0 { memory.returned(from: returnStart.load(ordering: .relaxed), to: end) }
    guard memory.isDue(at: bytes, now: now) else { return }
    isReturningMemory.store(true, ordering: .relaxed)
    memoryQueue.async { [self] in
      returnStart.store(LoopClock.nanoseconds, ordering: .relaxed)
      ZeroMQLibrary.returnMemory()
      returnEnd.store(LoopClock.nanoseconds, ordering: .relaxed)
      isReturningMemory.store(false, ordering: .releasing)
    }
  }

  /// Shuts down peers that fill the memory while the main thread is busy.
  private func shutDownFlood(
    _ watch: inout FloodWatch,
    at bytes: Int,
  ) throws(ZeroMQError) {
    if watch.hasGrown(to: bytes, rounds: rounds.load(ordering: .relaxed)) {
      let connections = table.withLock { $0.senders }
      if let flood = watch.look(at: connections, queued: Connection.queuedBytes) {
        // A descriptor of our own: what is told of it from here on is about this connection.
        let own = Connection.duplicate(flood.descriptor)
        do throws(ZeroMQError) {
          try takeEvents()
        } catch {
          if let own { Connection.release(own) }
          throw error
        }
        shutDown(flood, own)
      }
    }
  }

  private func shutDown(_ flood: FloodWatch.Connection, _ own: Int32?) {
    guard let own else { return }
    defer { Connection.release(own) }
    let found = table.withLock { table in
      table.cut(flood)
        ? (
          peer: table.peer(flood.descriptor, flood.side),
          holder: table.holder(at: flood.descriptor, flood.side),
        ) : nil
    }
    guard let (peer, holder) = found else { return }
    Connection.discard(own: own)
    cutFloods.add(1, ordering: .relaxed)
    hasFloods.store(true, ordering: .releasing)
    let reason = "went on sending while nobody was heard"
    report(
      CutReports.Cut(connection: peer.serial, peer: peer.name, holder: holder, reason: reason)
    )
  }

  private func until(_ moment: Int64, isPending: Bool) -> Duration? {
    !isPending && table.withLock { $0.count } == 0
      ? nil : .nanoseconds(max(0, moment - LoopClock.nanoseconds))
  }

  private func wakeMainLoop() {
    guard !isWaking.exchange(true, ordering: .relaxed) else { return }
    DispatchQueue.main.async { [self] in
      isWaking.store(false, ordering: .relaxed)
      MainActor.assumeIsolated { wakeUp() }
    }
  }
}
