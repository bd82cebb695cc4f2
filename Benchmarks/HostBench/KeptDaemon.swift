import Foundation
import StoreActor
import StoreHistory
import StoreJournal
import StoreProtocol
import StoreServer
import StoreState
import StoredWorkspace

/// The shipped daemon with its journal, without sockets: it discards all outgoing frames.
@MainActor
final class KeptDaemon {
  private let core: RootCore<WorkspaceFeature.State, WorkspaceFeature.Action>
  private let turn: DaemonTurn<NoSockets>
  private let sockets = NoSockets()
  private let journal: TimedJournal
  private let ids: [UUID]
  private var sequence: UInt64 = 1

  static let form = DurableForm(WorkspaceFeature.State.self)

  /// Creates a daemon with a new history.
  ///
  /// - Parameters:
  ///   - path: The data directory, which must be empty.
  ///   - rows: The number of rows.
  ///   - hasSnapshots: Whether snapshots after the first one are kept.
  ///   - retention: The limits of the kept history.
  /// - Throws: `JournalError`.
  init(data path: String, rows: Int, hasSnapshots: Bool, retention: Retention) throws {
    let todos = BenchDaemon.todos(rows)
    ids = Array(todos.items.ids)
    core = RootCore(
      initialState: { WorkspaceFeature.State(todos: todos) },
      reducer: { WorkspaceFeature() },
    )
    let file = try Self.open(path)
    try file.begin()
    let recovered = Recovery(Self.form, initial: core.state).finish()
    try file.write(recovered.snapshot(Self.form), of: 0)
    journal = TimedJournal(DiskJournal(file, retention))
    var limits = Limits()
    if !hasSnapshots { limits.recordBytesPerSnapshot = .max }
    let server = ReplicaServer(
      root: core,
      exposures: WorkspaceFeature.exposures,
      journal: RootJournal(Self.form, recorder: Recorder(revision: 0, limits: limits)),
      recovered: recovered,
      epoch: 1,
      limits: limits,
      processID: 1,
      now: sockets.now,
      generator: Pseudorandom(seed: 1),
    )
    turn = DaemonTurn(server, transport: sockets, journal: journal)
    journal.onResult = { [unowned self] in turn.finish($0) }
  }

  /// Opens a session that sends to the rows.
  private func connect() async {
    await take(
      .hello(
        ClientMessage.Hello(
          clientID: Identifier(high: 1, low: 1),
          token: nil,
          firstSequence: 1,
          name: "bench",
          isListed: false,
        )
      )
    )
    let request = ClientMessage.JoinRequest(
      scope: "todos",
      mode: .sendOnly,
      stateHash: nil,
      actionHash: nil,
      position: nil,
    )
    await take(.join(nonce: 1, [request]))
  }

  /// Opens a data directory.
  static func open(_ path: String) throws -> JournalDirectory {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return try JournalDirectory(
      directory: path,
      root: form.name,
      schema: form.schema,
      durability: .full,
      epoch: 1,
    )
  }

  /// Runs turns until a message is taken; it waits while the disk lags.
  private func take(_ message: ClientMessage) async {
    sockets.control = message.encoded()
    turnOnce()
    while sockets.control != nil { await nextResult() }
    // Results of the journal arrive between two turns.
    await Task.yield()
  }

  private func turnOnce() {
    _ = turn.receive()
    turn.end()
  }

  /// Waits for a result of the journal, then runs a turn.
  private func nextResult() async {
    if journal.isBusy { await journal.nextResult() }
    turnOnce()
  }

