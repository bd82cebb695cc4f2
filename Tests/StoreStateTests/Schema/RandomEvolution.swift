@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// Evolves a later build's schema from an earlier one's, with or without regard for compatibility.
struct RandomEvolution {
  /// The new id of a definition's rows.
  private struct ID {
    var name: String
    var schema: Schema
  }

  private struct NewField {
    var field: Definition.Field
    var former: [String] = []
    var hasDefault = false
  }

  private let old: SchemaDocument
  /// Whether incompatible changes are made.
  private let isHarsh: Bool
  /// The names of ids, by the definitions of rows.
  private let idNames: [String: String]
  private var ids: [String: ID] = [:]
  private var notes: [(place: SchemaHints.Place, former: [String], default: Schema?)] = []

  private init(_ old: SchemaDocument, isHarsh: Bool) {
    self.old = old
    self.isHarsh = isHarsh
    var names: [String: String] = [:]
    for schema in [old.root] + old.definitions.values.flatMap(\.schemas) {
      Self.collectIDs(schema, &names)
    }
    idNames = names
  }

  private static func collectIDs(_ schema: Schema, _ names: inout [String: String]) {
    switch schema {
    case .identified(let field, _, .named(let element)): names[element] = field
    case .optional(let part), .array(let part), .set(let part), .dictionary(_, let part):
      collectIDs(part, &names)
    default: break
    }
  }

  /// A later build's schema with its hints about earlier ones.
  static func evolved(
    _ old: SchemaDocument,
    isHarsh: Bool,
    _ random: inout SeededRandom,
  ) throws -> ReaderSchema {
    var evolution = RandomEvolution(old, isHarsh: isHarsh)
    return try evolution.run(&random)
  }

  private mutating func run(_ random: inout SeededRandom) throws -> ReaderSchema {
    var definitions: [String: Definition] = [:]
    for (name, definition) in old.definitions.sorted(by: { $0.key < $1.key }) {
      definitions[Self.later(name)] = evolved(definition, name, &random)
    }
    for (name, definition) in definitions { definitions[name] = identified(definition) }
    let root = identified(evolved(old.root, &random))
    let document = try SchemaDocument(root: root, definitions: definitions)
    var hints = SchemaHints()
    for note in notes {
      let fallback = try note.default.map { schema in
        let kind = try SchemaDocument(root: identified(schema), definitions: definitions)
        return RandomSchema(document: kind).value(&random).encoded()
      }
      hints.add(note.place, formerly: note.former, fallback: fallback)
    }
    return ReaderSchema(document, hints: hints)
  }

  private static func later(_ name: String) -> String { "\(name)'" }
}

// MARK: - Definitions

extension RandomEvolution {
  private mutating func evolved(
    _ definition: Definition,
    _ name: String,
    _ random: inout SeededRandom,
  ) -> Definition {
    switch definition {
    case .record(let fields):
      let new = evolved(fields, of: name, case: nil, isRecord: true, &random)
      return .record(new)
    case .choice(let cases):
      var new: [Definition.Case] = []
      for `case` in cases {
        if isHarsh, random.chance(4) { continue }
        var caseName = `case`.name
        var former: [String] = []
        if random.chance(6), let free = free(["z", "case9", "none"], new.map(\.name), &random) {
          if !isHarsh || !random.chance(4) { former = [caseName] }
          caseName = free
        }
        guard !new.contains(where: { $0.name == caseName }) else { continue }
        note(name, nil, caseName, former, nil)
        let payload = evolved(`case`.payload, of: name, case: caseName, isRecord: false, &random)
        new.append(.init(caseName, payload))
      }
      if random.chance(3), !new.contains(where: { $0.name == "more" }) {
        new.append(.init("more", [.init("x", .text)]))
      }
      if random.chance(2) { new.shuffle(using: &random) }
      if new.isEmpty { new = [.init("only")] }
      return .choice(new)
    }
  }

  private mutating func evolved(
    _ fields: [Definition.Field],
    of owner: String,
    case: String?,
    isRecord: Bool,
    _ random: inout SeededRandom,
  ) -> [Definition.Field] {
    var new: [NewField] = []
    for field in fields {
      let isID = isRecord && field.name == idNames[owner]
      guard !random.chance(isID ? 20 : 6) else { continue }
      var next = NewField(field: .init(field.name, evolved(field.schema, &random)))
      if random.chance(5),
        let free = free(["id", "a", "bb", "title", "n", "m"], new.map(\.field.name), &random)
      {
        next.field.name = free
        next.former = formerNames(field.name, &random)
      }
      guard !new.contains(where: { $0.field.name == next.field.name }) else { continue }
      next.hasDefault = random.chance(2)
      if isID { ids[owner] = ID(name: next.field.name, schema: next.field.schema) }
      new.append(next)
    }
    if random.chance(3), !new.contains(where: { $0.field.name == "more" }) {
      let schema: Schema = random.pick([.int64, .text, .optional(.bool), .array(.int8)])
      let needsNone = isHarsh && random.chance(4)
      new.append(NewField(field: .init("more", schema), hasDefault: !needsNone))
    }
    if random.chance(2) { new.shuffle(using: &random) }
    for next in new {
      note(owner, `case`, next.field.name, next.former, next.hasDefault ? next.field.schema : nil)
    }
    return new.map(\.field)
  }

