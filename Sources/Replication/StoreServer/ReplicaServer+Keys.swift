import StoreHistory
import StoreProtocol
import StoreState

/// The commands for keys, and the rights to give them.
extension ReplicaServer {
  /// Carries out a command for keys, or refuses it.
  ///
  /// - Parameters:
  ///   - request: The client's number for the command.
  ///   - command: The command.
  ///   - peer: The sender.
  ///   - caller: The sender's identity.
  func take(
    _ request: UInt64,
    _ command: KeyCommand,
    from peer: PeerID,
    _ caller: Caller,
  ) {
    // A session keeps the caller that opened it, and a ticket opens no session.
    let ticket = caller.ticket
    guard mayAsk(peer, caller) else { return }
    // A client whose key is already enrolled, and that missed the answer, gets it now.
    if case .enrol(let key) = command, key == caller.key,
      let name = access.grants.name(ofKey: key)
    {
      return tell(request, .done(name: name), to: peer)
    }
    let isAllowed =
      switch command {
      case .enrol: ticket != nil
      case .list, .invite, .revoke: access.grants.isOwner(caller.identity)
      }
    guard isAllowed else {
      let message =
        ticket == nil
        ? "Only the daemon's user and root decide on keys, and only on its own machine."
        : "A ticket is for handing in a key, and for nothing else."
      notices.add(
        ServerNotice(
          kind: .audit,
          peer: caller.address,
          text: "A command for keys is refused.",
          details: ["identity": "\(caller.identity)"],
        ),
        of: access.holder(of: caller),
        at: now.instant,
      )
      return tell(request, .failed(code: Outcome.unauthorised, message: message), to: peer)
    }
    guard let onKeys else {
      let message = "This daemon keeps no keys."
      return tell(request, .failed(code: "unavailable", message: message), to: peer)
    }
    onKeys(
      KeyJob(
        request: request,
        peer: peer,
        command: command,
        ticket: ticket,
        caller: ["peer": caller.address, "identity": "\(caller.identity)"],
      )
    )
  }

  func tell(_ request: UInt64, _ answer: KeyAnswer, to peer: PeerID) {
    var encoder = CBOREncoder()
    answer.encode(to: &encoder)
    outbox.send(.keys(request: request, item: encoder.bytes[...]), to: peer)
  }
}
