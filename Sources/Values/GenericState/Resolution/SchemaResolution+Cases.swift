package import StoreState

extension SchemaResolution {
  /// Whether the reader knows any part of the writer's root.
  ///
  /// Without a common part, a record can still be built from defaults, and a choice has only cases
  /// that never occur; but the two roots are probably unrelated.
  package var hasCommonGround: Bool {
    guard !isIdentity, case .planned(let index) = projector.root.content else { return true }
    switch projector.plans[index] {
    case .record(let plan): return plan.fields.contains { $0.target != nil }
    case .choice(let cases): return cases.contains { $0 != nil }
    }
  }

  /// The case that made a value unreadable, with the path of names to it: `row.action.archived`.
  ///
  /// - Parameters:
  ///   - value: The encoding of a value of the writer's.
  ///   - error: The error of its translation.
  /// - Returns: Nil if the error was not an unknown case.
  package func unknownCase(in value: some Sequence<UInt8>, _ error: CodecError) -> String? {
    guard error.code == .unknownName, let value = try? GenericValue(encoded: Array(value)),
      let unknown = value.caseName(at: error.path)
    else { return nil }
    let steps = error.path.map(\.text).filter { !$0.hasPrefix("_") } + [unknown]
    return steps.joined(separator: ".")
  }
}

extension Projection {
  /// The innermost projection inside of optionals and collections.
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
  /// The case of the choice at the end of a path; nil if there is no choice.
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
