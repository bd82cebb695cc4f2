import StoreState

/// Checks generic values against schemas.
struct SchemaValidator {
  let document: SchemaDocument

  func check(_ value: GenericValue, _ schema: Schema) throws(CodecError) {
    switch schema {
    case .any: return
    case .optional(let wrapped): try checkOptional(value, wrapped)
    case .array(let element), .set(let element), .identified(_, _, let element):
      try checkItems(value, element, schema)
    case .dictionary(let key, let content): try checkDictionary(value, key, content, schema)
    case .named(let name): try checkNamed(value, name, schema)
    default:
      guard fits(value, schema) else { throw mismatch(value, schema) }
    }
  }

  private func mismatch(_ value: GenericValue, _ schema: Schema) -> CodecError {
    CodecError(.typeMismatch, "expected \(schema), found \(value.foundText)")
  }

  private func fits(_ value: GenericValue, _ schema: Schema) -> Bool {
    switch (schema, value) {
    case (.bool, .bool), (.text, .text), (.url, .text), (.bytes, .bytes), (.null, .null),
      (.float64, .float), (.date, .float):
      true
    case (.float16, .float(let number)):
      number.isNaN
        || HalfFloat.pattern(exactly: Float(number)) != nil && Double(Float(number)) == number
    case (.int128, .array(let parts)):
      parts.count == 2 && parts[0].int64 != nil && parts[1].uint64 != nil
    case (.uint128, .array(let parts)):
      parts.count == 2 && parts[0].uint64 != nil && parts[1].uint64 != nil
    case (.float32, .float(let number)):
      number.isNaN || Double(Float(number)) == number
    case (.uuid, .bytes(let bytes)):
      bytes.count == 16
    case (.duration, .array(let parts)):
      isDuration(parts)
    case (_, .unsigned(let magnitude)):
      schema.integerLimits.map { magnitude <= $0.top } ?? false
    case (_, .negative(let complement)):
      schema.integerLimits.map { complement < $0.below } ?? false
    default:
      false
    }
  }

  private func isDuration(_ parts: GenericItems) -> Bool {
    guard parts.count == 2, let seconds = parts[0].int64, let attoseconds = parts[1].int64
    else { return false }
    let isInRange = attoseconds.magnitude < 1_000_000_000_000_000_000
    return isInRange && seconds.signum() * attoseconds.signum() >= 0
  }

  private func checkOptional(
    _ value: GenericValue,
    _ wrapped: Schema,
  ) throws(CodecError) {
    if case .null = value { return }
    guard wrapped.admitsNull else { return try check(value, wrapped) }
    guard case .array(let items) = value, items.count == 1 else {
      throw CodecError(
        .typeMismatch,
        "expected null or an array of one \(wrapped), found \(value.foundText)",
      )
    }
    try check(items[0], wrapped)
  }

  private func checkItems(
    _ value: GenericValue,
    _ element: Schema,
    _ schema: Schema,
  ) throws(CodecError) {
    let items: GenericItems
    switch (schema, value) {
    case (.set, .set(let values)): items = GenericItems(values)
    case (.array, .array(let values)), (.identified, .array(let values)): items = values
    default: throw mismatch(value, schema)
    }
    for (index, item) in items.enumerated() {
      do throws(CodecError) {
        try check(item, element)
      } catch {
        throw error.inside(.index(index))
      }
    }
    if case .identified(let field, _, _) = schema { try checkIDs(of: items, field: field) }
  }

  private func checkIDs(of items: GenericItems, field: String) throws(CodecError) {
    var seen: Set<GenericValue> = []
    for (index, item) in items.enumerated() {
      guard let id = item[field: field] else { continue }
      guard seen.insert(id).inserted else {
        throw CodecError(.notCanonical, "the id \(id.foundText) stands there twice")
          .inside(.index(index))
      }
    }
  }

  private func checkDictionary(
    _ value: GenericValue,
    _ key: Schema,
    _ content: Schema,
    _ schema: Schema,
  ) throws(CodecError) {
    guard case .map(let entries) = value else { throw mismatch(value, schema) }
    for entry in entries {
      do throws(CodecError) {
        try check(entry.key, key)
        try check(entry.value, content)
      } catch {
        throw error.inside(entry.key.pathElement(key, in: document))
      }
    }
  }

  private func checkNamed(
    _ value: GenericValue,
    _ name: String,
    _ schema: Schema,
  ) throws(CodecError) {
    switch document.definitions[name] {
    case .record(let fields): try checkFields(value, fields, what: "field", schema)
    case .choice(let cases): try checkChoice(value, cases, schema)
    case nil: throw CodecError(.malformedSchema, "\"\(name)\" is not defined")
    }
  }

  private func checkFields(
    _ value: GenericValue,
    _ fields: [Definition.Field],
    what: String,
    _ schema: Schema,
  ) throws(CodecError) {
    guard case .map(let entries) = value else { throw mismatch(value, schema) }
    let schemas = Dictionary(
      fields.map { (GenericValue.text($0.name), $0) },
      uniquingKeysWith: { first, _ in first },
    )
    for entry in entries {
      guard let field = schemas[entry.key] else {
        throw CodecError(.unknownName, "\(schema) has no \(what) \(entry.key.foundText)")
      }
      do throws(CodecError) {
        try check(entry.value, field.schema)
      } catch {
        throw error.inside(.name(field.name))
      }
    }
    guard entries.count == fields.count else {
      let missing = fields.first { value[field: $0.name] == nil }?.name ?? ""
      throw CodecError(.missingField, "the \(what) \"\(missing)\" of \(schema) is missing")
    }
  }

  private func checkChoice(
    _ value: GenericValue,
    _ cases: [Definition.Case],
    _ schema: Schema,
  ) throws(CodecError) {
    guard let (name, payload) = value.caseAndPayload else { throw mismatch(value, schema) }
    guard let `case` = cases.first(where: { GenericValue.text($0.name) == .text(name) }) else {
      let remedy = NearestNames().remedy(for: name, among: cases.map(\.name))
      throw CodecError(.unknownName, "\(schema) has no case \"\(name)\"\(remedy)")
    }
    guard (payload == nil) == `case`.payload.isEmpty else {
      let expected = payload == nil ? "a map with its payload" : "its name alone"
      throw CodecError(.typeMismatch, "expected \(expected), found \(value.foundText)")
        .inside(.name(name))
    }
    guard let payload else { return }
    do throws(CodecError) {
      try checkFields(payload, `case`.payload, what: "label", schema)
    } catch {
      throw error.inside(.name(name))
    }
  }
}
