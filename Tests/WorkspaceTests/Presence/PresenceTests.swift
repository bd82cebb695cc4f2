import StoreActor
import StoreState
import StoredWorkspace
import Testing

@MainActor
@Suite struct PresenceTests {
  @Test("Sessions are listed in the order of joining until they leave")
  func comesAndGoes() async {
    let ann = Presence.Session(id: 1, name: "ann", address: "localhost:1000:1000:71")
    let bob = Presence.Session(id: 2, name: "bob", address: "localhost:1000:1000:72")
    let store = TestStore(initialState: Presence.State()) { Presence() }

    await store.send(.sessionJoined(ann)) { $0.sessions = [ann] }
    await store.send(.sessionJoined(bob)) { $0.sessions = [ann, bob] }
    await store.send(.sessionLeft(id: 1)) { $0.sessions = [bob] }
    await store.send(.sessionLeft(id: 1))
  }

  @Test("A session that joins again is updated in place")
  func joinsTwice() async {
    let store = TestStore(
      initialState: Presence.State(sessions: [.init(id: 1, name: "ann"), .init(id: 2)])
    ) {
      Presence()
    }

    await store.send(.sessionJoined(.init(id: 1, name: "anna"))) {
      $0.sessions[id: 1]?.name = "anna"
    }
  }

  @Test("The state has the names that clients know")
  func stateNames() throws {
    let ann = Presence.Session(id: .max, name: "ann", address: "here", user: 7)
    let text = #"{"sessions":[{"id":18446744073709551615,"name":"ann","address":"here","user":7}]}"#
    #expect(try json(state: Presence.State(sessions: [ann])) == text)
    #expect(try json(state: Presence.State()) == #"{"sessions":[]}"#)
  }

  @Test("Deltas lead from each state to each other state")
  func deltas() throws {
    let ann = Presence.Session(id: 1, name: "ann", address: "a")
    let bob = Presence.Session(id: 2, name: "bob", address: "b")
    let anna = Presence.Session(id: 1, name: "anna", address: "a", user: 1)
    let states = [[], [ann], [bob], [ann, bob], [bob, ann], [anna, bob], [bob, anna]].map {
      Presence.State(sessions: IdentifiedArray(uniqueElements: $0))
    }
    for old in states {
      try expectRoundTrip(state: old)
      for new in states { try expectDelta(from: old, to: new) }
    }
  }
}
