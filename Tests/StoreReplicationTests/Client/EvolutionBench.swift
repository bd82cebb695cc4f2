import Simulation
import StoreActor
import StoreState
import Testing

@testable import StoreReplication

/// A daemon whose root is nothing but the scope "library", of any build.
struct LibraryHost<Library: ReplicatedState & Equatable, LibraryAction: WireAction>: Reducer {
  struct State: Sendable {
    var library: Library
    var tail: Library?
  }

  enum Action: Sendable {
    case library(LibraryAction)
    case tail(LibraryAction)
    case tailReplaced(Library?)
  }

  let reduceLibrary: @Sendable (inout Library, LibraryAction) -> Void

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .library(let action): reduceLibrary(&state.library, action)
      case .tail(let action):
        guard var tail = state.tail else { return .none }
        reduceLibrary(&tail, action)
        state.tail = tail
      case .tailReplaced(let tail): state.tail = tail
      }
      return .none
    }
  }

  static var exposures: [Expose<State, Action>] {
    [
      Expose("library", state: \.library, action: \.library),
      Expose("tail", state: \.tail, action: \.tail),
    ]
  }
}

extension LibraryHost.Action: CasePathable {
  struct AllCasePaths: Sendable {
    var library: AnyCasePath<LibraryHost.Action, LibraryAction> {
      AnyCasePath(
        embed: { .library($0) },
        extract: { if case .library(let action) = $0 { action } else { nil } },
      )
    }

    var tail: AnyCasePath<LibraryHost.Action, LibraryAction> {
      AnyCasePath(
        embed: { .tail($0) },
        extract: { if case .tail(let action) = $0 { action } else { nil } },
      )
    }
  }

  static var allCasePaths: AllCasePaths { AllCasePaths() }
}

/// A daemon without its types.
@MainActor
protocol AnyDaemon: AnyObject {
  var welcome: [UInt8] { get }
  func receive(control frame: [UInt8], from peer: PeerID, at moment: Moment)
  func receive(upstream frame: [UInt8], at moment: Moment)
  func tick(_ moment: Moment)
  /// Ends the turn and says what goes out: messages to a peer, and published ones with a topic.
  func turn(_ moment: Moment) -> [(peer: PeerID?, topic: [UInt8], body: [UInt8])]
}

@MainActor
final class LibraryDaemon<Library: ReplicatedState & Equatable, Action: WireAction>: AnyDaemon {
  typealias Host = LibraryHost<Library, Action>

  let root: RootCore<Host.State, Host.Action>
  private let server: ReplicaServer

  init(
    _ library: Library,
    tail: Library? = nil,
    epoch: UInt64,
    _ reduce: @escaping @Sendable (inout Library, Action) -> Void,
  ) {
    let state = Host.State(library: library, tail: tail)
    root = RootCore(initialState: { state }, reducer: { Host(reduceLibrary: reduce) })
    server = ReplicaServer(
      root: root,
      exposures: Host.exposures,
      epoch: epoch,
      processID: 1,
      now: EvolutionBench.start,
      generator: SeededGenerator(seed: epoch),
    )
  }

  var library: Library { root.state.library }
  var welcome: [UInt8] { server.welcome }

  func receive(control frame: [UInt8], from peer: PeerID, at moment: Moment) {
    server.receive(control: frame[...], from: peer, address: "bench", at: moment)
  }

  func receive(upstream frame: [UInt8], at moment: Moment) {
    server.receive(upstream: frame[...], from: PeerID(bytes: [1, 1]), at: moment)
  }

  func tick(_ moment: Moment) { server.tick(moment) }

  func turn(_ moment: Moment) -> [(peer: PeerID?, topic: [UInt8], body: [UInt8])] {
    server.endTurn(moment)
    for job in server.takeJobs() { server.receive(job.run(), at: moment) }
    return server.takeOutgoing().map {
      switch $0 {
      case .control(let peer, let body): (peer, [], body)
      case .publish(let topic, let body): (nil, topic, body)
      }
    }
  }
}

/// A client's machine that talks with one daemon after the other.
@MainActor
final class EvolutionBench {
  static let start = Moment(
    instant: Instant(nanoseconds: 1_000_000_000),
    wallMilliseconds: 1_000_000,
  )

