import StoreActor
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

/// Common steps of tests that play peers by hand.
extension Bench {
  /// Sends hello and returns the answer.
  @discardableResult
  func hello(
    _ peer: UInt8,
    client: UInt8? = nil,
    token: Identifier? = nil,
    first: UInt64 = 1,
    isListed: Bool = false,
    features: ProtocolFeatures = [],
  ) throws -> DaemonMessage.HelloOK {
    receive(
      .hello(
        ClientMessage.Hello(
          clientID: Self.clientID(client ?? peer),
          token: token,
          firstSequence: first,
          name: "peer \(peer)",
          isListed: isListed,
          features: features,
        )
      ),
      from: peer,
    )
    try endTurn()
    let messages = take(peer)
    let answers = messages.compactMap { if case .helloOK(let hello) = $0 { hello } else { nil } }
    return try #require(answers.last, "No hello ok but \(messages)")
  }

  /// Returns a join's answer, before its fence.
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

  struct Joined {
    let topic: Topic
    let answers: [DaemonMessage.JoinAnswer]
    let echo: PublishedMessage.Echo
    let captures: [DaemonMessage]
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
    receive(upstream: Fence(token: hello.token, nonce: nonce).encoded(), from: peer)
    try endTurn()
    guard case .echo(let echo)? = take(hello.privateTopic).last else {
      Issue.record("No echo of \(nonce)")
      throw BenchError.unexpected
    }
    return Joined(topic: view, answers: answers, echo: echo, captures: take(peer))
  }

  /// Sends actions and returns their outcomes.
  func act(
    _ peer: UInt8,
    sequence: UInt64,
    handle: UInt64 = 1,
    deadline: UInt64? = nil,
    _ actions: Deck.CounterAction...,
  ) throws -> [Outcome] {
    try act(peer, sequence: sequence, handle: handle, deadline: deadline, actions)
  }

  func act(
    _ peer: UInt8,
    sequence: UInt64,
    handle: UInt64 = 1,
    deadline: UInt64? = nil,
    _ actions: [Deck.CounterAction],
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
    return take(peer).outcomes
  }
}

extension Bench {
  /// Gives a user the rights to see a scope and to send to it; the daemon belongs to user 999.
  func admitUser(_ user: UInt32, to scope: String) throws {
    let line = Grants.Line(
      grantee: .user(user),
      scopes: [try #require(ScopePattern(scope))],
      sees: true,
      sends: .everything,
    )
    turn.apply(Grants(owner: 999, lines: [line]))
  }
}

extension [DaemonMessage] {
  /// The outcomes of actions in the messages.
  var outcomes: [Outcome] {
    flatMap { message -> [Outcome] in
      if case .acks(let acks) = message { acks.outcomes } else { [] }
    }
  }
}

extension ClientMessage.JoinRequest {
  /// A request to follow a scope of any schema.
  static func follow(
    _ scope: String,
    position: ClientMessage.Position? = nil,
    digest: Digest? = nil,
  ) -> ClientMessage.JoinRequest {
    ClientMessage.JoinRequest(
      scope: scope,
      mode: .follow,
      stateHash: nil,
      actionHash: nil,
      position: position,
      digest: digest,
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
