import StoreHistory
import StoreProtocol

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

  /// Looks for a client that says hello and has received more than the journal had: then history
  /// was rolled back.
  ///
  /// Nothing is told of a revision before it is durable. So who has received a later one than was
  /// read when this daemon began, and not from this daemon, knows a history that went on otherwise.
  /// That counts in a client's first hello, since its later ones may tell of this daemon's own
  /// revisions, and from a peer that may do everything or that the journal knows by its actions.
  ///
  /// - Parameters:
  ///   - hello: What it says; its client id is not another holder's.
  ///   - rights: What it may see and send.
  ///   - holder: Who answers for it.
  /// - Returns: Whether it has to wait for the next epoch.
  func detectRollback(
    _ hello: ClientMessage.Hello,
    _ rights: Rights,
    _ holder: ClientHolder,
  ) -> Bool {
    guard case .inherited(let recovered) = epochState, let newest = hello.newest,
      !greeted.contains(hello.clientID),
      isLost(newest, behind: min(recovered, root.revision)),
      rights.isEverything || recovered != .max && outcomes.knows(hello.clientID, holder)
    else { return false }
    rollBack(recovered, newest)
    return true
  }

  /// Notes that a client is told of this daemon's revisions from now on.
  func noteGreeting(of client: Identifier) {
    guard case .inherited = epochState else { return }
    greeted.insert(client)
    forgetClientsIfTooMany()
  }

  /// Where there are too many clients to know, all are taken for such that have been here: only
  /// later revisions tell then.
  private func forgetClientsIfTooMany() {
    guard max(greeted.count, joinedClients.count) > limits.clients else { return }
    epochState = .inherited(through: .max)
    (greeted, joinedClients) = ([], [])
  }

  /// Looks for a position in a join that is later than the journal's end, of a client's first join,
  /// or later than the newest revision: then history was rolled back.
  ///
  /// A claimed position counts only for a scope that the client may see.
  ///
  /// - Returns: Whether what is asked for has to wait for the next epoch.
  func detectRollback(_ requests: [ClientMessage.JoinRequest], of session: Session) -> Bool {
    guard case .inherited(let recovered) = epochState else { return isRenewing }
    // A session may end before its client joins: the positions of the next one are from before.
    let isFirst = joinedClients.insert(session.clientID).inserted
    let end = isFirst ? min(recovered, root.revision) : root.revision
    defer { if case .inherited = epochState { forgetClientsIfTooMany() } }
    for request in requests {
      guard let seen = request.position, isLost(seen, behind: end),
        joins.sees(request.scope, session.rights)
      else { continue }
      rollBack(recovered, seen)
      return true
    }
    return false
  }

  /// Whether a position is one of this epoch's that was lost, and not just a number.
  private func isLost(_ seen: ClientMessage.Position, behind end: UInt64) -> Bool {
    seen.epoch == epoch && seen.revision > end
      && seen.revision - end <= limits.mostLostRevisions
  }

  private func rollBack(_ recovered: UInt64, _ seen: ClientMessage.Position) {
    epochState = .rolledBack
    (greeted, joinedClients) = ([], [])
    let known = min(recovered, root.revision)
    let text =
      "The journal ended at revision \(known), and a client has seen \(seen.revision): its end "
      + "was lost, or an older copy of it was put back. History goes on in another epoch."
    notices.add(ServerNotice(kind: .warning, peer: "journal", text: text))
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
    // No state of this epoch would show what the outcomes say, so a client asks again in it.
    for session in sessions.all {
      end(session, code: "rolledBack", message: message, tellsOutcomes: false)
    }
  }
}
