@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// Generates schemas and their values, which are similar enough that changes are often small.
struct RandomSchema {
  let document: SchemaDocument

  /// A document of up to three definitions, which may refer to each other and to themselves.
  init(_ random: inout SeededRandom) throws {
    var definitions: [String: Definition] = [:]
    // A later definition requires only earlier ones, so every value is finite.
    for index in 0..<Int.random(in: 1...3, using: &random) {
      definitions["D\(index)"] = Self.definition(index, &random)
    }
    let root = Self.schema(&random, depth: 0, names: definitions.count)
    document = try SchemaDocument(root: root, definitions: definitions)
  }

  private static func definition(_ index: Int, _ random: inout SeededRandom) -> Definition {
    let names = ["id", "a", "bb", "title", "c"]
    func fields(_ count: Int, _ random: inout SeededRandom) -> [Definition.Field] {
      (0..<count).map { .init(names[$0], schema(&random, depth: 1, names: index)) }
    }
    guard random.chance(3) else {
      // The first field is an id, so that the records can be rows.
      let id = Definition.Field("id", random.pick([.uint8, .text]))
      var rest = fields(Int.random(in: 1...5, using: &random), &random).dropFirst().map { $0 }
      if random.chance(3) { rest.append(.init("self", .array(.named("D\(index)")))) }
      if random.chance(3) { rest.append(.init("next", .optional(.named("D\(index)")))) }
      return .record([id] + rest)
    }
    var cases: [Definition.Case] = [.init("none")]
    for number in 0..<Int.random(in: 1...3, using: &random) {
      cases.append(
        .init("case\(number)", fields(Int.random(in: 0...2, using: &random), &random))
      )
    }
    cases.shuffle(using: &random)
    return .choice(cases)
  }

  private static func schema(
    _ random: inout SeededRandom,
    depth: Int,
    names: Int,
  ) -> Schema {
    let scalars: [Schema] = [
      .bool, .int8, .int64, .uint64, .float32, .float64, .text, .bytes, .uuid, .date, .duration,
      .url, .null, .any,
    ]
    guard depth < 3 else { return random.pick(scalars + [.text, .bytes]) }
    func part(_ random: inout SeededRandom) -> Schema {
      schema(&random, depth: depth + 1, names: names)
    }
    switch Int.random(in: 0..<9, using: &random) {
    case 0: return .optional(part(&random))
    case 1: return .array(part(&random))
    case 2: return .set(part(&random))
    case 3: return .dictionary(key: random.pick([.text, .uint8, .bool]), value: part(&random))
    case 4, 5, 6: return names > 0 ? .named("D\(Int.random(in: 0..<names, using: &random))") : .text
    case 7: return random.pick([.text, .bytes])
    default: return random.pick(scalars)
    }
  }

  /// The same document, with arrays of records that have an id identified by it.
  func identified() throws -> RandomSchema {
    var definitions = document.definitions
    for (name, definition) in definitions {
      guard case .record(let fields) = definition else { continue }
      definitions[name] = .record(
        fields.map { .init($0.name, Self.identified($0.schema, document)) }
      )
    }
    return RandomSchema(
      document: try SchemaDocument(
        root: Self.identified(document.root, document),
        definitions: definitions,
      )
    )
  }

  /// Values of a document.
  init(document: SchemaDocument) { self.document = document }

  private static func identified(_ schema: Schema, _ document: SchemaDocument) -> Schema {
    switch schema {
    case .array(let element):
      guard case .record(let fields) = document.definition(of: element) else {
        return .array(identified(element, document))
      }
      return .identified(idField: "id", id: fields[0].schema, element: element)
    case .optional(let part): return .optional(identified(part, document))
    case .dictionary(let key, let value):
      return .dictionary(key: key, value: identified(value, document))
    default: return schema
    }
  }
}

// MARK: - Values

extension RandomSchema {
  func value(_ random: inout SeededRandom) -> GenericValue {
    value(document.root, &random, depth: 0)
  }

  private func value(
    _ schema: Schema,
    _ random: inout SeededRandom,
    depth: Int,
  ) -> GenericValue {
    switch schema {
    case .optional(let wrapped):
      guard depth < 5, !random.chance(3) else { return .null }
      let content = value(wrapped, &random, depth: depth + 1)
      return wrapped.admitsNull ? .array([content]) : content
    case .array(let element): return .array(values(element, &random, depth: depth))
    case .set(let element): return .set(sorting: values(element, &random, depth: depth))
    case .dictionary(let key, let content):
      var entries: [GenericValue.Entry] = []
      for name in Set(values(key, &random, depth: depth)).sorted(by: Self.isLess) {
        entries.append(.init(name, value(content, &random, depth: depth + 1)))
      }
      return .map(sorting: entries) ?? .map([])
    case .identified(let field, _, let element):
      return .array(rows(values(element, &random, depth: depth), field))
    case .named(let name):
      switch document.definitions[name] {
      case .record(let fields): return record(fields, &random, depth: depth)
      case .choice(let cases):
        let `case` = random.pick(cases)
        guard !`case`.payload.isEmpty else { return .text(`case`.name) }
        let payload = record(`case`.payload, &random, depth: depth)
        return .map([.init(.text(`case`.name), payload)])
      case nil: return .null
      }
    default: return Self.scalar(schema, &random)
    }
  }

  private func values(
    _ schema: Schema,
    _ random: inout SeededRandom,
    depth: Int,
  ) -> [GenericValue] {
    let count = depth < 5 ? Int.random(in: 0...3, using: &random) : 0
    return (0..<count).map { _ in value(schema, &random, depth: depth + 1) }
  }

