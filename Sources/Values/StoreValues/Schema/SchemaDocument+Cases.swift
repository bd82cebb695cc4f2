extension SchemaDocument {
  /// The schema of a choice with some of its cases, without definitions that only the others use.
  ///
  /// - Parameter isKept: Whether a case stays.
  /// - Returns: The schema; this one if the root is not a choice.
  package func keepingCases(where isKept: (_ name: String) -> Bool) -> SchemaDocument {
    guard case .named(let name) = root, case .choice(let cases)? = definitions[name] else {
      return self
    }
    let kept = cases.filter { isKept($0.name) }
    guard kept.count < cases.count else { return self }
    var all = definitions
    all[name] = .choice(kept)
    var reached: [String: Definition] = [:]
    // A list instead of recursion, because a chain of definitions may be long.
    var pending = [root]
    while let schema = pending.popLast() {
      for name in schema.names where reached[name] == nil {
        guard let definition = all[name] else { continue }
        reached[name] = definition
        pending += definition.schemas
      }
    }
    return SchemaDocument(trustedRoot: root, definitions: reached)
  }
}

extension Definition {
  /// The schemas of the fields, or of the cases' payloads.
  fileprivate var schemas: [Schema] {
    switch self {
    case .record(let fields): fields.map(\.schema)
    case .choice(let cases): cases.flatMap { $0.payload.map(\.schema) }
    }
  }
}

extension Schema {
  /// The names of the definitions to which it refers.
  fileprivate var names: [String] {
    switch self {
    case .named(let name): [name]
    case .optional(let part), .array(let part), .set(let part): part.names
    case .dictionary(let key, let value): key.names + value.names
    case .identified(_, let id, let element): id.names + element.names
    case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .int128, .uint128,
      .float16, .float32, .float64, .text, .bytes, .uuid, .date, .duration, .url, .null, .any:
      []
    }
  }
}