  private func formerNames(_ name: String, _ random: inout SeededRandom) -> [String] {
    switch Int.random(in: 0..<6, using: &random) {
    case 0 where isHarsh: []
    case 1: ["bb", name]
    case 2: [name, "a"]
    default: [name]
    }
  }

  /// One of some names that is still free.
  private func free(
    _ names: [String],
    _ taken: [String],
    _ random: inout SeededRandom,
  ) -> String? {
    let name = random.pick(names)
    return taken.contains(name) ? nil : name
  }

  private mutating func note(
    _ owner: String,
    _ case: String?,
    _ name: String,
    _ former: [String],
    _ fallback: Schema?,
  ) {
    let place = SchemaHints.Place(definition: Self.later(owner), case: `case`, name: name)
    notes.append((place, former, fallback))
  }
}

// MARK: - Kinds

extension RandomEvolution {
  private func evolved(_ schema: Schema, _ random: inout SeededRandom) -> Schema {
    if random.chance(8) { return .optional(evolved(schema, &random)) }
    if isHarsh, random.chance(40) { return .text }
    switch schema {
    case .int8: return random.pick([.int8, .int16, .int32, .int64])
    case .int16, .int32: return random.pick([schema, .int64])
    case .uint8: return random.pick([.uint8, .uint16, .uint32, .uint64, .int16])
    case .int64: return isHarsh && random.chance(12) ? .int32 : .int64
    case .float32: return random.pick([.float32, .float64])
    case .float64: return isHarsh && random.chance(12) ? .float32 : .float64
    case .uuid: return random.pick([.uuid, .bytes])
    case .url: return random.pick([.url, .text])
    case .optional(.named(let name)): return .optional(.named(Self.later(name)))
    case .optional(let part):
      return isHarsh && random.chance(12)
        ? evolved(part, &random) : .optional(evolved(part, &random))
    case .array(let part): return .array(evolved(part, &random))
    case .set(let part): return .set(kept(part, &random))
    case .dictionary(let key, let value):
      return .dictionary(key: kept(key, &random), value: evolved(value, &random))
    case .identified(let field, let id, let element):
      return .identified(idField: field, id: id, element: kept(element, &random))
    case .named(let name): return .named(Self.later(name))
    default: return schema
    }
  }

  /// Usually the same kind, because the value must keep its encoding.
  private func kept(_ schema: Schema, _ random: inout SeededRandom) -> Schema {
    if isHarsh, random.chance(6) { return evolved(schema, &random) }
    switch schema {
    case .optional(let part): return .optional(kept(part, &random))
    case .array(let part): return .array(kept(part, &random))
    case .set(let part): return .set(kept(part, &random))
    case .dictionary(let key, let value):
      return .dictionary(key: kept(key, &random), value: kept(value, &random))
    case .identified(let field, let id, let element):
      return .identified(idField: field, id: id, element: kept(element, &random))
    case .named(let name): return .named(Self.later(name))
    default: return schema
    }
  }

  /// The kind whose arrays are identified by their elements' new ids.
  private func identified(_ schema: Schema) -> Schema {
    switch schema {
    case .identified(_, _, .named(let element)):
      guard let id = ids[String(element.dropLast())] else { return .array(.named(element)) }
      return .identified(
        idField: id.name,
        id: identified(id.schema),
        element: .named(element),
      )
    case .identified(_, _, let element): return .array(identified(element))
    case .optional(let part): return .optional(identified(part))
    case .array(let part): return .array(identified(part))
    case .set(let part): return .set(identified(part))
    case .dictionary(let key, let value):
      return .dictionary(key: identified(key), value: identified(value))
    default: return schema
    }
  }

  private func identified(_ definition: Definition) -> Definition {
    switch definition {
    case .record(let fields): .record(fields.map { .init($0.name, identified($0.schema)) })
    case .choice(let cases):
      .choice(
        cases.map { `case` in
          .init(`case`.name, `case`.payload.map { .init($0.name, identified($0.schema)) })
        }
      )
    }
  }
}

extension Definition {
  fileprivate var schemas: [Schema] {
    switch self {
    case .record(let fields): fields.map(\.schema)
    case .choice(let cases): cases.flatMap { $0.payload.map(\.schema) }
    }
  }
}