  /// The values without duplicate ids.
  private func rows(_ values: [GenericValue], _ field: String) -> [GenericValue] {
    var seen: Set<GenericValue> = []
    return values.filter { value in value[field: field].map { seen.insert($0).inserted } ?? false }
  }

  private func record(
    _ fields: [Definition.Field],
    _ random: inout SeededRandom,
    depth: Int,
  ) -> GenericValue {
    let entries = fields.map {
      GenericValue.Entry(.text($0.name), value($0.schema, &random, depth: depth + 1))
    }
    return .map(sorting: entries) ?? .map([])
  }

  private static func isLess(_ one: GenericValue, _ other: GenericValue) -> Bool {
    one.encoded().lexicographicallyPrecedes(other.encoded())
  }

  private static let long = String(repeating: "Fünfzig Bytes und mehr, ", count: 4)

  private static func scalar(_ schema: Schema, _ random: inout SeededRandom) -> GenericValue {
    switch schema {
    case .bool: .bool(random.chance(2))
    case .int8: .integer(random.pick([-128, -1, 0, 1, 127]))
    case .int16: .integer(random.pick([-32_768, 0, 300]))
    case .int32: .integer(random.pick([-1 << 31, 0, 70_000]))
    case .int64: .integer(random.pick([.min, -25, 0, 24, .max]))
    case .uint8: .unsigned(UInt64(random.pick([0, 1, 2, 255])))
    case .uint16: .unsigned(UInt64(random.pick([0, 65_535])))
    case .uint32: .unsigned(UInt64(random.pick([0, 1 << 31])))
    case .uint64: .unsigned(random.pick([0, 1 << 63, .max]))
    case .float16, .float32, .float64, .date:
      .float(random.pick([0, -0.0, 1.5, -.infinity, .nan, 65504]))
    case .text, .url:
      .text(
        random.pick(["", "a", "é", "e\u{301}", long, "x" + long, long + "é", long + "e\u{301}y"])
      )
    case .bytes: .bytes(random.pick([[], [1], Array(long.utf8), Array(long.utf8.dropFirst(2))]))
    case .uuid: .bytes([UInt8](repeating: random.pick([0, 1]), count: 16))
    case .duration: .array([.integer(random.pick([-1, 0])), .integer(random.pick([-5, 0]))])
    case .any: random.pick([.null, .unsigned(1), .array([.null]), .set([.bool(false)])])
    default: .null
    }
  }
}

// MARK: - Changes

extension RandomSchema {
  /// A value with a small or no difference.
  func mutated(_ value: GenericValue, _ random: inout SeededRandom) -> GenericValue {
    mutated(value, document.root, &random, depth: 0)
  }

  private func mutated(
    _ old: GenericValue,
    _ schema: Schema,
    _ random: inout SeededRandom,
    depth: Int,
  ) -> GenericValue {
    guard !random.chance(5) else { return value(schema, &random, depth: depth) }
    switch (schema, old) {
    case (.optional(let wrapped), .array(let items)) where wrapped.admitsNull && items.count == 1:
      return .array([mutated(items[0], wrapped, &random, depth: depth + 1)])
    case (.optional(let wrapped), _) where old != .null && !wrapped.admitsNull:
      return mutated(old, wrapped, &random, depth: depth + 1)
    case (.array(let element), .array(let items)):
      return .array(edited(items.plain, element, &random, depth: depth))
    case (.identified(let field, _, let element), .array(let items)):
      return .array(rows(edited(items.plain, element, &random, depth: depth), field))
    case (.set(let element), .set(let items)):
      return .set(sorting: edited(items, element, &random, depth: depth))
    case (.dictionary(_, let content), .map(var entries)) where !entries.isEmpty:
      let place = Int.random(in: 0..<entries.count, using: &random)
      if random.chance(3) {
        entries.remove(at: place)
      } else {
        let value = mutated(entries[place].value, content, &random, depth: depth + 1)
        entries[place].value = value
      }
      return .map(entries)
    case (.named(let name), .map(let entries)):
      switch document.definitions[name] {
      case .record(let fields): return changed(entries, fields, &random, depth: depth)
      case .choice(let cases):
        guard let (name, payload) = old.caseAndPayload, case .map(let parts) = payload,
          let `case` = cases.first(where: { $0.name == name })
        else { return value(schema, &random, depth: depth) }
        let inner = changed(parts, `case`.payload, &random, depth: depth)
        return .map([.init(.text(name), inner)])
      case nil: return old
      }
    default: return value(schema, &random, depth: depth)
    }
  }

  private func changed(
    _ entries: [GenericValue.Entry],
    _ fields: [Definition.Field],
    _ random: inout SeededRandom,
    depth: Int,
  ) -> GenericValue {
    var entries = entries
    for place in entries.indices where random.chance(2) {
      guard let field = fields.first(where: { .text($0.name) == entries[place].key }) else {
        continue
      }
      // An id usually keeps its value.
      if field.name == "id", !random.chance(6) { continue }
      entries[place].value = mutated(entries[place].value, field.schema, &random, depth: depth + 1)
    }
    return .map(entries)
  }

  private func edited(
    _ items: [GenericValue],
    _ element: Schema,
    _ random: inout SeededRandom,
    depth: Int,
  ) -> [GenericValue] {
    var items = items
    switch Int.random(in: 0..<5, using: &random) {
    case 0 where !items.isEmpty:
      items.remove(at: Int.random(in: 0..<items.count, using: &random))
    case 1:
      let place = Int.random(in: 0...items.count, using: &random)
      items.insert(value(element, &random, depth: depth + 1), at: place)
    case 2: items.shuffle(using: &random)
    default:
      for place in items.indices where random.chance(2) {
        items[place] = mutated(items[place], element, &random, depth: depth + 1)
      }
    }
    return items
  }
}