  /// Toggles rows, 128 in a frame, at the speed of the disk; returns when all are durable.
  func toggle(_ count: Int) async throws {
    await connect()
    var numbers = Pseudorandom(seed: 3)
    var left = count
    let mostUnsaid = UInt64(Limits().window - 2 * 128)
    while left > 0 {
      // A client counts its outcomes and keeps to the window; so does this loop.
      turnOnce()
      while core.revision - turn.server.revision > mostUnsaid { await nextResult() }
      let requests = try (0..<min(left, 128)).map { _ in
        let id = ids[Int.random(in: ids.indices, using: &numbers)]
        let action = Todos.Action.items(.element(id: id, action: .toggleButtonTapped))
        return ClientMessage.ActionRequest(
          handle: 1,
          action: try action.encoded()[...],
          deadline: nil,
        )
      }
      await take(.actions(first: sequence, requests))
      sequence += UInt64(requests.count)
      left -= requests.count
    }
    while turn.server.revision < core.revision {
      if let failure = turn.failure { throw BenchError(failure) }
      await nextResult()
    }
    guard core.revision == UInt64(count) else {
      throw BenchError("\(count) toggles led to revision \(core.revision)")
    }
  }

  /// Ends in the way of a daemon, after all journal calls.
  func close() async throws -> TimedJournal {
    while journal.isBusy { await nextResult() }
    turn.detach()
    try journal.close()
    return journal
  }
}

/// Measures the time of each commit.
@MainActor
final class TimedJournal: Journal {
  private let journal: DiskJournal
  private var start: Int64 = 0
  /// The times of the commits in milliseconds.
  private(set) var commits = Samples()
  private(set) var snapshots = 0
  private(set) var recordBytes = 0
  /// The number of calls without a result.
  private var callsUnderWay = 0
  var isBusy: Bool { callsUnderWay > 0 }
  private var waiting: CheckedContinuation<Void, Never>?
  var onResult: (JournalResult) -> Void = { _ in }

  init(_ journal: DiskJournal) {
    self.journal = journal
    journal.onResult = { [unowned self] in take($0) }
  }

  func append(_ batch: JournalBatch) {
    start = Machine.nanoseconds
    callsUnderWay += 1
    recordBytes += batch.records.count
    journal.append(batch)
  }

  func renew(epoch: UInt64) {
    callsUnderWay += 1
    journal.renew(epoch: epoch)
  }

  var hasResult: Bool { journal.hasResult }

  func store(_ snapshot: JournalSnapshot) {
    callsUnderWay += 1
    journal.store(snapshot)
  }

  private func take(_ result: JournalResult) {
    switch result {
    case .durable: commits.append(Double(Machine.nanoseconds - start) / 1e6)
    case .snapshot: snapshots += 1
    case .retryLater, .failed, .fenced, .renewed: break
    // They arrive in addition to the result of a snapshot, and before that of the epoch.
    case .untrimmed, .unrenewed: callsUnderWay += 1
    }
    callsUnderWay -= 1
    onResult(result)
    waiting.take()?.resume()
  }

  /// Waits for the next result of a call.
  func nextResult() async { await withCheckedContinuation { waiting = $0 } }

  func close() throws { try journal.close(within: .seconds(60)) }
}

/// Sockets without peers.
@MainActor
final class NoSockets: DaemonTransport {
  typealias Failure = Never

  /// The next incoming frame.
  var control: [UInt8]?

  var now: Moment { Moment(instant: instant, wallMilliseconds: 1_000_000) }
  // The clock stands still, so that no lease needs to be renewed.
  var instant: Instant { Instant(nanoseconds: 1_000_000_000) }
  let caller = Caller(.unknown, at: "")

  func nextUpstream() -> IncomingFrame? { nil }

  func nextControl(besides _: Set<Holder>) -> IncomingFrame? {
    defer { control = nil }
    return control.map { IncomingFrame(peer: BenchDaemon.peer, bytes: $0[...]) }
  }

  var isBehind: Bool { false }

  func nextLost() -> PeerID? { nil }
  func shutDown(_: PeerID, reason: String) {}
  func publish(_: [UInt8], _: [UInt8]) {}
  func send(_: [UInt8], to _: PeerID) -> Bool { true }
  func start(_: CaptureJob) {}
  func wakeUp() {}

  func welcome(with message: [UInt8]) {}
  func report(_: ServerNotice) {}
}
