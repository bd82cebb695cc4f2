package import StoreState

extension SchemaResolution {
  /// Whether anything of the writer's root is known to the reader.
  ///
  /// Where nothing is, a record can still be made of defaults, and a choice of cases of which none
  /// ever comes; but it is hardly the same thing under another name.
  package var hasCommonGround: Bool {
    guard !isIdentity, case .planned(let index) = projector.root.content else { return true }
    switch projector.plans[index] {
    case .record(let plan): return plan.fields.contains { $0.target != nil }
    case .choice(let cases): return cases.contains { $0 != nil }
    }
  }

  /// The case that made a value unreadable, with the names that lead to it: `row.action.archived`.
  ///
  /// - Parameters:
  ///   - value: The encoding of a value of the writer's.
  ///   - error: Why it could not be translated.
  /// - Returns: Nil when that was no unknown case.
  package func unknownCase(in value: some Sequence<UInt8>, _ error: CodecError) -> String? {
    guard error.code == .unknownName, let value = try? GenericValue(encoded: Array(value)),
      let unknown = value.caseName(at: error.path)
    else { return nil }
    let steps = error.path.map(\.text).filter { !$0.hasPrefix("_") } + [unknown]
    return steps.joined(separator: ".")
  }
}

extension Projection {
  /// What an optional, or an array, is one of.
  fileprivate var content: Projection {
    switch self {
    case .wrapped(let inner, _), .optional(let inner, _, _), .array(let inner),
      .identified(let inner), .dictionary(let inner):
      inner.content
    case .same, .set, .planned: self
    }
  }
}

extension CodecError.PathElement {
  fileprivate var text: String {
    switch self {
    case .name(let name): name
    case .index(let index): "\(index)"
    case .key(let key): key
    }
  }
}

extension GenericValue {
  /// The case of the choice at the end of a path; nil when there is none.
  fileprivate func caseName(at path: [CodecError.PathElement]) -> String? {
    var value = self
    for element in path {
      switch (element, value) {
      case (.name(let name), _):
        // Records and cases with payloads are both maps from names.
        guard let part = value[field: name] else { return nil }
        value = part
      case (.index(let index), .array(let items)) where items.indices.contains(index):
        value = items[index]
      default: return nil
      }
    }
    return value.caseAndPayload?.name
  }
}
