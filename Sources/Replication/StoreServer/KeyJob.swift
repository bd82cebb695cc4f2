package import StoreProtocol

/// A command for keys from somebody who may give it, to be carried out by whoever keeps them.
package struct KeyJob: Sendable {
  /// The answer, and whom it is for.
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
  /// Who gives it, for the log: where it comes from, and for whom somebody vouches.
  package let caller: [String: String]

  /// What has come of it.
  package func result(_ answer: KeyAnswer) -> Result {
    Result(request: request, peer: peer, answer: answer)
  }
}
