import StoreActor
import StoreHistory
import StoreReplica
import StoreState

/// A store of a scope, as programs open it: several stores of one scope share its copy.
@MainActor
final class SimulatedStore {
  let name: String
  let scope: ClientScope
  /// The encoding of the shown state; nil before the first state, and after the end.
  let shown: () -> [UInt8]?
  /// The store's core, which sends its actions.
  private let core: AnyObject
  private let observe: () -> StoreSubscription?
  private var subscription: StoreSubscription?
  /// A subscription to the shared copy: the store's own one ends when its state is absent.
  private let announcements: StoreSubscription

  private init<State: ReplicatedState, Action: WireAction>(
    _ name: String,
    _ core: RemoteStoreCore<State, Action>,
    onChange: @escaping @MainActor () -> Void,
  ) {
    self.name = name
    scope = core.scope
    self.core = core
    shown = { [unowned core] in
      let replica = core.replica
      if replica.isShown { return replica.shown.encoded() }
      let isAbsent = core.scope.status == .live
      return isAbsent ? State?.none.encoded() : nil
    }
    announcements = core.replica.onAnnounce.add { _ in onChange() }
    observe = { [unowned core] in
      core.replica.root == nil ? nil : core.observeChanges(onChange)
    }
  }

  /// Begins to observe once there is a state; derived objects exist only from then on.
  func observeOnceShown() {
    if subscription == nil { subscription = observe() }
  }

  /// Opens a store of a scope.
  static func open(
    _ name: String,
    of client: ReplicaClient,
    onChange: @escaping @MainActor () -> Void,
  ) -> SimulatedStore {
    switch name {
    case "accounts":
      let core = RemoteStoreCore<Board.Accounts, Board.AccountsAction>(name, of: client)
      return SimulatedStore(name, core, onChange: onChange)
    case "list":
      let core = RemoteStoreCore<Board.RowList, Board.ListAction>(name, of: client)
      return SimulatedStore(name, core, onChange: onChange)
    case "note":
      let core = RemoteStoreCore<Board.Note, Board.NoteAction>(name, of: client)
      return SimulatedStore(name, core, onChange: onChange)
    case "presence":
      let core = RemoteStoreCore<Board.Presence, Never>(name, of: client)
      return SimulatedStore(name, core, onChange: onChange)
    default:
      let core = RemoteStoreCore<Board.Row, Board.RowAction>(name, of: client)
      return SimulatedStore(name, core, onChange: onChange)
    }
  }
}