  let client: ReplicaClient
  private(set) var daemon: any AnyDaemon
  private var now = EvolutionBench.start
  private var peer = PeerID(bytes: [0, 1])
  private var connections: UInt8 = 1
  private var subscriptions: Set<[UInt8]> = []
  /// Whether what is published gets lost.
  var losesPublished = false
  /// Whether what the client sends gets lost.
  var losesSent = false
  /// Changes what the daemon sends to the client.
  var alter: (DaemonMessage) -> DaemonMessage = { $0 }
  /// Changes what the daemon publishes.
  var alterPublished: (PublishedMessage) -> PublishedMessage = { $0 }
  private(set) var sent: [ClientMessage] = []
  private(set) var events: [ClientEvent] = []

  init(_ daemon: any AnyDaemon) throws {
    self.daemon = daemon
    client = ReplicaClient(
      identity: ReplicaClient.Identity(
        clientID: Identifier(high: 1, low: 9),
        name: "evolution",
        isListed: false,
      ),
      now: now,
      generator: SeededGenerator(seed: 9),
    )
    try connect()
    sent = []
  }

  /// New connections on both sockets, maybe to another daemon.
  func connect(to other: (any AnyDaemon)? = nil) throws {
    if let other {
      daemon = other
      // A socket says its subscriptions again.
      for topic in subscriptions { other.receive(upstream: [1] + topic, at: now) }
    }
    connections += 1
    peer = PeerID(bytes: [0, connections])
    client.receive(control: [], at: now)
    client.receive(welcome: daemon.welcome[...], at: now)
    try pump()
  }

  func advance(by duration: Duration) throws {
    now.instant = now.instant.advanced(by: duration)
    now.wallMilliseconds += UInt64(duration.wholeMilliseconds)
    daemon.tick(now)
    client.tick(now)
    try pump()
  }

  /// Lets frames go to and fro until there are no more.
  func pump() throws {
    for _ in 0..<200 {
      client.endTurn(now)
      let outgoing = client.takeOutgoing()
      for outgoing in outgoing { try perform(outgoing) }
      let incoming = daemon.turn(now)
      for (to, topic, body) in incoming { try deliver(to, topic, body) }
      events += client.takeEvents()
      if outgoing.isEmpty, incoming.isEmpty { return }
    }
    throw BenchError.unexpected
  }

  private func perform(_ outgoing: ReplicaClient.Outgoing) throws {
    switch outgoing {
    case .control(let frame):
      sent.append(try ClientMessage(frame: frame[...]))
      if !losesSent { daemon.receive(control: frame, from: peer, at: now) }
    case .subscribe(let topic):
      subscriptions.insert(topic.bytes)
      daemon.receive(upstream: [1] + topic.bytes, at: now)
    case .unsubscribe(let topic):
      subscriptions.remove(topic.bytes)
      daemon.receive(upstream: [0] + topic.bytes, at: now)
    case .upstream(let frame): daemon.receive(upstream: frame, at: now)
    case .reconnect: throw BenchError.unexpected
    }
  }

  private func deliver(_ to: PeerID?, _ topic: [UInt8], _ body: [UInt8]) throws {
    if let to {
      guard to == peer else { return }
      let message = alter(try DaemonMessage(frame: body[...]))
      client.receive(control: message.encoded()[...], at: now)
    } else if subscriptions.contains(topic), !losesPublished {
      let message = alterPublished(try PublishedMessage(frame: body[...]))
      client.receive(topic: topic[...], body: message.encoded()[...], at: now)
    }
  }

  /// Delivers what was kept back.
  func deliver(_ message: DaemonMessage) throws {
    client.receive(control: message.encoded()[...], at: now)
    try pump()
  }

  /// Follows a scope as the types of one build.
  func follow<State: ReplicatedState, Action: WireAction>(
    scope name: String = "library",
    _ type: State.Type,
    _ action: Action.Type,
  ) throws -> (scope: ClientScope, replica: TypedReplica<State>) {
    let replica = TypedReplica<State>()
    let scope = client.add(
      name,
      mode: .follow,
      state: SchemaRegistry.document(for: State.self),
      action: SchemaRegistry.document(for: Action.self),
      reader: { SchemaRegistry.readerSchema(for: State.self) },
      replica: replica,
    )
    try pump()
    return (scope, replica)
  }

  @discardableResult
  func send(_ action: some WireAction, to scope: ClientScope) throws -> ActionTicket {
    let ticket = client.submit(try action.encoded(), to: scope)
    try pump()
    return ticket
  }

  var resynchronisations: [String] {
    events.compactMap { if case .resynchronizing(_, let reason) = $0 { reason } else { nil } }
  }

  /// The requests of the joins, in order.
  var joins: [[ClientMessage.JoinRequest]] {
    sent.compactMap { if case .join(_, let requests) = $0 { requests } else { nil } }
  }

  func forgetSent() { sent = [] }
}
