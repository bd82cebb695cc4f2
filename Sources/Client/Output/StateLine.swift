import GenericState
import StoreClient
import StoreReplica
import StoreState

/// What a scope's state looks like on a line.
@MainActor
enum StateLine {
  /// The optional state of a scope.
  static func tree(_ scope: GenericReplica) -> JSONValue {
    JSONProjection.tree(scope.value, schema: scope.schema, in: scope.description.state)
  }

  /// A line of `watch`: what it is about, and its content under a name.
  ///
  /// An output has a revision of its own; anything else is of the scope's.
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
