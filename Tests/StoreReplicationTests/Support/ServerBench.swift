import Simulation
import StoreActor
import StoreState
import Testing

@testable import StoreReplication

/// A daemon's half on a bench: frames by hand in, messages out, the clock in the test's hand.
@MainActor
final class ServerBench {
  typealias Server = ReplicaServer<Deck.State, Deck.Action>

  let root: RootCore<Deck.State, Deck.Action>
  let server: Server
  let gate = Gate()
  var now = Moment(instant: Instant(nanoseconds: 1_000_000_000), wallMilliseconds: 1_000_000)
  /// What was sent and not looked at yet.
  private(set) var control: [(peer: PeerID, message: DaemonMessage)] = []
  private(set) var published: [(topic: Topic, message: PublishedMessage)] = []
  /// In the order of sending: true for what was published.
  private(set) var order: [String] = []
  /// Whether captures wait for `finishJobs()`.
  var holdsJobs = false

  init(epoch: UInt64 = 7, limits: Limits = Limits(), timing: Timing = Timing()) {
    let gate = gate
    root = RootCore(initialState: { Deck.State() }, reducer: { Deck(gate: gate) })
    server = Server(
      root: root,
      exposures: Deck.exposures,
      epoch: epoch,
      limits: limits,
      timing: timing,
      processID: 42,
      now: now,
      generator: SeededGenerator(seed: epoch),
      sessionAction: { event in
        switch event {
        case .joined(let info): .session(id: info.id, isThere: true)
        case .left(let info): .session(id: info.id, isThere: false)
        }
      },
    )
  }

  static func peer(_ number: UInt8) -> PeerID { PeerID(bytes: [0, number]) }

  static func clientID(_ number: UInt8) -> Identifier { MessageSamples.identifier(number) }

  /// Takes a frame, without ending the turn.
  func receive(_ message: ClientMessage, from peer: UInt8) {
    receive(frame: message.encoded(), from: peer)
  }

  func receive(frame: [UInt8], from peer: UInt8) {
    server.receive(control: frame[...], from: Self.peer(peer), address: "bench:\(peer)", at: now)
  }

  func receive(upstream frame: [UInt8]) { server.receive(upstream: frame[...], at: now) }

  /// Ends the turn and decodes what it sends.
  func endTurn() throws {
    server.endTurn(now)
    try collect()
  }

  /// Lets time pass, and what is due happen.
  func advance(by duration: Duration) throws {
    now.instant = now.instant.advanced(by: duration)
    now.wallMilliseconds += UInt64(duration.wholeMilliseconds)
    server.tick(now)
    try collect()
  }

