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

/// Admits or refuses connections on its own thread.
///
/// A busy main thread therefore neither delays new connections nor lets their number exceed the
/// available descriptors.
///
/// Each admitted connection gets a serial that is never reused. libzmq attaches it to each of the
/// connection's frames. A routing id would not suffice, because peers choose it.
///
/// Isolation: the thread and the main actor share `table`, `door` and `cuts`, each protected by its
/// mutex, and the atomics such as `hasGone`. `wakeUp` belongs to the main actor. The sockets belong
/// to the thread that runs ``run()``, and to its joiner afterwards.
final class ConnectionGuard: Sendable {
  /// Nanoseconds between two reminders about silent connections.
  private static let reminder: Int64 = 250_000_000
  /// The peers that may connect.
  private struct Door {
    var grants: Grants
    /// The public keys of tickets, and the end of each one's validity.
    ///
    /// Bounded by ``KeyService/Limits/tickets``.
    var tickets: [[UInt8]: Int64] = [:]
  }

  private let table: Mutex<ConnectionTable>
  private let hasGone = Atomic(false)
  private let hasFloods = Atomic(false)
  /// The number of times that the main thread has served all peers.
  private let rounds = Atomic<UInt64>(0)
  private let isOverdue = Atomic(false)
  private let isWaking = Atomic(false)
  private let isReturningMemory = Atomic(false)
  /// The time span of the last return of memory to the system; read while no return is running.
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
  /// Called once if the thread cannot guard connections any more; the daemon must then end.
  @MainActor var onFailure: (ZeroMQError) -> Void = { _ in }
  /// The endpoints of the two sockets.
  private let ends: Set<Connection.OwnEnd>
  private let context: Context

  // Only the thread uses it while it runs.
  nonisolated(unsafe) private let admission: Admission
  // Only the thread uses it while it runs.
  nonisolated(unsafe) private let monitors: [(side: ConnectionTable.Side, monitor: SocketMonitor)]
  // The number of monitors that have ended. Only the thread uses it.
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

  /// The number of connections that were refused.
  var refusedCount: UInt64 { refused.load(ordering: .relaxed) }

  /// The number of connections that were shut down because they were silent.
  var cutSilentCount: UInt64 { cutSilent.load(ordering: .relaxed) }

  /// The number of connections that were shut down because they kept sending while the main thread
  /// was busy.
  var cutFloodCount: UInt64 { cutFloods.load(ordering: .relaxed) }

  /// Records that the main thread has read everything received.
  func heardEverybody() { rounds.add(1, ordering: .relaxed) }

  /// Calls the closure with each serial that the thread has shut down for a flood.
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

  /// Records that a control connection was greeted.
  func greet(_ serial: UInt64, _ descriptor: Int32) {
    table.withLock { $0.greet(serial, descriptor) }
  }

  /// Calls the closure once with each serial whose connection has ended.
  ///
  /// A peer that is admitted from now on cannot own the routing id of a serial that is reported
  /// later: the guard reads the monitors' events before it admits a peer.
  func forEachGone(_ body: (UInt64) -> Void) {
    guard hasGone.load(ordering: .acquiring) else { return }
    let gone = table.withLock { table in
      hasGone.store(false, ordering: .relaxed)
      return table.takeGone()
    }
    for serial in gone { body(serial) }
  }

  /// Returns whether a connection was not greeted, or was silent, for too long; true once until the
  /// thread finds such a connection again.
  func takeOverdue() -> Bool {
    isOverdue.load(ordering: .relaxed) && isOverdue.exchange(false, ordering: .relaxed)
  }

  /// Shuts down the connections that were not greeted, or were silent, by their deadlines at
  /// a moment.
  func shutDownSilent(at moment: Int64) {
    table.withLock { table in
      for connection in table.takeSilent(at: moment) {
        cutSilent.add(1, ordering: .relaxed)
        shutDown(connection)
      }
    }
  }

  /// Shuts down the connection with a serial, if it is open, and discards its further input.
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

  /// Logs the connections that were shut down, at most one line per holder, kind and interval.
  private func reportCuts(at now: Int64, isLast: Bool = false) {
    for line in cuts.withLock({ $0.take(at: now, isLast: isLast) }) {
      // Attempts of strangers require no action of an operator.
      let level: Logger.Level = line.kind == .unknown ? .info : .warning
      logger.log(level: level, "\(line.text)", metadata: line.details.mapValues { "\($0)" })
    }
  }

  /// Admits only users and keys with a grant, and ends the connections of others.
  ///
  /// Connections that were admitted by the group of a process end too; their next attempt
  /// is checked.
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

  /// Admits the holders of these tickets to the control socket alone, each until its end.
  func admit(tickets: [[UInt8]: Int64]) { door.withLock { $0.tickets = tickets } }

  // MARK: - The thread

  /// Runs until both monitors have ended.
  func run() {
    do throws(ZeroMQError) {
      try guardConnections()
    } catch {
      logger.critical("Connections cannot be guarded any more: \(error) The daemon ends.")
      DispatchQueue.main.async { [self] in MainActor.assumeIsolated { onFailure(error) } }
      drain()
    }
  }

  /// Reads the monitors to their ends, and admits no peers.
  ///
  /// If the monitors are not read, the library's I/O thread waits; then no message can be sent and
  /// no socket can be closed.
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
    // No later call reports the remaining cuts.
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
        // The checks take at most a quarter of the thread's time.
        nextLook = end + max(floods.interval, 3 * (end - now))
      }
      while let request = try admission.next() {
        // The ends of earlier connections must be known before this one is admitted.
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
        // Only connecting sockets report these.
        case .connected, .refused, .mismatched: break
        case .stopped: stopped += 1
        }
      }
    }
  }

  private func accept(_ descriptor: Int32, _ side: ConnectionTable.Side) {
    let user = Connection.user(descriptor)
    let program = PeerProgram(descriptor)
    // If the connection has already ended, its descriptor may belong to another socket of
    // the program.
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
        reason: "exceeded the number or rate of connections",
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
        reason: "is of a user without a grant",
      )
      cuts.withLock { $0.add(cut) }
      return try admission.refuse(request)
    }
    let serial = table.withLock { $0.makeSerial() }
    // User-Id is the one property that no peer can choose.
    try admission.accept(request, as: "\(serial)\(suffix)")
  }

  /// The holder of a refused peer, whose key has no name.
  private func holder(of request: Admission.Request) -> Holder {
    if request.key != nil { return .network }
    let identity = ActionOrigin.Identity(place: request.address)
    return door.withLock { $0.grants.holder(of: identity) }
  }

  /// The text after the serial of an admitted peer; nil for a peer that is refused.
  private func suffix(for request: Admission.Request) -> String? {
    door.withLock { door in
      guard let key = request.key else {
        // Over ipc the kernel reports the user. The permissions of the socket's file are the first
        // barrier, and this check is the second.
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

  /// Reminds the main actor of connections that were not greeted, or were silent, for too long.
  ///
  /// - Returns: The time until the next check; nil to wait for the next event.
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

  /// Returns memory to the system when the process has grown; on another thread, because it
  /// is slow.
  ///
  /// Meanwhile the library's thread may have to wait, so backlogs in the kernel are no evidence of
  /// a flood.
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
        // A duplicate descriptor: later reports for it are about this connection.
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
    let reason = "kept sending while the daemon received no messages"
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
