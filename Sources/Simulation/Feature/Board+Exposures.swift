import StoreActor
package import StoreReplication
import StoreState

extension Board {
  /// What clients may see and send.
  package static let exposures: [Expose<State, Action>] = [
    Expose("accounts", state: \.accounts, action: \.accounts),
    Expose("list", state: \.list, action: \.list),
    Expose(each: "list/rows", state: \.list.rows, action: \.list.rows),
    Expose("note", state: \.note, action: \.note),
    Expose("presence", state: \.presence),
  ]

  /// The encoding of a scope's optional state, worked out without the exposures.
  ///
  /// - Returns: Nil for a scope that there is not.
  package static func projection(of scope: String, in state: State) -> [UInt8]? {
    switch scope {
    case "accounts": return Optional(state.accounts).encoded()
    case "list": return Optional(state.list).encoded()
    case "note": return state.note.encoded()
    case "presence": return Optional(state.presence).encoded()
    default:
      guard scope.hasPrefix("list/rows/"), let id = Int(scope.dropFirst("list/rows/".count)) else {
        return nil
      }
      return state.list.rows[id: id].encoded()
    }
  }
}
