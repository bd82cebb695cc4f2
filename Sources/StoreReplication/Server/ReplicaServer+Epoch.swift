extension ReplicaServer {
  /// How the epoch's history came about.
  enum EpochState: Hashable {
    /// All of it is this daemon's, or there was none in this epoch that was longer.
    case own
    /// A journal had it up to a revision, and may have had more of it once.
    case inherited(through: UInt64)
    /// A client has seen more of it than there is: another epoch is to be noted.
    case rolledBack
    /// It is being noted.
    case renewing(UInt64)
  }

  /// Whether history is about to go on in another epoch, so that nobody may begin in this one.
  var isRenewing: Bool {
    switch epochState {
    case .own, .inherited: false
    case .rolledBack, .renewing: true
    }
  }

  /// Looks for a client that has seen more than the journal had: then history was rolled back.
  ///
  /// Nothing is told of a revision before it is durable. So who has seen a later one than was read
  /// when this daemon began, and has not joined since, has seen a history that went on otherwise.
  /// A claimed position counts only for a scope that the client may see.
  ///
  /// - Returns: Whether what is asked for has to wait for the next epoch.
  func detectRollback(_ requests: [ClientMessage.JoinRequest], of session: Session) -> Bool {
    guard case .inherited(let recovered) = epochState else { return isRenewing }
    let known = min(recovered, root.revision)
    let client = session.clientID
    let end = joinedClients.contains(client) ? root.revision : known
    if let seen = requests.lazy.filter({ session.rights.sees($0.scope) }).compactMap(\.position)
      .first(where: { $0.epoch == epoch && $0.revision > end })
    {
      epochState = .rolledBack
      joinedClients = []
      let text =
        "The journal ended at revision \(known), and a client has seen \(seen.revision): its end "
        + "was lost, or an older copy of it was put back. History goes on in another epoch."
      notices.add(ServerNotice(kind: .warning, peer: "journal", text: text))
      return true
    }
    joinedClients.insert(client)
    // Where there are too many to know, all are taken for such: only later revisions tell then.
    if joinedClients.count > limits.clients {
      epochState = .inherited(through: .max)
      joinedClients = []
    }
    return false
  }

  /// The epoch that is to be noted now; nil when there is none.
  func nextEpoch() -> UInt64? {
    guard epochState == .rolledBack else { return nil }
    let epoch = random.identifier().high
    epochState = .renewing(epoch)
    return epoch
  }

  /// History goes on in another epoch, which is durable: everybody has to ask anew.
  func begin(_ epoch: UInt64) {
    guard epochState == .renewing(epoch) else { return }
    epochState = .own
    self.epoch = epoch
    joins.epoch = epoch
    let message =
      "The daemon's history was rolled back to revision \(root.revision), and goes on from there. "
      + "Actions without an outcome are sent again."
    for session in sessions.all { end(session, code: "rolledBack", message: message) }
  }
}
