import StoreProtocol
import StoreState

// The messages that raw peers send.
extension ClientMessage {
  /// A hello of the client with a number.
  static func rawHello(
    _ number: UInt64,
    name: String = "guest",
    isListed: Bool = true,
    token: Identifier? = nil,
    features: ProtocolFeatures = [],
  ) -> Self {
    .hello(
      Hello(
        clientID: Identifier(high: 0x6775_6573_74, low: number),
        token: token,
        firstSequence: 1,
        name: name,
        isListed: isListed,
        features: features,
      )
    )
  }

  /// A join of scopes with any schema, from a client that has the state at a position, or no state.
  static func rawJoin(
    nonce: UInt64 = 1,
    _ scopes: [String],
    mode: JoinMode = .follow,
    position: Position? = nil,
  ) -> Self {
    .join(
      nonce: nonce,
      scopes.map {
        JoinRequest(scope: $0, mode: mode, stateHash: nil, actionHash: nil, position: position)
      },
    )
  }

  /// `count` copies of one action, by its case's name, to the first scope of a session.
  static func rawActions(_ name: String, first: UInt64 = 1, count: Int = 1) -> Self {
    var encoder = CBOREncoder()
    encoder.encode(text: name)
    let action = ActionRequest(handle: 1, action: encoder.bytes[...], deadline: nil)
    return .actions(first: first, Array(repeating: action, count: count))
  }
}

extension RawPeer {
  /// Waits until `find` returns a value for the messages received on the control socket.
  func hearsMessages<Found: Sendable>(
    _ what: String,
    within time: Duration = .seconds(20),
    _ find: @escaping @Sendable ([DaemonMessage]) -> Found?,
  ) async throws -> Found {
    try await hears(what, within: time) { bytes in
      // The library's greeting is an empty frame, which is no message of the protocol.
      find(ZMTP.frames(in: bytes).compactMap { try? DaemonMessage(frame: $0) })
    }
  }
}

extension [DaemonMessage] {
  /// The token in a daemon's answer to a hello.
  var token: Identifier? {
    compactMap { if case .helloOK(let ok) = $0 { ok.token } else { nil } }.last
  }

  /// The topic in its answer to a join.
  var topic: Topic? {
    compactMap { if case .joined(_, let topic, _) = $0 { topic } else { nil } }.first
  }
}
