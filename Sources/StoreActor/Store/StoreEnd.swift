/// Why a store shows nothing new any more.
///
/// A store that has ended keeps its last state; actions that are sent to it find nothing there.
public enum StoreEnd: Hashable, Sendable {
  /// What it was a store of has gone, or something else has come in its place.
  case gone
  /// The daemon does not let the client have the scope any more, and why.
  case refused(String)
  /// The connection was closed, and why.
  case closed(String)
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
