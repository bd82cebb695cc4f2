package import StoreHistory
package import StoreProtocol
import StoreState

/// A query of the past, which any thread except the main one may answer.
package struct HistoryJob: Sendable {
  /// The answer, and its receiver.
  package struct Result: Sendable {
    let request: UInt64
    package let peer: PeerID
    package let holder: Holder
    let rights: Rights
    let item: [UInt8]
    /// The bytes of history that were read for the answer.
    let scanned: Int
  }

  let request: UInt64
  package let peer: PeerID
  package let holder: Holder
  /// The expected cost: that of the previous query of its holder.
  package let cost: Int
  /// The peer's rights at the time of the query.
  let rights: Rights
  private let answer: Answer

  /// Finds the answer.
  ///
  /// The `inout` value passes from each job to the next one, also between different peers.
  package typealias Answer = @Sendable (any HistorySource, inout (any Sendable)?) -> HistoryAnswer

  init(
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

  /// Answers the query; blocks.
  ///
  /// - Parameters:
  ///   - source: The source of the past, the same for all jobs.
  ///   - left: The previous job's state, replaced by this job's: a page of a log begins at the end
  ///     of the last one. It may be as large as a root, and may be discarded.
  /// - Returns: The answer.
  package func run(
    _ source: MeteredSource,
    _ left: inout (any Sendable)?,
  ) -> Result {
    let before = source.bytes
    let answer = answer(source, &left)
    return result(answer, scanned: source.bytes - before)
  }

  /// The result of a job that failed.
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
