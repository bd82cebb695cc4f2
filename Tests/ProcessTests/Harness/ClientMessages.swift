import StoreReplication
import StoreState

// What raw peers say.
extension ClientMessage {
  /// A hello of the client with a number.
  static func rawHello(
    _ number: UInt64,
    name: String = "guest",
    isListed: Bool = true,
    token: Identifier? = nil,
  ) -> Self {
    .hello(
      Hello(
        clientID: Identifier(high: 0x6775_6573_74, low: number),
        token: token,
        firstSequence: 1,
        name: name,
        isListed: isListed,
      )
    )
  }

  /// A join of scopes with any schema, of which the client has that of a position, or nothing.
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
}
