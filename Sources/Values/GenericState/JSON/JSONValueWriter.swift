import StoreState

/// Turns values into JSON trees.
struct JSONValueWriter {
  let document: SchemaDocument

  /// A value by its schema; without it where the value is not one of it.
  func tree(_ value: GenericValue, _ schema: Schema) -> JSONValue {
    switch (schema, value) {
    case (.optional, .null):
      return .null
    case (.optional(let wrapped), .array(let items)) where wrapped.admitsNull:
      return .array(items.map { tree($0, wrapped) })
    case (.optional(let wrapped), _):
      return tree(value, wrapped)
    case (.array(let element), .array(let items)),
      (.identified(_, _, let element), .array(let items)):
      return .array(items.map { tree($0, element) })
    case (.set(let element), .set(let items)):
      return .array(items.map { tree($0, element) })
    case (.dictionary(let key, let content), .map(let entries)):
      return dictionary(entries.map { ($0.key, tree($0.value, content)) }, key)
    case (.named(let name), _):
      return named(value, name)
    default:
      return simple(value, schema)
    }
  }

  private func simple(_ value: GenericValue, _ schema: Schema) -> JSONValue {
    switch (schema, value) {
    case (.float32, .float(let number)):
      // As a float of 32 bits, 0.1 has a short text.
      return .float(Float(number))
    case (.int128, .array(let parts)), (.uint128, .array(let parts)):
      return Self.wideInteger(parts, schema) ?? Self.tree(value)
    case (.uuid, .bytes(let bytes)) where bytes.count == 16:
      return .string(UUIDText.text(of: bytes))
    case (.date, .float(let seconds)):
      return DateText.text(of: seconds).map(JSONValue.string) ?? .float(seconds)
    default:
      return Self.tree(value)
    }
  }

  /// The number of which an upper and a lower half are given.
  private static func wideInteger(_ parts: GenericItems, _ schema: Schema) -> JSONValue? {
    guard parts.count == 2, let lower = parts[1].uint64 else { return nil }
    if schema == .int128 {
      return parts[0].int64.map { .integer(Int128($0) << 64 | Int128(lower)) }
    }
    return parts[0].uint64.map { .integer(UInt128($0) << 64 | UInt128(lower)) }
  }

  /// An object when the keys have texts, else an array of pairs.
  func dictionary(_ entries: [(key: GenericValue, value: JSONValue)], _ key: Schema) -> JSONValue {
    guard key.isNameable(in: document) else {
      return .array(entries.map { .array([tree($0.key, key), $0.value]) })
    }
    return .object(entries.map { .init(keyText($0.key, key), $0.value) })
  }

  private func keyText(_ value: GenericValue, _ key: Schema) -> String {
    let tree = tree(value, key)
    if case .string(let text) = tree { return text }
    return tree.text()
  }

  private func named(_ value: GenericValue, _ name: String) -> JSONValue {
    switch document.definitions[name] {
    case .record(let fields):
      return record(value, fields)
    case .choice(let cases):
      guard let (name, payload) = value.caseAndPayload, let payload,
        let `case` = cases.first(where: { GenericValue.text($0.name) == .text(name) })
      else { return Self.tree(value) }
      return .object([.init(name, record(payload, `case`.payload))])
    case nil:
      return Self.tree(value)
    }
  }

  /// The fields in the order of their declaration, which people expect.
  private func record(_ value: GenericValue, _ fields: [Definition.Field]) -> JSONValue {
    guard case .map(let entries) = value, entries.count == fields.count else {
      return Self.tree(value)
    }
    var members: [JSONValue.Member] = []
    for field in fields {
      guard let content = value[field: field.name] else { return Self.tree(value) }
      members.append(.init(field.name, tree(content, field.schema)))
    }
    return .object(members)
  }
}

extension JSONValueWriter {
  /// A value as JSON can say it without a schema: bytes as base64, keys that are not text by their
  /// JSON, or where they have parts by the base64 of their encoding.
  static func tree(_ value: GenericValue) -> JSONValue {
    switch value {
    case .unsigned(let magnitude): .integer(magnitude)
    case .negative(let complement): .integer(-1 - Int128(complement))
    case .float(let number): .float(number)
    case .bool(let value): .bool(value)
    case .null: .null
    case .text(let text): .string(text)
    case .bytes(let bytes): .string(Base64.text(of: bytes))
    case .array(let items): .array(items.map(tree))
    case .set(let items): .array(items.map(tree))
    case .map(let entries): .object(entries.map { .init(keyText($0.key), tree($0.value)) })
    }
  }

  private static func keyText(_ key: GenericValue) -> String {
    switch key {
    case .text(let text): text
    // JSON in JSON in JSON would be escaped again and again, and double with each level.
    case .array, .map, .set: Base64.text(of: key.encoded())
    default: tree(key).text()
    }
  }
}
