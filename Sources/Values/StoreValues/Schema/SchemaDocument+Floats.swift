extension SchemaDocument {
  /// Whether a value may hold a float, and so NaN, which differs from itself.
  var mayHoldFloats: Bool {
    root.mayHoldFloats
      || definitions.values.contains { definition in
        switch definition {
        case .record(let fields): fields.contains(where: \.schema.mayHoldFloats)
        case .choice(let cases):
          cases.contains { $0.payload.contains(where: \.schema.mayHoldFloats) }
        }
      }
  }
}

extension Schema {
  /// The same for the kind itself; definitions are checked separately.
  fileprivate var mayHoldFloats: Bool {
    switch self {
    case .float16, .float32, .float64, .date, .any: true
    case .optional(let part), .array(let part), .set(let part): part.mayHoldFloats
    case .dictionary(let key, let value): key.mayHoldFloats || value.mayHoldFloats
    case .identified(_, let id, let element): id.mayHoldFloats || element.mayHoldFloats
    default: false
    }
  }
}
