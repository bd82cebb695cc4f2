package import StoreActor
package import StoreBytes
package import StoreProtocol
import StoreState

/// A scope's state as a value of its type, for a remote store.
@MainActor
package final class TypedReplica<State: ReplicatedState>: Replica {
  /// The state of the newest bytes; nil while the scope is absent.
  private var newest: State?
  /// The tree of the shown state and its observers; nil before the first state.
  ///
  /// A store belongs to the state at its creation. After that state has ended, later states have a
  /// new tree.
  package private(set) var root: RootNode<State>?
  /// The former tree, which has ended and whose observers were not notified yet.
  private var ended: RootNode<State>?
  /// Whether the scope was absent since it was shown last.
  private var wasAbsent = false
  /// Whether the scope's state is shown: it is not absent, refused or closed.
  package private(set) var isShown = false
  /// Whether the shown state is that of the newest bytes.
  private(set) var showsNewest = false
  package let outputs = ObserverList<EncodedOutput>()
  /// The observers of a new shown state, notified while other copies may still show the former one.
  let onShow = ObserverList<Void>()
  /// The observers that are notified once all copies show it, or this one has ended.
  package let onAnnounce = ObserverList<Void>()
  /// Knows the schemas of outputs.
  weak var origin: (any OutputOrigin)?

  /// Creates a copy before its first bytes.
  ///
  /// - Parameter placeholder: The state to show until then.
  package init(placeholder: State? = nil) {
    root = placeholder.map { RootNode($0, isElsewhere: true) }
  }

  /// The last state that was shown; nil before the first.
  package var shown: State? { root?.state }

  package func reset(to snapshot: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    showsNewest = false
    newest = try State?(encoded: snapshot)
  }

  package func apply(_ delta: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    showsNewest = false
    newest = try newest.applying(delta: delta)
    if case .none = newest { wasAbsent = true }
  }

  package var digest: Digest { newest._$digest }

  package var encoding: [UInt8] { newest.encoded() }

  package func show(revision: UInt64) {
    defer { if !onShow.isEmpty { onShow.notify() } }
    showsNewest = true
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
