package import StoreActor

/// The connected clients, derived from the sessions by ordinary actions, for clients to read.
///
/// No client can send its actions: the daemon stores them only.
@Reducer
package struct Presence {
  @ObservableState
  package struct State: Equatable, ReplicatedState, Sendable {
    /// The connected sessions, in the order in which they joined.
    package var sessions: IdentifiedArrayOf<Session>

    package init(sessions: IdentifiedArrayOf<Session> = []) {
      self.sessions = sessions
    }
  }

  @ObservableState
  package struct Session: Equatable, Identifiable, ReplicatedState, Sendable {
    /// The session's number, which is not reused while the daemon runs.
    package var id: UInt64
    /// The name that the client chose.
    package var name: String
    /// The client's address, as the transport reports it.
    package var address: String
    /// The number of the client's user, as the kernel reports it; nil if the kernel does not.
    package var user: UInt32?

    package init(id: UInt64, name: String = "", address: String = "", user: UInt32? = nil) {
      self.id = id
      self.name = name
      self.address = address
      self.user = user
    }
  }

  package enum Action: DurableAction, Equatable, Sendable {
    /// Adds a session, or updates it if it is present.
    @ReplicationIgnored case sessionJoined(Session)
    @ReplicationIgnored case sessionLeft(id: Session.ID)
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
