import StoreState

/// Converts JSON trees to values.
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

  /// Reads a part of a value; an error gets `element` added to its path.
  func read(
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

  func mismatch(_ json: JSONValue, _ schema: Schema) -> JSONProjectionError {
    JSONProjectionError("expected \(expectation(schema)), found \(json.foundText)")
  }

  func expectation(_ schema: Schema) -> String {
    if let limits = schema.integerLimits {
      return "an integer from \(-Int128(limits.below)) to \(limits.top)"
    }
    switch schema {
    case .bool: return "true or false"
    case .int128: return "an integer of 128 bits"
    case .uint128: return "an integer of 128 bits, 0 or more"
    case .float16, .float32, .float64: return "a number, \"nan\", \"inf\" or \"-inf\""
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
  /// Returns `nil` if the text is not of the kind.
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
    case (.float16, .number(let text)):
      return Self.half(text)
    case (.int128, .number(let text)):
      return JSONValue.isInteger(text) ? Int128(text).flatMap(Self.generic) : nil
    case (.uint128, .number(let text)):
      return JSONValue.isInteger(text) ? UInt128(text).flatMap(Self.generic) : nil
    case (.float16, .string(let text)), (.float32, .string(let text)),
      (.float64, .string(let text)):
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

  private static func generic(_ value: some WireValue) -> GenericValue? {
    try? GenericValue(encoded: value.encoded())
  }

  /// A number rounded to 16 bits.
  private static func half(_ text: String) -> GenericValue? {
    guard let number = Float(text), let half = HalfFloat.rounded(number) else { return nil }
    return .float(Double(HalfFloat.value(of: half)))
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

  /// A value without a schema.
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

  /// The error for an object with a duplicate name.
  private static func twice(_ members: [JSONValue.Member]) -> JSONProjectionError {
    var seen: Set<GenericValue> = []
    let name = members.first { !seen.insert(.text($0.name)).inserted }?.name ?? ""
    return JSONProjectionError("expected each name once, found \"\(name)\" twice")
  }
}
