/// Turns JSON trees into values.
struct JSONValueReader {
  let document: SchemaDocument

  func read(_ json: JSONValue, _ schema: Schema) throws(JSONProjectionError) -> GenericValue {
    switch schema {
    case .optional(let wrapped): return try optional(json, wrapped)
    case .array(let element): return .array(try items(json, element, schema))
    case .set(let element): return .set(sorting: try items(json, element, schema))
    case .identified(let field, _, let element):
      return .array(try rows(json, field, element, schema))
    case .dictionary(let key, let content): return try dictionary(json, key, content, schema)
    case .named(let name): return try named(json, name)
    case .any: return try Self.any(json)
    case .duration:
      guard let parts = DurationText.parts(of: json) else { throw mismatch(json, schema) }
      return .array([.integer(parts.seconds), .integer(parts.attoseconds)])
    default:
      guard let value = simple(json, schema) else { throw mismatch(json, schema) }
      return value
    }
  }

  /// Reads a part of a value; an error says that it happened inside of `element`.
  private func read(
    _ json: JSONValue,
    _ schema: Schema,
    at element: @autoclosure () -> CodecError.PathElement,
  ) throws(JSONProjectionError) -> GenericValue {
    do throws(JSONProjectionError) {
      return try read(json, schema)
    } catch {
      throw error.inside(element())
    }
  }

  private func mismatch(_ json: JSONValue, _ schema: Schema) -> JSONProjectionError {
    JSONProjectionError("expected \(expectation(schema)), found \(json.foundText)")
  }

  private func expectation(_ schema: Schema) -> String {
    if let limits = schema.integerLimits {
      return "an integer from \(-Int128(limits.below)) to \(limits.top)"
    }
    switch schema {
    case .bool: return "true or false"
    case .float32, .float64: return "a number, \"nan\", \"inf\" or \"-inf\""
    case .bytes: return "base64 in a string"
    case .uuid: return "a UUID in a string"
    case .date: return "a date like \"2026-01-31T09:30:00Z\" or the seconds since 2001"
    case .duration: return "seconds, or an array of seconds and attoseconds"
    case .array, .set, .identified: return "an array"
    case .dictionary(let key, _):
      return key.isNameable(in: document) ? "an object" : "an array of [key, value] pairs"
    default: return "\(schema)"
    }
  }
}

// MARK: - Values without parts

extension JSONValueReader {
  /// `nil` when the text is not of the kind.
  private func simple(_ json: JSONValue, _ schema: Schema) -> GenericValue? {
    switch (schema, json) {
    case (.bool, .bool(let value)): return .bool(value)
    case (.null, .null): return .null
    case (.text, .string(let text)), (.url, .string(let text)): return .text(text)
    case (.bytes, .string(let text)): return Base64.bytes(of: text).map { .bytes($0) }
    case (.uuid, .string(let text)): return UUIDText.bytes(of: text).map { .bytes($0) }
    case (.date, .string(let text)):
      return DateText.seconds(of: text).map { .float($0) } ?? Self.specialFloat(text)
    case (.float32, .number(let text)):
      guard let number = Float(text), number.isFinite else { return nil }
      return .float(Double(number))
    case (.float64, .number(let text)), (.date, .number(let text)):
      return Self.float(text)
    case (.float32, .string(let text)), (.float64, .string(let text)):
      return Self.specialFloat(text)
    case (_, .number(let text)):
      guard let limits = schema.integerLimits, let value = Self.integer(text) else { return nil }
      switch value {
      case .unsigned(let magnitude) where magnitude <= limits.top: return value
      case .negative(let complement) where complement < limits.below: return value
      default: return nil
      }
    default: return nil
    }
  }

  private static func float(_ text: String) -> GenericValue? {
    guard let number = Double(text), number.isFinite else { return nil }
    return .float(number)
  }

  private static func specialFloat(_ text: String) -> GenericValue? {
    switch text {
    case "nan": .float(.nan)
    case "inf": .float(.infinity)
    case "-inf": .float(-.infinity)
    default: nil
    }
  }

  /// An integer from -2⁶⁴ to 2⁶⁴ - 1.
  private static func integer(_ text: String) -> GenericValue? {
    guard JSONValue.isInteger(text), let value = Int128(text) else { return nil }
    if value < 0 { return UInt64(exactly: -1 - value).map { .negative($0) } }
    return UInt64(exactly: value).map { .unsigned($0) }
  }

