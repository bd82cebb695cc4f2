import StoreHistory
import StoreProtocol
import StoreState

/// Who may say what about keys.
extension ReplicaServer {
  /// Takes a command for keys.
  ///
  /// - Parameters:
  ///   - request: The client's number for it.
  ///   - command: The command.
  ///   - peer: Who gives it.
  ///   - caller: Who that is.
  func take(
    _ request: UInt64,
    _ command: KeyCommand,
    from peer: PeerID,
    _ caller: Caller,
  ) {
    // A session goes on under who has opened it, and no ticket opens one.
    let ticket = caller.ticket
    guard mayAsk(peer, caller) else { return }
    // Who was not told, and comes by the key itself, is told now.
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
