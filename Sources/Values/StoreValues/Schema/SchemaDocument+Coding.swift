public import StoreBytes

extension SchemaDocument: WireValue {
  /// A document may be any item: no schema describes it.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .any }

  /// True, as for every value of the kind `any`.
  public static var admitsNull: Bool { true }

  /// Writes the root and the map of definitions.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(2)
    root.encode(to: &encoder)
    var entries = SortedItems()
    for (name, definition) in definitions {
      entries.add {
        $0.encode(text: name)
      } value: {
        definition.encode(to: &$0)
      }
    }
    entries.writeMap(to: &encoder)
  }

  /// Reads a document and checks that it is valid.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    try decoder.expectArray(of: 2, "a schema document")
    let root = try Schema(from: &decoder)
    var definitions: [String: Definition] = [:]
    for _ in 0..<(try decoder.mapHeader()) {
      let name = try decoder.text()
      let definition = try decoder.at(.name(name)) { (decoder) throws(CodecError) in
        try Definition(from: &decoder)
      }
      guard definitions.updateValue(definition, forKey: name) == nil else {
        throw decoder.error(.malformedSchema, "\"\(name)\" is defined twice")
      }
    }
    try self.init(root: root, definitions: definitions)
  }
}

extension Schema {
  package func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .optional(let wrapped): Self.encode("optional", [wrapped], to: &encoder)
    case .array(let element): Self.encode("array", [element], to: &encoder)
    case .set(let element): Self.encode("set", [element], to: &encoder)
    case .dictionary(let key, let value): Self.encode("dictionary", [key, value], to: &encoder)
    case .identified(let field, let id, let element):
      encoder.arrayHeader(4)
      encoder.encode(name: "identified")
      encoder.encode(text: field)
      id.encode(to: &encoder)
      element.encode(to: &encoder)
    case .named(let name):
      encoder.arrayHeader(2)
      encoder.encode(name: "named")
      encoder.encode(text: name)
    default:
      guard let simpleName else { preconditionFailure("The kind \(self) has no encoding.") }
      encoder.encode(text: simpleName)
    }
  }

  private static func encode(
    _ constructor: StaticString,
    _ parts: [Schema],
    to encoder: inout CBOREncoder,
  ) {
    encoder.arrayHeader(1 + parts.count)
    encoder.encode(name: constructor)
    for part in parts { part.encode(to: &encoder) }
  }

  package init(from decoder: inout CBORDecoder) throws(CodecError) {
    guard try decoder.peekKind() == .array else {
      let name = try decoder.text()
      guard let simple = Self.simpleKinds.first(where: { $0.name == name }) else {
        throw decoder.error(.malformedSchema, "there is no kind \"\(name)\"")
      }
      self = simple.schema
      return
    }
    let count = try decoder.arrayHeader()
    guard count > 0 else {
      throw decoder.error(.malformedSchema, "a kind cannot be an empty array")
    }
    self = try Self(constructor: try decoder.text(), parts: count - 1, from: &decoder)
  }

  private init(
    constructor: String,
    parts: Int,
    from decoder: inout CBORDecoder,
  ) throws(CodecError) {
    switch (constructor, parts) {
    case ("optional", 1): self = .optional(try Schema(from: &decoder))
    case ("array", 1): self = .array(try Schema(from: &decoder))
    case ("set", 1): self = .set(try Schema(from: &decoder))
    case ("dictionary", 2):
      let key = try Schema(from: &decoder)
      self = .dictionary(key: key, value: try Schema(from: &decoder))
    case ("identified", 3):
      let field = try decoder.text()
      let id = try Schema(from: &decoder)
      self = .identified(idField: field, id: id, element: try Schema(from: &decoder))
    case ("named", 1): self = .named(try decoder.text())
    default:
      throw decoder.error(
        .malformedSchema,
        "there is no kind \"\(constructor)\" with \(parts) parts",
      )
    }
  }
}

extension Definition {
  package func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(2)
    switch self {
    case .record(let fields):
      encoder.encode(name: "record")
      Self.encode(fields, to: &encoder)
    case .choice(let cases):
      encoder.encode(name: "choice")
      encoder.arrayHeader(cases.count)
      for `case` in cases {
        encoder.arrayHeader(2)
        encoder.encode(text: `case`.name)
        Self.encode(`case`.payload, to: &encoder)
      }
    }
  }

  private static func encode(_ fields: [Field], to encoder: inout CBOREncoder) {
    encoder.arrayHeader(fields.count)
    for field in fields {
      encoder.arrayHeader(2)
      encoder.encode(text: field.name)
      field.schema.encode(to: &encoder)
    }
  }

  package init(from decoder: inout CBORDecoder) throws(CodecError) {
    try decoder.expectArray(of: 2, "a definition")
    switch try decoder.text() {
    case "record":
      self = .record(try Self.fields(from: &decoder))
    case "choice":
      var cases: [Case] = []
      for _ in 0..<(try decoder.arrayHeader()) {
        try decoder.expectArray(of: 2, "a case")
        let name = try decoder.text()
        cases.append(Case(name, try Self.fields(from: &decoder)))
      }
      self = .choice(cases)
    case let other:
      throw decoder.error(.malformedSchema, "expected a record or a choice, found \"\(other)\"")
    }
  }

  private static func fields(from decoder: inout CBORDecoder) throws(CodecError) -> [Field] {
    var fields: [Field] = []
    for _ in 0..<(try decoder.arrayHeader()) {
      try decoder.expectArray(of: 2, "a field")
      let name = try decoder.text()
      fields.append(Field(name, try Schema(from: &decoder)))
    }
    return fields
  }
}
