import StoreHistory
import StoreProtocol

/// Grants that change while clients are connected.
extension ReplicaServer {
  /// Applies changed grants from now on.
  ///
  /// Sessions whose grants are too narrow for their joined scopes end. Sessions whose view must now
  /// use the other socket reconnect.
  func apply(_ grants: Grants, at moment: Moment) {
    now = moment
    access.grants = grants
    for session in sessions.all {
      session.rights = access.rights(of: session.caller)
      if session.rights.isNothing || !session.scopes.adapt(to: session.rights) {
        let message = "Your rights are narrower now; say hello again."
        for peer in [session.peer, session.publisher].compactMap(\.self) {
          cuts.append(Cut(peer: peer, reason: "may do less now"))
        }
        end(session, code: "narrowed", message: message)
      } else if joins.comesWrongly(to: session) {
        joins.interrupt(session)
        cuts.append(Cut(peer: session.peer, reason: "gets its view on another socket now"))
      }
    }
  }
}
