package import StoreActor
package import StoreState

/// A scope's state as a value of its type: what a remote store shows.
@MainActor
package final class TypedReplica<State: ReplicatedState>: Replica {
  /// What the newest bytes made; nil while the scope is absent.
  private var newest: State?
  /// The last state that was shown; nil before the first.
  package private(set) var shown: State?
  /// Whether what is shown is what the scope has: it is not absent, refused or closed.
  package private(set) var isShown = false
  /// Counts how often what was shown has ended.
  ///
  /// A store belongs to the state that was there when it was made: after the end it stays as it
  /// was last.
  package private(set) var ends = 0
  /// Those who are told of each step.
  let observers = StoreObservers()
  package let outputs = ObserverList<EncodedOutput>()
  /// Knows the schemas of outputs.
  weak var origin: (any OutputOrigin)?

  /// A copy of which no bytes have come.
  ///
  /// - Parameter placeholder: What to show until then.
  package init(placeholder: State? = nil) { shown = placeholder }

  package func reset(to snapshot: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    newest = try State?(encoded: snapshot)
  }

  package func apply(_ delta: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    newest = try newest.applying(delta: delta)
  }

  package var digest: Digest { newest.digest }

  package var encoding: [UInt8] { newest.encoded() }

  package var isPresent: Bool { newest != nil }

  package func show(revision: UInt64) {
    guard let newest else { return end() }
    shown = newest
    isShown = true
  }

  package func announce() { observers.notify() }

  package func received(_ output: PublishedMessage.Output) {
    guard !outputs.isEmpty else { return }
    outputs.notify(EncodedOutput(bytes: output.value, schema: output.schema, origin: origin))
  }

  package func statusChanged(_ status: ScopeStatus) {
    switch status {
    case .joining, .live, .stale: return
    case .refused, .closed:
      end()
      announce()
    }
  }

  private func end() {
    guard isShown else { return }
    isShown = false
    ends += 1
  }
}
