/// Why a store shows nothing new any more.
///
/// A store that has ended keeps its last state; actions that are sent to it find nothing there.
///
/// ```swift
/// if let end = StoreEnd(of: store) { return "The counter is over: \(end)" }
/// ```
public enum StoreEnd: Hashable, Sendable {
  /// What it was a store of has gone, or something else has come in its place.
  case gone
  /// The daemon does not let the client have the scope any more, and why.
  case refused(String)
  /// The connection was closed, and why.
  case closed(String)
}

extension StoreEnd {
  /// Why a store shows nothing new any more; nil as long as it may.
  ///
  /// A child's store ends when the child goes or another one comes in its place. The store of a
  /// scope in another process ends when the scope goes, when the daemon refuses it, and when the
  /// connection is closed. A store that has ended keeps the last state that was read of it or
  /// sent to an observer, and its streams end.
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
  /// What happened, for people.
  public var description: String {
    switch self {
    case .gone: "What the store was of has gone."
    case .refused(let reason): "The daemon refuses it: \(reason)"
    case .closed(let reason): "The connection is closed: \(reason)"
    }
  }
}
