import StoreState

/// Converts values to JSON trees.
struct JSONValueWriter {
  let document: SchemaDocument

  /// The tree of a value by its schema, or without a schema if the value does not match it.
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
      // As a 32-bit float, 0.1 has a short text.
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

  /// The number with the given upper and lower halves.
  private static func wideInteger(_ parts: GenericItems, _ schema: Schema) -> JSONValue? {
    guard parts.count == 2, let lower = parts[1].uint64 else { return nil }
    if schema == .int128 {
      return parts[0].int64.map { .integer(Int128($0) << 64 | Int128(lower)) }
    }
    return parts[0].uint64.map { .integer(UInt128($0) << 64 | UInt128(lower)) }
  }

  /// An object if the keys have texts, otherwise an array of pairs.
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

  /// The fields in the order of their declaration, as people expect.
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
  /// A value as JSON without a schema: bytes as base64, and keys other than text as their JSON;
  /// keys that have parts as the base64 of their encoding.
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
    // Nested JSON texts would be escaped repeatedly, and double in size with each level.
    case .array, .map, .set: Base64.text(of: key.encoded())
    default: tree(key).text()
    }
  }
}
