package import Foundation
import StoreState

/// A client's edit of a shared value (`docs/PROTOCOL.md` §10.1), which is the action of its scope.
package enum SharedEdit: Equatable, Sendable {
  case edited(base: UInt64, delta: Data)

  /// The digest of the value before the edit.
  package var base: UInt64 {
    switch self {
    case .edited(let base, _): base
    }
  }

  /// The delta of the edit.
  package var delta: Data {
    switch self {
    case .edited(_, let delta): delta
    }
  }
}

extension SharedEdit: WireChoiceAction {
  static let layout = ActionLayout<Self>(
    "SharedEdit",
    [
      .case("edited", "base", "delta", embed: Self.edited(base:delta:)) {
        if case .edited(let base, let delta) = $0 { (base, delta) } else { nil }
      }
    ],
  )
}