  func collect() throws {
    if !holdsJobs { finishJobs() }
    for frame in server.takeOutgoing() {
      switch frame {
      case .control(let peer, let bytes):
        let message = try DaemonMessage(frame: bytes[...])
        order.append("\(message)".prefix { $0 != "(" }.description)
        control.append((peer, message))
      case .publish(let topic, let bytes):
        let message = try PublishedMessage(frame: bytes[...])
        order.append("\(message)".prefix { $0 != "(" }.description)
        published.append((try #require(Topic(bytes: topic)), message))
      }
    }
  }

  /// Does what another thread would.
  func finishJobs() {
    for job in server.takeJobs() { server.receive(job.run(), at: now) }
  }

  /// What a peer was sent on the control socket since the last look.
  func take(_ peer: UInt8) -> [DaemonMessage] {
    let messages = control.filter { $0.peer == Self.peer(peer) }.map(\.message)
    control.removeAll { $0.peer == Self.peer(peer) }
    return messages
  }

  /// What was published to a topic since the last look.
  func take(_ topic: Topic) -> [PublishedMessage] {
    let messages = published.filter { $0.topic == topic }.map(\.message)
    published.removeAll { $0.topic == topic }
    return messages
  }

  func takeOrder() -> [String] {
    defer { order = [] }
    return order
  }

  // MARK: Steps that many tests take

  /// Says hello and returns the answer.
  @discardableResult
  func hello(
    _ peer: UInt8,
    client: UInt8? = nil,
    token: Identifier? = nil,
    first: UInt64 = 1,
    isListed: Bool = false,
  ) throws -> DaemonMessage.HelloOK {
    receive(
      .hello(
        ClientMessage.Hello(
          clientID: Self.clientID(client ?? peer),
          token: token,
          firstSequence: first,
          name: "peer \(peer)",
          isListed: isListed,
        )
      ),
      from: peer,
    )
    try endTurn()
    let messages = take(peer)
    let answers = messages.compactMap { if case .helloOK(let hello) = $0 { hello } else { nil } }
    guard let hello = answers.last else {
      Issue.record("No hello ok but \(messages)")
      throw BenchError.unexpected
    }
    return hello
  }

  /// A join's answer, before its fence.
  func ask(
    _ peer: UInt8,
    nonce: UInt64,
    _ requests: [ClientMessage.JoinRequest],
  ) throws -> (topic: Topic?, answers: [DaemonMessage.JoinAnswer]) {
    receive(.join(nonce: nonce, requests), from: peer)
    try endTurn()
    for case .joined(nonce, let topic, let answers) in take(peer) { return (topic, answers) }
    Issue.record("No answer to join \(nonce)")
    throw BenchError.unexpected
  }

  /// Joins scopes and sends the fence.
  @discardableResult
  func join(
    _ peer: UInt8,
    _ hello: DaemonMessage.HelloOK,
    nonce: UInt64,
    _ requests: [ClientMessage.JoinRequest],
  ) throws -> Joined {
    let (topic, answers) = try ask(peer, nonce: nonce, requests)
    let view = try #require(topic)
    receive(upstream: Fence(token: hello.token, nonce: nonce).encoded())
    try endTurn()
    guard case .echo(let echo)? = take(hello.privateTopic).last else {
      Issue.record("No echo of \(nonce)")
      throw BenchError.unexpected
    }
    return Joined(topic: view, answers: answers, echo: echo, captures: take(peer))
  }

  struct Joined {
    let topic: Topic
    let answers: [DaemonMessage.JoinAnswer]
    let echo: PublishedMessage.Echo
    let captures: [DaemonMessage]
  }

  /// Sends one action and returns its outcomes.
  func act(
    _ peer: UInt8,
    sequence: UInt64,
    handle: UInt64 = 1,
    deadline: UInt64? = nil,
    _ actions: Deck.CounterAction...,
  ) throws -> [Outcome] {
    let requests = try actions.map {
      ClientMessage.ActionRequest(
        handle: handle,
        action: try $0.encoded()[...],
        deadline: deadline,
      )
    }
    receive(.actions(first: sequence, requests), from: peer)
    try endTurn()
    return take(peer).flatMap { message -> [Outcome] in
      if case .acks(let acks) = message { acks.outcomes } else { [] }
    }
  }
}

enum BenchError: Error {
  case unexpected
}

extension ClientMessage.JoinRequest {
  /// A request to follow a scope, of whatever schema.
  static func follow(
    _ scope: String,
    position: ClientMessage.Position? = nil,
  ) -> ClientMessage.JoinRequest {
    ClientMessage.JoinRequest(
      scope: scope,
      mode: .follow,
      stateHash: nil,
      actionHash: nil,
      position: position,
    )
  }

  static func other(_ scope: String, _ mode: ClientMessage.JoinMode) -> ClientMessage.JoinRequest {
    ClientMessage.JoinRequest(
      scope: scope,
      mode: mode,
      stateHash: nil,
      actionHash: nil,
      position: nil,
    )
  }
}

extension DaemonMessage {
  /// The state in a snapshot of one piece.
  func snapshot<State: ReplicatedState>(_ type: State.Type) throws -> State? {
    guard case .snapshot(let piece) = self else { throw BenchError.unexpected }
    #expect(piece.offset == 0 && piece.total == UInt64(piece.bytes.count))
    return try State?(encoded: piece.bytes)
  }
}

/// Lets tasks of the main actor run until something holds, or a limit is reached.
@MainActor
func eventually(_ condition: () -> Bool) async {
  for _ in 0..<10_000 where !condition() { await Task.yield() }
  #expect(condition())
}
