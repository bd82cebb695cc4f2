import StoreActor
public import Workspace

/// A day at the desk.
///
/// - Parameter actions: What happens in it.
/// - Returns: The desk in the evening.
@MainActor
public func day(of actions: [Desk.Action]) -> Desk.State {
  let store = Store(initialState: Desk.State()) { Desk() }
  for action in actions { store.send(action) }
  return store.withState { $0 }
}
