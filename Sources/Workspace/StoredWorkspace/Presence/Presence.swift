package import StoreActor

/// Who is connected: for clients to look at, derived from the sessions by ordinary actions.
///
/// Its actions have no form for the wire, so no client can send one.
@Reducer
package struct Presence {
  @ObservableState
  package struct State: Equatable, ReplicatedState, Sendable {
    /// Those who are connected, in the order in which they came.
    package var sessions: IdentifiedArrayOf<Session>

    package init(sessions: IdentifiedArrayOf<Session> = []) {
      self.sessions = sessions
    }
  }

  @ObservableState
  package struct Session: Equatable, Identifiable, ReplicatedState, Sendable {
    /// The session's number, never used again while the daemon runs.
    package var id: UInt64
    /// The name that the client gave itself.
    package var name: String
    /// Where it is connected from, as the transport says it.
    package var address: String
    /// The number of its user, for whom the kernel vouches; nil where nobody does.
    package var user: UInt32?

    package init(id: UInt64, name: String = "", address: String = "", user: UInt32? = nil) {
      self.id = id
      self.name = name
      self.address = address
      self.user = user
    }
  }

  package enum Action: Equatable, Sendable {
    /// A session that is there already is only brought up to date.
    case sessionJoined(Session)
    case sessionLeft(id: Session.ID)
  }

  package init() {}

  package var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .sessionJoined(let session):
        state.sessions.updateOrAppend(session)
        return .none

      case .sessionLeft(let id):
        state.sessions.remove(id: id)
        return .none
      }
    }
  }
}
