import StoreActor
public import Workspace

/// Runs a day at the desk.
///
/// - Parameter actions: The actions of the day, in order.
/// - Returns: The desk in the evening.
@MainActor
public func day(of actions: [Desk.Action]) -> Desk.State {
  let store = Store(initialState: Desk.State()) { Desk() }
  for action in actions { store.send(action) }
  return store.withState { $0 }
}
