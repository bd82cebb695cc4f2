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
  private let answer: Answer

  /// Finds the answer.
  ///
  /// It has a value that one job leaves to the next one, whosever it is.
  package typealias Answer = @Sendable (any HistorySource, inout (any Sendable)?) -> HistoryAnswer

  init(
    request: UInt64,
    peer: PeerID,
    rights: Rights,
    answer: @escaping Answer,
  ) {
    self.request = request
    self.peer = peer
    self.rights = rights
    self.answer = answer
  }

  /// Answers the question; blocks.
  ///
  /// - Parameters:
  ///   - source: Where the past is, the same for all jobs.
  ///   - left: What the job before has left, and then what this one leaves: where a page of a log
  ///     ended the next one begins. It may have as much memory as a state, and may be let go of.
  /// - Returns: The answer.
  package func run(
    _ source: any HistorySource,
    _ left: inout (any Sendable)?,
  ) -> Result {
    result(answer(source, &left))
  }

  /// Says why there is no answer.
  package func failed(_ error: HistoryError) -> Result { result(.failed(error)) }

  private func result(_ answer: HistoryAnswer) -> Result {
    var encoder = CBOREncoder()
    answer.encode(to: &encoder)
    return Result(request: request, peer: peer, rights: rights, item: encoder.bytes)
  }
}
