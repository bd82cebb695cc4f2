import StoreActor
import StoreReplication
import StoreState

/// A client's copy of a scope, made of a snapshot and deltas.
///
/// It does not know the client, which holds it.
@MainActor
final class InMemoryCopy<State: ReplicatedState>: Replica {
  let observers = StoreObservers()
  let outputObservers = ObserverList<EncodedOutput>()
  /// What the bytes have made; nil while the scope is absent.
  private var newest: State?
  /// The last state that there was, for whoever reads an absent scope.
  private(set) var state: State
  /// What knows the schemas of outputs.
  weak var origin: (any OutputOrigin)?
  /// Why the daemon does not let the client have the scope.
  private(set) var refusal: JoinFailure?

  /// A copy of which no bytes have come.
  ///
  /// - Parameter state: What to show until then.
  init(state: State) {
    self.state = state
  }

  var isAbsent: Bool { newest == nil }

  func reset(to snapshot: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    newest = try State?(encoded: snapshot)
  }

  func apply(_ delta: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    newest = try newest.applying(delta: delta)
  }

  var digest: Digest { newest.digest }

  func settled(revision: UInt64) {
    if let newest { state = newest }
  }

  func announce() { observers.notify() }

  func received(_ output: PublishedMessage.Output) {
    let encoded = EncodedOutput(bytes: output.value, schema: output.schema, origin: origin)
    outputObservers.notify(encoded)
  }

  func statusChanged(_ status: ScopeStatus) {
    if case .refused(let failure) = status { refusal = failure }
  }
}
