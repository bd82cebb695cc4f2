import GenericState
import StoreClient
import StoreReplica
import StoreState

/// Formats a scope's state as a line.
@MainActor
enum StateLine {
  /// The optional state of a scope.
  static func tree(_ scope: GenericReplica) -> JSONValue {
    JSONProjection.tree(scope.value, schema: scope.schema, in: scope.description.state)
  }

  /// Returns a line of `watch`: the scope, its revision, and the content under a name.
  ///
  /// An output has its own revision; other content has the scope's.
  static func text(
    _ scope: GenericReplica,
    _ content: (name: String, tree: JSONValue),
    at revision: UInt64? = nil,
    withDigest: Bool,
    asJSON: Bool,
  ) -> String {
    let revision = revision ?? scope.revision
    guard asJSON else {
      let digest = withDigest ? " \(scope.digest)" : ""
      let sign =
        switch content.name {
        case "delta": " +"
        case "output": " !"
        default: ""
        }
      return "\(Printable.text(scope.name)) @\(revision)\(digest)\(sign) \(content.tree.text())"
    }
    var members: [JSONValue.Member] = [
      .init("scope", .string(scope.name)), .init("revision", .integer(revision)),
      .init(content.name, content.tree),
    ]
    if withDigest { members.append(.init("digest", .string("\(scope.digest)"))) }
    return JSONValue.object(members).text()
  }
}
