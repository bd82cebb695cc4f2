import StoreClient
import StoreState

/// What a scope's state looks like on a line.
@MainActor
enum StateLine {
  /// The optional state of a scope.
  static func tree(_ scope: DynamicScope) -> JSONValue {
    JSONProjection.tree(scope.value, schema: scope.schema, in: scope.description.state)
  }

  /// A line of `watch`: what it is about, and its content under a name.
  static func text(
    _ scope: DynamicScope,
    _ content: (name: String, tree: JSONValue),
    withDigest: Bool,
    asJSON: Bool,
  ) -> String {
    guard asJSON else {
      let digest = withDigest ? " \(scope.digest)" : ""
      let sign = content.name == "delta" ? " +" : ""
      return "\(scope.name) @\(scope.revision)\(digest)\(sign) \(content.tree.text())"
    }
    var members: [JSONValue.Member] = [
      .init("scope", .string(scope.name)), .init("revision", .integer(scope.revision)),
      .init(content.name, content.tree),
    ]
    if withDigest { members.append(.init("digest", .string("\(scope.digest)"))) }
    return JSONValue.object(members).text()
  }
}