  /// A value without schema.
  private static func any(_ json: JSONValue) throws(JSONProjectionError) -> GenericValue {
    switch json {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .string(let text): return .text(text)
    case .number(let text):
      guard let value = JSONValue.isInteger(text) ? integer(text) : float(text) else {
        throw JSONProjectionError("expected a number that 64 bits can hold, found \(text)")
      }
      return value
    case .array(let items):
      var values: [GenericValue] = []
      for (index, item) in items.enumerated() {
        values.append(try any(item, at: .index(index)))
      }
      return .array(values)
    case .object(let members):
      var entries: [GenericValue.Entry] = []
      for member in members {
        entries.append(.init(.text(member.name), try any(member.value, at: .key(member.name))))
      }
      guard let map = GenericValue.map(sorting: entries) else { throw twice(members) }
      return map
    }
  }

  private static func any(
    _ json: JSONValue,
    at element: CodecError.PathElement,
  ) throws(JSONProjectionError) -> GenericValue {
    do throws(JSONProjectionError) {
      return try any(json)
    } catch {
      throw error.inside(element)
    }
  }

  /// The error of an object in which a name occurs twice.
  private static func twice(_ members: [JSONValue.Member]) -> JSONProjectionError {
    var seen: Set<GenericValue> = []
    let name = members.first { !seen.insert(.text($0.name)).inserted }?.name ?? ""
    return JSONProjectionError("expected each name once, found \"\(name)\" twice")
  }
}

// MARK: - Optionals and collections

extension JSONValueReader {
  private func optional(
    _ json: JSONValue,
    _ wrapped: Schema,
  ) throws(JSONProjectionError) -> GenericValue {
    if json == .null { return .null }
    guard wrapped.admitsNull else { return try read(json, wrapped) }
    guard case .array(let items) = json, items.count == 1 else {
      throw JSONProjectionError("expected null or an array of one, found \(json.foundText)")
    }
    return .array([try read(items[0], wrapped)])
  }

  private func items(
    _ json: JSONValue,
    _ element: Schema,
    _ schema: Schema,
  ) throws(JSONProjectionError) -> [GenericValue] {
    guard case .array(let items) = json else { throw mismatch(json, schema) }
    var values: [GenericValue] = []
    values.reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      values.append(try read(item, element, at: .index(index)))
    }
    return values
  }

  private func rows(
    _ json: JSONValue,
    _ field: String,
    _ element: Schema,
    _ schema: Schema,
  ) throws(JSONProjectionError) -> [GenericValue] {
    let rows = try items(json, element, schema)
    var seen: Set<GenericValue> = []
    for (index, row) in rows.enumerated() {
      guard let id = row[field: field], !seen.insert(id).inserted else { continue }
      throw JSONProjectionError("expected a new id, found one that stands there before")
        .inside(.name(field)).inside(.index(index))
    }
    return rows
  }

  private func dictionary(
    _ json: JSONValue,
    _ key: Schema,
    _ content: Schema,
    _ schema: Schema,
  ) throws(JSONProjectionError) -> GenericValue {
    var entries: [GenericValue.Entry] = []
    if key.isNameable(in: document) {
      guard case .object(let members) = json else { throw mismatch(json, schema) }
      for member in members {
        let path = CodecError.PathElement.key(member.name)
        let name = try read(keyTree(member.name, key), key, at: path)
        entries.append(.init(name, try read(member.value, content, at: path)))
      }
    } else {
      guard case .array(let pairs) = json else { throw mismatch(json, schema) }
      for (index, pair) in pairs.enumerated() {
        entries.append(try entry(pair, key, content, index))
      }
    }
    guard let map = GenericValue.map(sorting: entries) else {
      throw JSONProjectionError("expected each key once, found one twice")
    }
    return map
  }

  private func keyTree(_ text: String, _ key: Schema) -> JSONValue {
    let isNumber = key.integerLimits != nil && JSONValue.isInteger(text) && text != "-0"
    return isNumber ? .number(text) : .string(text)
  }

  private func entry(
    _ json: JSONValue,
    _ key: Schema,
    _ content: Schema,
    _ index: Int,
  ) throws(JSONProjectionError) -> GenericValue.Entry {
    guard case .array(let parts) = json, parts.count == 2 else {
      throw JSONProjectionError("expected an array of a key and a value, found \(json.foundText)")
        .inside(.index(index))
    }
    do throws(JSONProjectionError) {
      return .init(
        try read(parts[0], key, at: .index(0)),
        try read(parts[1], content, at: .index(1)),
      )
    } catch {
      throw error.inside(.index(index))
    }
  }
}

