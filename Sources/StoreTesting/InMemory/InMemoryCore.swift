import StoreActor
import StoreReplication
import StoreState

/// A store's core that is a client's: its state is a copy that deltas keep up to date, and its
/// actions travel encoded.
@MainActor
final class InMemoryCore<Root: Sendable, RootAction, State: ReplicatedState, Action: WireAction>:
  StoreCore
{
  let copy: InMemoryCopy<State>
  private let daemon: InMemoryDaemon<Root, RootAction>
  private let scope: ClientScope

  /// A core of a scope.
  ///
  /// - Parameters:
  ///   - daemon: Has the scope.
  ///   - name: The scope's name.
  ///   - state: What to show until the scope is there.
  init(_ daemon: InMemoryDaemon<Root, RootAction>, scope name: String, state: State) {
    self.daemon = daemon
    copy = InMemoryCopy(state: state)
    scope = daemon.follow(
      name,
      state: SchemaRegistry.document(for: State.self),
      action: SchemaRegistry.document(for: Action.self),
      replica: copy,
    )
    copy.origin = scope
  }

  var state: State { copy.state }

  var isInvalid: Bool { copy.isAbsent }

  func send(_ action: Action) -> StoreTask {
    do throws(CodecError) {
      let ticket = daemon.submit(try action.encoded(), to: scope)
      return StoreTask(
        handle: TicketTask(ticket) { [weak daemon] in
          Task { @MainActor in daemon?.cancel(ticket) }
        }
      )
    } catch {
      let failure = ActionFailure(
        code: .rejected,
        message: "A client cannot send it: \(error)",
        remedy: "Receive it from the effect that sends it, or make it an action for clients.",
      )
      return StoreTask(handle: FailedTask(failure: failure))
    }
  }

  func observeChanges(_ onChange: @escaping @MainActor () -> Void) -> StoreSubscription {
    copy.observers.add(onChange)
  }

  func observeOutputs(
    _ onOutput: @escaping @MainActor (StoreOutput<Action>) -> Void
  ) -> StoreSubscription {
    copy.outputObservers.add { onOutput(StoreOutput(value: $0, action: nil)) }
  }
}
