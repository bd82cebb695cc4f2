import StoreActor
package import StoreExposures
import StoreState

extension Board {
  /// The scopes that clients may see and send to.
  package static let exposures: [Expose<State, Action>] = [
    Expose("accounts", state: \.accounts, action: \.accounts, output: Chime.self),
    Expose("list", state: \.list, action: \.list, output: Chime.self, replies: UInt64.self),
    Expose(each: "list/rows", state: \.list.rows, action: \.list.rows, output: Chime.self),
    Expose("note", state: \.note, action: \.note, output: Chime.self),
    Expose("presence", state: \.presence),
  ]

  /// Encodes a scope's optional state, independently of the exposures.
  ///
  /// - Returns: Nil for an unknown scope.
  package static func projection(of scope: String, in state: State) -> [UInt8]? {
    switch scope {
    case "accounts": return Optional(state.accounts).encoded()
    case "list": return Optional(state.list).encoded()
    case "note": return state.note.encoded()
    case "presence": return Optional(state.presence).encoded()
    default: return rowID(of: scope).map { state.list.rows[id: $0].encoded() }
    }
  }

  /// Returns the id in the name of a row's scope.
  static func rowID(of scope: String) -> Int? {
    guard scope.hasPrefix("list/rows/") else { return nil }
    return Int(scope.dropFirst("list/rows/".count))
  }

  /// Returns the scopes of an action's outputs, independently of the exposures.
  static func scopes(of action: Action) -> [String] {
    switch action {
    case .accounts: ["accounts"]
    case .list(.rows(.element(let id, _))): ["list", "list/rows/\(id)"]
    case .list: ["list"]
    case .note: ["note"]
    case .joined, .left: []
    }
  }
}