// MARK: - Records and choices

extension JSONValueReader {
  private func named(_ json: JSONValue, _ name: String) throws(JSONProjectionError) -> GenericValue
  {
    switch document.definitions[name] {
    case .record(let fields): return try record(json, fields, what: "field", of: name)
    case .choice(let cases): return try choice(json, cases, name)
    case nil: throw JSONProjectionError("the schema does not define \"\(name)\"")
    }
  }

  private func record(
    _ json: JSONValue,
    _ fields: [Definition.Field],
    what: String,
    of name: String,
  ) throws(JSONProjectionError) -> GenericValue {
    guard case .object(let members) = json else {
      throw JSONProjectionError("expected \(name) as an object, found \(json.foundText)")
    }
    var values: [GenericValue?] = Array(repeating: nil, count: fields.count)
    for member in members {
      guard let place = fields.firstIndex(where: { $0.name.isSame(as: member.name) }) else {
        let remedy = NearestNames().remedy(for: member.name, among: fields.map(\.name))
        throw JSONProjectionError("\(name) has no \(what) \"\(member.name)\"\(remedy)")
      }
      guard values[place] == nil else {
        throw JSONProjectionError("expected each name once, found \"\(member.name)\" twice")
      }
      values[place] = try read(member.value, fields[place].schema, at: .name(member.name))
    }
    return .map(try entries(fields, values))
  }

  private func entries(
    _ fields: [Definition.Field],
    _ values: [GenericValue?],
  ) throws(JSONProjectionError) -> [GenericValue.Entry] {
    var entries: [GenericValue.Entry] = []
    for (field, value) in zip(fields, values) {
      if let value {
        entries.append(.init(.text(field.name), value))
      } else if case .optional = field.schema {
        entries.append(.init(.text(field.name), .null))
      } else {
        throw JSONProjectionError("expected \(expectation(field.schema)), found nothing")
          .inside(.name(field.name))
      }
    }
    // Shorter texts have lesser encodings; of equal length, the bytes decide.
    return entries.sorted { one, other in
      CBORDecoder.compare(one.key.encoded()[...], other.key.encoded()[...]) < 0
    }
  }

  private func choice(
    _ json: JSONValue,
    _ cases: [Definition.Case],
    _ type: String,
  ) throws(JSONProjectionError) -> GenericValue {
    let name: String
    let content: JSONValue?
    switch json {
    case .string(let text): (name, content) = (text, nil)
    case .object(let members) where members.count == 1:
      (name, content) = (members[0].name, members[0].value)
    default:
      throw JSONProjectionError(
        "expected \(type) as a case's name or an object with it, found \(json.foundText)"
      )
    }
    guard let `case` = cases.first(where: { $0.name.isSame(as: name) }) else {
      let remedy = NearestNames().remedy(for: name, among: cases.map(\.name))
      throw JSONProjectionError("\(type) has no case \"\(name)\"\(remedy)")
    }
    do throws(JSONProjectionError) {
      return try payload(content, of: `case`)
    } catch {
      throw error.inside(.name(name))
    }
  }

  private func payload(
    _ content: JSONValue?,
    of case: Definition.Case,
  ) throws(JSONProjectionError) -> GenericValue {
    if `case`.payload.isEmpty {
      guard content == nil || content == .object([]) else {
        throw JSONProjectionError("expected no payload; write the case as \"\(`case`.name)\"")
      }
      return .text(`case`.name)
    }
    let labels = `case`.payload.map { "\"\($0.name)\": …" }.joined(separator: ", ")
    guard let content else {
      throw JSONProjectionError(
        "expected a payload; write the case as {\"\(`case`.name)\": {\(labels)}}"
      )
    }
    return .map([.init(.text(`case`.name), try labelled(content, `case`))])
  }

  private func labelled(
    _ content: JSONValue,
    _ case: Definition.Case,
  ) throws(JSONProjectionError) -> GenericValue {
    let labels = `case`.payload
    if labels.count == 1, labels[0].name == "_0" {
      if case .object(let members) = content, members.count == 1, members[0].name == "_0" {
        return .map([
          .init(.text("_0"), try read(members[0].value, labels[0].schema, at: .name("_0")))
        ])
      }
      return .map([.init(.text("_0"), try read(content, labels[0].schema))])
    }
    return try record(content, labels, what: "label", of: `case`.name)
  }
}
