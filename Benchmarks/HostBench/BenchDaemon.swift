import FoundationEssentials
import StoreActor
import StoreProtocol
import StoreServer
import StoreState
import StoredWorkspace

/// The shipped daemon without its sockets, with a number of rows: the bench passes frames in, and
/// reads frames out.
@MainActor
final class BenchDaemon {
  let root: RootCore<WorkspaceFeature.State, WorkspaceFeature.Action>
  /// The rows' ids, in order.
  let ids: [UUID]
  private let link: BenchLink
  private let daemonTurn: DaemonTurn<BenchLink>

  init(rows count: Int, revision: UInt64 = 0) {
    let todos = Self.todos(count)
    ids = Array(todos.items.ids)
    root = RootCore(
      initialState: { WorkspaceFeature.State(todos: todos) },
      reducer: { WorkspaceFeature() },
      revision: revision,
    )
    link = BenchLink()
    let server = ReplicaServer(
      root: root,
      exposures: WorkspaceFeature.exposures,
      epoch: 1,
      processID: 1,
      now: link.now,
      generator: Pseudorandom(seed: 1),
    )
    daemonTurn = DaemonTurn(server, transport: link)
  }

  var server: ReplicaServer { daemonTurn.server }

  static func todos(_ count: Int) -> Todos.State {
    var numbers = Pseudorandom(seed: 2)
    let items = (0..<count).map { place in
      Todo.State(id: numbers.uuid(), title: "Something to do, no. \(place)")
    }
    return Todos.State(items: IdentifiedArray(uniqueElements: items))
  }

  static let peer = PeerID(bytes: [0, 0, 0, 0, 1])

  /// Runs a turn of the loop that takes a frame and advances the clock by the time of such a turn.
  func turn(_ frame: [UInt8], from peer: PeerID = peer) {
    link.control.append(IncomingFrame(peer: peer, bytes: frame[...]))
    turn()
  }

  func turn(_ message: ClientMessage, from peer: PeerID = peer) {
    turn(message.encoded(), from: peer)
  }

  func turn(upstream fence: Fence, from peer: PeerID = PeerID(bytes: [1])) {
    link.upstream.append(IncomingFrame(peer: peer, bytes: fence.encoded()[...]))
    turn()
  }

  func turn(_ result: CaptureJob.Result) {
    daemonTurn.finish(result)
    turn()
  }

  /// Advances the clock until all deadlines are due.
  func turnAfterSilence() {
    link.pass(.seconds(1))
    turn()
  }

  /// Runs a turn of the loop that takes the queued frames.
  func turn() {
    link.pass(.microseconds(20))
    link.outgoing.removeAll(keepingCapacity: true)
    _ = daemonTurn.receive()
    daemonTurn.end()
  }

  /// Queues a frame for one of the next turns.
  func enqueue(_ message: ClientMessage, from peer: PeerID) {
    link.control.append(IncomingFrame(peer: peer, bytes: message.encoded()[...]))
  }

  /// Takes the requested captures.
  func takeJobs() -> [CaptureJob] {
    defer { link.jobs = [] }
    return link.jobs
  }

  /// Runs the captures, which a real daemon does on another thread.
  func runJobs() {
    for job in takeJobs() { turn(job.run()) }
  }

  // MARK: Outgoing frames

  /// The frames of the last turn.
  var outgoing: [OutgoingFrame] { link.outgoing }

  var controlMessages: [DaemonMessage] {
    get throws {
      try outgoing.compactMap { frame in
        guard case .control(_, let bytes) = frame else { return nil }
        return try DaemonMessage(frame: bytes[...])
      }
    }
  }

  /// The bytes of all frames, without topics and the peer's name.
  var outgoingBytes: Int {
    outgoing.reduce(0) { sum, frame in
      switch frame {
      case .control(_, let bytes), .publish(_, let bytes): sum + bytes.count
      }
    }
  }

  // MARK: Clients that ship

  /// Adds a client.
  func addClient(_ number: UInt64) -> BenchClient {
    BenchClient(number, link, welcome: server.welcome)
  }

  /// Runs turns until all frames have arrived.
  ///
  /// - Parameter clients: The clients that send first, without incoming frames.
  /// - Throws: ``BenchError`` if a client lost its session.
  func exchange(_ clients: [BenchClient] = []) throws {
    for client in clients { try client.turn() }
    repeat {
      turn()
      runJobs()
      while let client = link.nextClient() { try client.turn() }
    } while isBusy
  }

  /// Whether frames are queued, or a deadline is due.
  var isBusy: Bool {
    !link.control.isEmpty || !link.upstream.isEmpty
      || daemonTurn.nextDeadline.map { $0 <= link.now.instant } ?? false
  }

  // MARK: A client by hand

  /// Sends a hello.
  ///
  /// - Parameters:
  ///   - number: The client's number.
  ///   - peer: The sender of its frames.
  /// - Returns: The session's token.
  /// - Throws: ``BenchError`` if the daemon gives no token.
  func hello(_ number: UInt64 = 1, from peer: PeerID = peer) throws -> Identifier {
    turn(
      .hello(
        ClientMessage.Hello(
          clientID: Identifier(high: 1, low: number),
          token: nil,
          firstSequence: 1,
          name: "bench",
          isListed: false,
        )
      ),
      from: peer,
    )
    for case .helloOK(let hello) in try controlMessages { return hello.token }
    throw BenchError("No answer to hello but \(try controlMessages)")
  }

  static func join(_ scope: String) -> ClientMessage {
    let request = ClientMessage.JoinRequest(
      scope: scope,
      mode: .follow,
      stateHash: nil,
      actionHash: nil,
      position: nil,
    )
    return .join(nonce: 1, [request])
  }

  /// Follows a scope, and takes its snapshot.
  func follow(_ scope: String) throws {
    let token = try hello()
    turn(Self.join(scope))
    turn(upstream: Fence(token: token, nonce: 1))
    runJobs()
    var sent = outgoingBytes
    while sent > 0 {
      turn(.credit(nonce: 1, bytes: UInt64(sent)))
      sent = outgoingBytes
    }
    turnAfterSilence()
  }

  /// Returns the frame of an action that toggles one row, sent to the followed scope.
  static func toggle(_ id: UUID, sequence: UInt64) throws -> [UInt8] {
    let action = Todos.Action.items(.element(id: id, action: .toggleButtonTapped))
    let request = ClientMessage.ActionRequest(
      handle: 1,
      action: try action.encoded()[...],
      deadline: nil,
    )
    return ClientMessage.actions(first: sequence, [request]).encoded()
  }
}

/// The reason why a measurement failed.
struct BenchError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
