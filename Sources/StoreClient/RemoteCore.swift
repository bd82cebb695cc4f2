import StoreActor
import StoreReplication
import StoreState

/// A store's core whose state is kept by a daemon: reads are local, actions travel.
@MainActor
final class RemoteCore<State: ReplicatedState, Action: WireAction>: StoreCore, Replica {
  /// What the newest bytes made; shown when every scope has come as far.
  private var newest: State?
  /// What is shown; nil until the first snapshot.
  private var shown: State?
  private let observers = StoreObservers()
  let outputObservers = ObserverList<StoreOutput<Action>>()
  private let connection: StoreConnection
  private(set) var scope: ClientScope?
  private(set) var isInvalid = false
  private var onFirst: [@MainActor (Result<Void, ConnectionError>) -> Void] = []

  init(connection: StoreConnection) { self.connection = connection }

  var state: State {
    guard let shown else { preconditionFailure("A remote store was used before its first state") }
    return shown
  }

  /// Begins to follow the scope.
  func follow(_ name: String) {
    scope = connection.client.add(
      name,
      mode: .follow,
      state: SchemaRegistry.document(for: State.self),
      action: SchemaRegistry.document(for: Action.self),
      reader: { SchemaRegistry.readerSchema(for: State.self) },
      replica: self,
    )
  }

  /// Follows it no more.
  func leave() {
    if let scope { connection.client.remove(scope) }
  }

  /// Runs `body` when there is a first state, or there will be none.
  func whenReady(_ body: @escaping @MainActor (Result<Void, ConnectionError>) -> Void) {
    onFirst.append(body)
  }

  @discardableResult
  func send(_ action: Action) -> StoreTask {
    guard let scope else { preconditionFailure("A remote store was used before it was joined") }
    do throws(CodecError) {
      let ticket = connection.submit(try action.encoded(), to: scope)
      return StoreTask(handle: connection.task(for: ticket))
    } catch {
      let failure = Outcome.Failure(code: Outcome.rejected, message: "\(error)")
      return StoreTask(handle: FailedTask(failure: ActionFailure(failure)))
    }
  }

  func observeChanges(_ onChange: @escaping @MainActor () -> Void) -> StoreSubscription {
    observers.add(onChange)
  }

  // MARK: Replica

  func reset(to snapshot: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    newest = try State?(encoded: snapshot)
  }

  func apply(_ delta: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    newest = try newest.applying(delta: delta)
  }

  var digest: Digest { newest.digest }

  func settled(revision: UInt64) {
    if let newest {
      shown = newest
      isInvalid = false
      ready(.success(()))
    } else {
      isInvalid = true
      ready(
        .failure(
          ConnectionError(
            .absent,
            "The scope \"\(scope?.name ?? "")\" is absent now.",
            remedy: "Ask again when it has come.",
          )
        )
      )
    }
    observers.notify()
  }

  func statusChanged(_ status: ScopeStatus) {
    guard case .refused(let failure) = status else { return }
    isInvalid = true
    ready(.failure(ConnectionError(failure)))
    observers.notify()
  }

  private func ready(_ result: Result<Void, ConnectionError>) {
    let bodies = onFirst
    onFirst = []
    for body in bodies { body(result) }
  }
}
