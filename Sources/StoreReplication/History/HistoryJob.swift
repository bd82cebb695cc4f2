import StoreState

/// A question for the past, to be answered on any thread but the main one.
package struct HistoryJob: Sendable {
  /// The answer, and whom it is for.
  package struct Result: Sendable {
    let request: UInt64
    let peer: PeerID
    let rights: Rights
    let item: [UInt8]
  }

  let request: UInt64
  let peer: PeerID
  /// What the peer might see when it asked.
  let rights: Rights
  private let answer: @Sendable (any HistorySource) -> HistoryAnswer

  init(
    request: UInt64,
    peer: PeerID,
    rights: Rights,
    answer: @escaping @Sendable (any HistorySource) -> HistoryAnswer,
  ) {
    self.request = request
    self.peer = peer
    self.rights = rights
    self.answer = answer
  }

  /// Answers the question; blocks.
  ///
  /// - Parameter source: Where the past is.
  /// - Returns: The answer.
  package func run(_ source: any HistorySource) -> Result { result(answer(source)) }

  /// Says why there is no answer.
  package func failed(_ error: HistoryError) -> Result { result(.failed(error)) }

  private func result(_ answer: HistoryAnswer) -> Result {
    var encoder = CBOREncoder()
    answer.encode(to: &encoder)
    return Result(request: request, peer: peer, rights: rights, item: encoder.bytes)
  }
}
