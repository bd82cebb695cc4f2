import StoreSimulation
import Testing

@testable import StoreProtocol
@testable import StoreReplica

@MainActor
@Suite struct ClientTurnTests {
  @Test("A daemon that never pauses on either socket does not block a client's other work")
  func endless() {
    let transport = EndlessTransport()
    let identity = ReplicaClient.Identity(
      clientID: ServerBench.clientID(1),
      name: "",
      isListed: false,
    )
    let client = ReplicaClient(
      identity: identity,
      now: transport.now,
      generator: SeededGenerator(seed: 1),
    )
    let turn = ClientTurn(client, transport)
    var isOver = false
    client.wait(for: .time, within: .seconds(1)) { _ in isOver = true }
    for _ in 0..<60 where !isOver {
      #expect(turn.receive())
      turn.end()
    }
    #expect(isOver)
    #expect(transport.now.instant < Instant(nanoseconds: 1_200_000_000))
  }
}

/// A transport that always has another message.
///
/// Each message takes a millisecond.
@MainActor
private final class EndlessTransport: ClientTransport {
  typealias Failure = Never

  private(set) var now = Moment(instant: Instant(nanoseconds: 0), wallMilliseconds: 0)

  let isCut = false

  private func pass() { now.instant = now.instant.advanced(by: .milliseconds(1)) }

  func receiveControl(_ take: (ArraySlice<UInt8>) -> Void) -> Bool {
    pass()
    take([0xff])
    return true
  }

  func receivePublished(_ take: (ArraySlice<UInt8>, ArraySlice<UInt8>?) -> Void) -> Bool {
    pass()
    take([0xff], [0xff])
    return true
  }

  func send(control frame: consuming [UInt8]) {}

  func send(upstream frame: [UInt8]) {}

  func reconnect() {}
}
