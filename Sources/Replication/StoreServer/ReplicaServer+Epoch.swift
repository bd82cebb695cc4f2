import StoreHistory
import StoreProtocol

extension ReplicaServer {
  /// The origin of the epoch's history.
  enum EpochState: Hashable {
    /// All of it is this daemon's, or the epoch never had a longer history.
    case own
    /// A journal held it up to a revision, and may once have held more of it.
    case inherited(through: UInt64)
    /// A client has seen later revisions than exist: another epoch must be recorded.
    case rolledBack
    /// The given epoch is being recorded.
    case renewing(UInt64)
  }

  /// Whether the history is about to continue in another epoch: no client may begin in this one.
  var isRenewing: Bool {
    switch epochState {
    case .own, .inherited: false
    case .rolledBack, .renewing: true
    }
  }

  /// Detects a hello of a client that has received later revisions than the journal held: then the
  /// history was rolled back.
  ///
  /// Clients are notified of a revision only when it is durable. So a client that has received a
  /// later revision than the journal held when this daemon began, and not from this daemon, has
  /// seen another continuation of the history. Only a client's first hello counts, since later ones
  /// may name this daemon's own revisions. It counts only from an owner, or from a client whose
  /// actions the journal knows.
  ///
  /// - Parameters:
  ///   - hello: The hello; its client id is not another holder's.
  ///   - rights: The client's rights.
  ///   - holder: The client's holder.
  /// - Returns: Whether the client has to wait for the next epoch.
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

  /// Notes that a client is notified of this daemon's revisions from now on.
  func noteGreeting(of client: Identifier) {
    guard case .inherited = epochState else { return }
    greeted.insert(client)
    forgetClientsIfTooMany()
  }

  /// If there are too many clients to remember, all count as greeted and joined: only positions
  /// after the newest revision then prove a rollback.
  private func forgetClientsIfTooMany() {
    guard max(greeted.count, joinedClients.count) > limits.clients else { return }
    epochState = .inherited(through: .max)
    (greeted, joinedClients) = ([], [])
  }

  /// Detects a join's position that is later than the journal's end, in a client's first join, or
  /// later than the newest revision: then the history was rolled back.
  ///
  /// A claimed position counts only for a scope that the client may see.
  ///
  /// - Returns: Whether the join has to wait for the next epoch.
  func detectRollback(_ requests: [ClientMessage.JoinRequest], of session: Session) -> Bool {
    guard case .inherited(let recovered) = epochState else { return isRenewing }
    // A session may end before its client joins; the positions in the first join of its next
    // session are from before this daemon began.
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

  /// Whether a position is a lost one of this epoch, within a plausible distance of the end.
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
      + "was lost, or an older copy of it was put back. History continues in another epoch."
    notices.add(ServerNotice(kind: .warning, peer: "journal", text: text))
  }

  /// Returns the epoch to be recorded now; nil unless a rollback was detected.
  func nextEpoch() -> UInt64? {
    guard epochState == .rolledBack else { return nil }
    let epoch = random.identifier().high
    epochState = .renewing(epoch)
    return epoch
  }

  /// Continues the history in another epoch, which is durable; all clients have to ask again.
  func begin(_ epoch: UInt64) {
    guard epochState == .renewing(epoch) else { return }
    epochState = .own
    self.epoch = epoch
    joins.epoch = epoch
    let message =
      "The daemon's history was rolled back to revision \(root.revision), and continues there. "
      + "Actions without an outcome are sent again."
    // No state of the new epoch would match these outcomes, so a client asks again in it.
    for session in sessions.all {
      end(session, code: "rolledBack", message: message, tellsOutcomes: false)
    }
  }
}
