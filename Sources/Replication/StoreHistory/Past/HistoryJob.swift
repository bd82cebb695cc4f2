package import StoreProtocol
import StoreState

/// A question for the past, to be answered on any thread but the main one.
package struct HistoryJob: Sendable {
  /// The answer, and whom it is for.
  package struct Result: Sendable {
    package let request: UInt64
    package let peer: PeerID
    package let holder: Holder
    package let rights: Rights
    package let item: [UInt8]
    /// The bytes of history that were read for it.
    package let scanned: Int
  }

  let request: UInt64
  package let peer: PeerID
  package let holder: Holder
  /// What it is expected to cost: what the last question of its holder has cost.
  package let cost: Int
  /// What the peer might see when it asked.
  let rights: Rights
  private let answer: Answer

  /// Finds the answer.
  ///
  /// It has a value that one job leaves to the next one, whosever it is.
  package typealias Answer = @Sendable (any HistorySource, inout (any Sendable)?) -> HistoryAnswer

  package init(
    request: UInt64,
    peer: PeerID,
    holder: Holder,
    cost: Int = 1,
    rights: Rights,
    answer: @escaping Answer,
  ) {
    self.request = request
    self.peer = peer
    self.holder = holder
    self.cost = cost
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
    _ source: MeteredSource,
    _ left: inout (any Sendable)?,
  ) -> Result {
    let before = source.bytes
    let answer = answer(source, &left)
    return result(answer, scanned: source.bytes - before)
  }

  /// Says why there is no answer.
  package func failed(_ error: HistoryError) -> Result { result(.failed(error), scanned: 0) }

  private func result(_ answer: HistoryAnswer, scanned: Int) -> Result {
    var encoder = CBOREncoder()
    answer.encode(to: &encoder)
    return Result(
      request: request,
      peer: peer,
      holder: holder,
      rights: rights,
      item: encoder.bytes,
      scanned: scanned,
    )
  }
}
