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
  /// The owner of the client's connection.
  private let connection: AnyObject?
  /// The tree of the state at the creation of the store.
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
  ///   - connection: The owner of the client's sockets; kept as long as this core.
  ///   - placeholder: The state until the first snapshot, for callers that do not wait for it.
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
  package func send(_ action: Action) -> StoreTask { send(action, condition: nil) }

  package func sendIfUnchanged(_ action: Action) -> StoreTask {
    guard replica.showsNewest, let digest = scope.digest else {
      let failure = ActionFailure(
        code: .conflict,
        message: "The state of \"\(scope.name)\" is about to change, or is not known yet.",
        remedy: "It was not applied. Look at the state that there is now.",
      )
      return StoreTask(handle: FailedTask(failure: failure))
    }
    return send(action, condition: digest)
  }

  private func send(_ action: Action, condition: Digest?) -> StoreTask {
    // Another state may have taken its place by now.
    if root.end == .gone { return .forNobody }
    do throws(CodecError) {
      let ticket = client.submit(
        try action.encoded(),
        to: scope,
        timeToLive: client.actionTimeToLive,
        condition: condition,
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

  /// The observer determines the type of an output.
  ///
  /// The action that emitted it stays with the daemon, because it may be private there.
  package func observeOutputs(
    _ onOutput: @escaping @MainActor (StoreOutput<Action>) -> Void
  ) -> StoreSubscription {
    replica.outputs.add { onOutput(StoreOutput(value: $0, action: nil)) }
  }
}
