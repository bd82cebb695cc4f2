import FoundationEssentials
import StoreActor
import StoreReplication
import StoreState
import Workspace

/// The daemon that ships, without its sockets: frames by hand in, frames out, with as many rows as
/// are wanted.
@MainActor
final class BenchDaemon {
  typealias Server = ReplicaServer

  let root: RootCore<WorkspaceFeature.State, WorkspaceFeature.Action>
  let server: Server
  /// The rows' ids, in order.
  let ids: [UUID]
  private var now = Moment(
    instant: Instant(nanoseconds: 1_000_000_000),
    wallMilliseconds: 1_000_000,
  )
  /// What was sent and not looked at yet.
  private(set) var outgoing: [OutgoingFrame] = []

  init(rows count: Int, revision: UInt64 = 0) {
    let todos = Self.todos(count)
    ids = Array(todos.items.ids)
    root = RootCore(
      initialState: { WorkspaceFeature.State(todos: todos) },
      reducer: { WorkspaceFeature() },
      revision: revision,
    )
    server = Server(
      root: root,
      exposures: WorkspaceFeature.exposures,
      epoch: 1,
      processID: 1,
      now: now,
      generator: Pseudorandom(seed: 1),
    )
  }

  static func todos(_ count: Int) -> Todos.State {
    var numbers = Pseudorandom(seed: 2)
    let items = (0..<count).map { place in
      Todo.State(id: numbers.uuid(), title: "Something to do, no. \(place)")
    }
    return Todos.State(items: IdentifiedArray(uniqueElements: items))
  }

  static let peer = PeerID(bytes: [0, 0, 0, 0, 1])

  /// A turn of the loop that takes a frame, and as much time as such a turn takes.
  func turn(_ frame: [UInt8]? = nil) {
    now.instant.nanoseconds += 20_000
    if let frame {
      server.receive(control: frame[...], from: Self.peer, address: "", at: now)
    }
    endTurn()
  }

  func turn(_ message: ClientMessage) { turn(message.encoded()) }

  func turn(upstream fence: Fence) {
    now.instant.nanoseconds += 20_000
    server.receive(upstream: fence.encoded()[...], from: PeerID(bytes: [1]), at: now)
    endTurn()
  }

  func turn(_ result: CaptureJob.Result) {
    server.receive(result, at: now)
    endTurn()
  }

  /// Lets so much time pass that everything is due.
  func turnAfterSilence() {
    now.instant.nanoseconds += 1_000_000_000
    endTurn()
  }

  private func endTurn() {
    if let deadline = server.nextDeadline, deadline <= now.instant {
      server.tick(now)
    } else {
      server.endTurn(now)
    }
    outgoing = server.takeOutgoing()
  }

  /// Does what another thread would.
  func runJobs() {
    for job in server.takeJobs() { turn(job.run()) }
  }

  // MARK: What was sent

  var controlMessages: [DaemonMessage] {
    get throws {
      try outgoing.compactMap { frame in
        guard case .control(_, let bytes) = frame else { return nil }
        return try DaemonMessage(frame: bytes[...])
      }
    }
  }

  /// Bytes of all frames, topics and the peer's name not counted.
  var outgoingBytes: Int {
    outgoing.reduce(0) { sum, frame in
      switch frame {
      case .control(_, let bytes), .publish(_, let bytes): sum + bytes.count
      }
    }
  }

  // MARK: A client

  /// Says hello; returns the session's token.
  func hello() throws -> Identifier {
    turn(
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

  /// Follows a scope, and takes its snapshot in.
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

  /// The frame of an action that toggles one row, by way of the scope followed.
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

/// A measurement that could not be made, and why.
struct BenchError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
