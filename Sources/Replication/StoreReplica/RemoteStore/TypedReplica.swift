package import StoreActor
package import StoreBytes
package import StoreProtocol
import StoreState

/// A scope's state as a value of its type: what a remote store shows.
@MainActor
package final class TypedReplica<State: ReplicatedState>: Replica {
  /// What the newest bytes made; nil while the scope is absent.
  private var newest: State?
  /// The tree of those who watch what is shown; nil before the first state.
  ///
  /// A store belongs to the state that was there when it was made: when that has ended, what comes
  /// later has a tree of its own.
  package private(set) var root: RootNode<State>?
  /// The one before, which has ended and whose watchers were not told yet.
  private var ended: RootNode<State>?
  /// Whether the scope was absent since it was shown last.
  private var wasAbsent = false
  /// Whether what is shown is what the scope has: it is not absent, refused or closed.
  package private(set) var isShown = false
  package let outputs = ObserverList<EncodedOutput>()
  /// Those who are told that it shows something else, when other copies may not do so yet.
  let onShow = ObserverList<Void>()
  /// Those who are told when all copies do, or that this one has ended.
  package let onAnnounce = ObserverList<Void>()
  /// Knows the schemas of outputs.
  weak var origin: (any OutputOrigin)?

  /// A copy of which no bytes have come.
  ///
  /// - Parameter placeholder: What to show until then.
  package init(placeholder: State? = nil) {
    root = placeholder.map { RootNode($0, isElsewhere: true) }
  }

  /// The last state that was shown; nil before the first.
  package var shown: State? { root?.state }

  package func reset(to snapshot: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    newest = try State?(encoded: snapshot)
  }

  package func apply(_ delta: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    newest = try newest.applying(delta: delta)
    if case .none = newest { wasAbsent = true }
  }

  package var digest: Digest { newest._$digest }

  package var encoding: [UInt8] { newest.encoded() }

  package func show(revision: UInt64) {
    defer { if !onShow.isEmpty { onShow.notify() } }
    guard let newest else { return end(.gone) }
    if wasAbsent, let root, root.end == nil {
      root.end(.gone)
      ended = root
    }
    wasAbsent = false
    if let root, root.end == nil {
      root.show(newest)
    } else {
      root = RootNode(newest, isElsewhere: true)
    }
    isShown = true
  }

  package func announce() {
    if let ended {
      self.ended = nil
      ended.tell()
    }
    root?.tell()
    if !onAnnounce.isEmpty { onAnnounce.notify() }
  }

  package func received(_ output: PublishedMessage.Output) {
    guard !outputs.isEmpty else { return }
    outputs.notify(EncodedOutput(bytes: output.value, schema: output.schema, origin: origin))
  }

  package func statusChanged(_ status: ScopeStatus) {
    switch status {
    case .joining, .live, .stale: return
    case .refused(let failure): end(.refused(failure.message))
    case .closed(let reason): end(.closed(reason))
    }
  }

  package func announceEnd() { announce() }

  private func end(_ end: StoreEnd) {
    isShown = false
    root?.end(end)
  }
}
