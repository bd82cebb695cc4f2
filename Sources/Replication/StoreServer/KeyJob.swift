package import StoreProtocol

/// A command for keys from an authorized caller, to be carried out by the holder of the key list.
package struct KeyJob: Sendable {
  /// The answer, and its recipient.
  package struct Result: Sendable {
    let request: UInt64
    let peer: PeerID
    let answer: KeyAnswer
  }

  let request: UInt64
  let peer: PeerID
  package let command: KeyCommand
  /// The ticket by which the client is connected; nil for one of the daemon's owner.
  package let ticket: KeyTicket?
  /// The caller, for the log: its address and its identity.
  package let caller: [String: String]

  /// Returns the job's result with an answer.
  package func result(_ answer: KeyAnswer) -> Result {
    Result(request: request, peer: peer, answer: answer)
  }
}
