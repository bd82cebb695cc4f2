/// The reason why a store shows no more changes.
///
/// A store that has ended keeps its last state. Actions that are sent to it have no effect.
///
/// ```swift
/// if let end = StoreEnd(of: store) { return "The counter is over: \(end)" }
/// ```
public enum StoreEnd: Hashable, Sendable {
  /// The store's part was removed or replaced.
  case gone
  /// The daemon refuses the scope, for a reason.
  case refused(String)
  /// The connection was closed, for a reason.
  case closed(String)
}

extension StoreEnd {
  /// Creates the reason why a store shows no more changes; nil while changes are possible.
  ///
  /// A child's store ends when the child is removed or replaced. The store of a scope in another
  /// process ends when the scope is removed, when the daemon refuses it, and when the connection is
  /// closed. A store that has ended keeps the last state that was read of it or sent to an
  /// observer, and its streams end.
  ///
  /// Observers that read it are notified of the end.
  ///
  /// - Parameter store: The store.
  @MainActor
  public init?<State, Action>(of store: Store<State, Action>) {
    if ObservationProbe.isTracking { store.node.noteEnd() }
    guard let end = store.node.end else { return nil }
    self = end
  }
}

extension StoreEnd: CustomStringConvertible {
  /// A readable description of the reason.
  public var description: String {
    switch self {
    case .gone: "What the store was of has gone."
    case .refused(let reason): "The daemon refuses it: \(reason)"
    case .closed(let reason): "The connection is closed: \(reason)"
    }
  }
}
