package import StoreActor
import StoreBytes
import StoreState

/// The core of a store whose state is in a daemon: reads are local, actions are sent.
///
/// It holds the scope as long as it lives. It has a state after the first snapshot; only then is a
/// store created with it.
@MainActor
package final class RemoteStoreCore<State: ReplicatedState, Action: WireAction>: StoreCore {
  package let scope: ClientScope
  package let replica: TypedReplica<State>
  private let client: ReplicaClient
  /// What keeps the client connected.
  private let connection: AnyObject?
  /// The tree of the state that is there when a store is made.
  private lazy var root: RootNode<State> = {
    guard let root = replica.root else {
      preconditionFailure("A remote store was used before its first state")
    }
    return root
  }()

  /// Opens a scope.
  ///
  /// - Parameters:
  ///   - name: The scope's name.
  ///   - client: The client that follows it.
  ///   - connection: What moves the client's bytes, and is kept as long as this is.
  ///   - placeholder: What to show until the first snapshot, for whoever does not wait for it.
  package init(
    _ name: String,
    of client: ReplicaClient,
    connection: AnyObject? = nil,
    placeholder: State? = nil,
  ) {
    self.client = client
    self.connection = connection
    let isReadOnly = Action.self == Never.self
    (scope, replica) = client.open(
      name,
      State.self,
      action: isReadOnly ? nil : SchemaRegistry.document(for: Action.self),
      placeholder: placeholder,
    )
  }

  isolated deinit { client.release(scope) }

  package var node: StoreNode<State> { root }

  @discardableResult
  package func send(_ action: Action) -> StoreTask {
    // Something else may have come in its place by now.
    if root.end == .gone { return .forNobody }
    do throws(CodecError) {
      let ticket = client.submit(
        try action.encoded(),
        to: scope,
        timeToLive: client.actionTimeToLive,
      )
      return StoreTask(handle: TicketTask(ticket, of: client))
    } catch {
      let reason = error.path.isEmpty ? error.message : "\(error)"
      let failure = ActionFailure(
        code: .rejected,
        message: "A client cannot send it: \(reason).",
        remedy: "Receive it from the effect that sends it, or make it an action for clients.",
      )
      return StoreTask(handle: FailedTask(failure: failure))
    }
  }

  package func observeChanges(
    _ onChange: @escaping @MainActor () -> Void
  ) -> StoreSubscription {
    root.observeCommits(onChange)
  }

  /// Which type an output is of is found out by whoever observes it; the action that made it stays
  /// with the daemon, where it may be private.
  package func observeOutputs(
    _ onOutput: @escaping @MainActor (StoreOutput<Action>) -> Void
  ) -> StoreSubscription {
    replica.outputs.add { onOutput(StoreOutput(value: $0, action: nil)) }
  }
}
