@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// Reads another build's values in the simplest way, directly by the table in PROTOCOL.md §2.1:
/// without plans, each value by both schemas.
struct ResolutionTwin {
  private struct Pair: Hashable {
    var writer: Schema
    var reader: Schema
  }

  let writer: SchemaDocument
  let reader: ReaderSchema
  let allowsUnknownCases: Bool
  /// The last steps of the paths to unreadable parts.
  private(set) var problems: Set<String> = []
  private var keptProblems: Set<String> = []
  private var seen: Set<Pair> = []

  init(writer: SchemaDocument, reader: ReaderSchema, allowsUnknownCases: Bool) {
    self.writer = writer
    self.reader = reader
    self.allowsUnknownCases = allowsUnknownCases
    var root = "$"
    if case .named(let name) = reader.document.root { root = name }
    compare(writer.root, reader.document.root, root)
    // Parts with a fixed encoding are checked only if all others can be read.
    if problems.isEmpty { problems = keptProblems }
  }

  var canRead: Bool { problems.isEmpty }

  /// The last step of a path.
  static func step(_ path: some StringProtocol) -> String {
    path.split { $0 == "." }.last.map { String($0) } ?? ""
  }

  private mutating func problem(_ path: String) { problems.insert(Self.step(path)) }

  private mutating func kept(_ one: Schema, _ other: Schema, _ path: String) {
    compare(one, other, path)
    var assumed: Set<Pair> = []
    if !hasSameForm(one, other, &assumed) { keptProblems.insert(Self.step(path)) }
  }
}

// MARK: - Kinds

extension ResolutionTwin {
  private mutating func compare(_ from: Schema, _ to: Schema, _ path: String) {
    guard seen.insert(Pair(writer: from, reader: to)).inserted || !isNamed(from, to) else { return }
    switch (from, to) {
    case (.optional(let from), .optional(let to)): compare(from, to, path)
    case (_, .optional(let to)) where !Self.mayBeNull(from): compare(from, to, path)
    case (.array(let from), .array(let to)): compare(from, to, "\(path)[]")
    case (.set(let from), .set(let to)): kept(from, to, "\(path)[]")
    case (.dictionary(let key, let from), .dictionary(let otherKey, let to)):
      kept(key, otherKey, "\(path)[key]")
      compare(from, to, "\(path)[]")
    case (
      .identified(let field, let id, let from), .identified(let otherField, let otherID, let to),
    ):
      kept(id, otherID, "\(path)[id]")
      if !isSameID(field, from, otherField, to) { problem(path) }
      compare(from, to, "\(path)[]")
    case (.named(let from), .named(let to)):
      compare(writer.definitions[from], reader.document.definitions[to], to, path)
    default: if !Self.holds(from, in: to) { problem(path) }
    }
  }

  private func isNamed(_ one: Schema, _ other: Schema) -> Bool {
    if case (.named, .named) = (one, other) { true } else { false }
  }

  private mutating func compare(
    _ from: Definition?,
    _ to: Definition?,
    _ name: String,
    _ path: String,
  ) {
    switch (from, to) {
    case (.record(let from), .record(let to)): compare(from, to, name, nil, path)
    case (.choice(let from), .choice(let to)):
      let found = found(from.map(\.name), to.map(\.name), name, nil)
      for (place, `case`) in from.enumerated() {
        let casePath = "\(path).\(`case`.name)"
        if let target = found.firstIndex(of: place) {
          compare(`case`.payload, to[target].payload, name, to[target].name, casePath)
        } else if !allowsUnknownCases {
          problem(casePath)
        }
      }
    default: problem(path)
    }
  }

  private mutating func compare(
    _ from: [Definition.Field],
    _ to: [Definition.Field],
    _ name: String,
    _ case: String?,
    _ path: String,
  ) {
    for (field, place) in zip(to, found(from.map(\.name), to.map(\.name), name, `case`)) {
      let fieldPath = "\(path).\(field.name)"
      if let place {
        compare(from[place].schema, field.schema, fieldPath)
      } else if substitute(for: field, name, `case`) == nil {
        problem(fieldPath)
      }
    }
  }

  /// The writer's index for each of the reader's names.
  private func found(
    _ from: [String],
    _ to: [String],
    _ name: String,
    _ case: String?,
  ) -> [Int?] {
    var found = to.map { from.firstIndex(of: $0) }
    for (place, own) in to.enumerated() where found[place] == nil {
      let hint = SchemaHints.Place(definition: name, case: `case`, name: own)
      found[place] = reader.hints.formerNames(of: hint)
        .compactMap { from.firstIndex(of: $0) }
        .first { !found.contains($0) }
    }
    return found
  }

  /// The default of a field that the writer lacks.
  private func substitute(
    for field: Definition.Field,
    _ name: String,
    _ case: String?,
  ) -> GenericValue? {
    let hint = SchemaHints.Place(definition: name, case: `case`, name: field.name)
    if let fallback = reader.hints.fallbackValue(of: hint) { return fallback }
    if case .optional = field.schema { return .null }
    return nil
  }

  /// Whether the reader's id corresponds to the writer's id.
  private func isSameID(_ from: String, _ element: Schema, _ to: String, _ other: Schema) -> Bool {
    guard case (.named(let one), .named(let name)) = (element, other),
      case .record(let fields)? = writer.definitions[one],
      case .record(let others)? = reader.document.definitions[name],
      let place = others.firstIndex(where: { $0.name == to }),
      let target = found(fields.map(\.name), others.map(\.name), name, nil)[place]
    else { return false }
    return fields[target].name == from
  }

  private static func mayBeNull(_ schema: Schema) -> Bool {
    switch schema {
    case .optional, .null, .any: true
    default: false
    }
  }

  private static func holds(_ from: Schema, in to: Schema) -> Bool {
    let integers: [Schema: (Double, Double)] = [
      .int8: (-0x1p7, 0x1p7), .int16: (-0x1p15, 0x1p15), .int32: (-0x1p31, 0x1p31),
      .int64: (-0x1p63, 0x1p63), .uint8: (0, 0x1p8), .uint16: (0, 0x1p16), .uint32: (0, 0x1p32),
      .uint64: (0, 0x1p64),
    ]
    if let one = integers[from], let other = integers[to] {
      return one.0 >= other.0 && one.1 <= other.1
    }
    let pairs: [(Schema, Schema)] = [
      (.float16, .float32), (.float16, .float64), (.float32, .float64), (.url, .text),
      (.uuid, .bytes),
    ]
    return from == to || pairs.contains { $0 == (from, to) }
  }
}

// MARK: - Encodings that stay

extension ResolutionTwin {
  /// Whether both encode each value in the same way, provided that both can read it.
  private func hasSameForm(_ from: Schema, _ to: Schema, _ assumed: inout Set<Pair>) -> Bool {
    switch (from, to) {
    case (.optional(let from), .optional(let to)):
      return Self.mayBeNull(from) == Self.mayBeNull(to) && hasSameForm(from, to, &assumed)
    case (_, .optional(let to)) where !Self.mayBeNull(from):
      return !Self.mayBeNull(to) && hasSameForm(from, to, &assumed)
    case (.array(let from), .array(let to)), (.dictionary(_, let from), .dictionary(_, let to)),
      (.identified(_, _, let from), .identified(_, _, let to)):
      return hasSameForm(from, to, &assumed)
    case (.named(let one), .named(let other)):
      guard assumed.insert(Pair(writer: from, reader: to)).inserted else { return true }
      return hasSameForm(
        writer.definitions[one],
        reader.document.definitions[other],
        other,
        &assumed,
      )
    default: return true
    }
  }

  private func hasSameForm(
    _ from: Definition?,
    _ to: Definition?,
    _ name: String,
    _ assumed: inout Set<Pair>,
  ) -> Bool {
    switch (from, to) {
    case (.record(let from), .record(let to)): return hasSameForm(from, to, name, nil, &assumed)
    case (.choice(let from), .choice(let to)):
      let found = found(from.map(\.name), to.map(\.name), name, nil)
      for (`case`, place) in zip(to, found) {
        guard let place else { continue }
        guard from[place].name == `case`.name,
          from[place].payload.isEmpty == `case`.payload.isEmpty,
          hasSameForm(from[place].payload, `case`.payload, name, `case`.name, &assumed)
        else { return false }
      }
      return true
    default: return false
    }
  }

  private func hasSameForm(
    _ from: [Definition.Field],
    _ to: [Definition.Field],
    _ name: String,
    _ case: String?,
    _ assumed: inout Set<Pair>,
  ) -> Bool {
    guard from.count == to.count else { return false }
    for (field, place) in zip(to, found(from.map(\.name), to.map(\.name), name, `case`)) {
      guard let place, from[place].name == field.name,
        hasSameForm(from[place].schema, field.schema, &assumed)
      else { return false }
    }
    return true
  }
}

// MARK: - Values

extension ResolutionTwin {
  /// The value in the reader's form; nil if it has an unknown case.
  func translate(_ value: GenericValue) -> GenericValue? {
    translate(value, writer.root, reader.document.root)
  }

  private func translate(_ value: GenericValue, _ from: Schema, _ to: Schema) -> GenericValue? {
    switch (from, to, value) {
    case (.optional, .optional, .null): return .null
    case (.optional(let from), .optional(let to), _):
      var content = value
      if Self.mayBeNull(from) {
        guard case .array(let items) = value else { return nil }
        content = items[0]
      }
      return translate(content, from, to).map { Self.mayBeNull(to) ? .array([$0]) : $0 }
    case (_, .optional(let to), _) where !Self.mayBeNull(from):
      return translate(value, from, to).map { Self.mayBeNull(to) ? .array([$0]) : $0 }
    case (.array(let from), .array(let to), .array(let items)),
      (.identified(_, _, let from), .identified(_, _, let to), .array(let items)):
      return translate(items.plain, from, to).map { .array($0) }
    case (.set(let from), .set(let to), .set(let items)):
      return translate(items, from, to).map { .set(sorting: $0) }
    case (.dictionary(let key, let from), .dictionary(let otherKey, let to), .map(let entries)):
      guard let keys = translate(entries.map(\.key), key, otherKey),
        let values = translate(entries.map(\.value), from, to)
      else { return nil }
      return .map(sorting: zip(keys, values).map { .init($0, $1) })
    case (.named(let one), .named(let other), _):
      return translate(value, writer.definitions[one], reader.document.definitions[other], other)
    default: return value
    }
  }

  private func translate(
    _ items: [GenericValue],
    _ from: Schema,
    _ to: Schema,
  ) -> [GenericValue]? {
    let translated = items.compactMap { translate($0, from, to) }
    return translated.count == items.count ? translated : nil
  }

  private func translate(
    _ value: GenericValue,
    _ from: Definition?,
    _ to: Definition?,
    _ name: String,
  ) -> GenericValue? {
    switch (from, to) {
    case (.record(let from), .record(let to)): return translate(value, from, to, name, nil)
    case (.choice(let from), .choice(let to)):
      guard let (own, payload) = value.caseAndPayload,
        let place = from.firstIndex(where: { $0.name == own }),
        let target = found(from.map(\.name), to.map(\.name), name, nil).firstIndex(of: place)
      else { return nil }
      let `case` = to[target]
      guard !`case`.payload.isEmpty else { return .text(`case`.name) }
      let parts = payload ?? .map([])
      return translate(parts, from[place].payload, `case`.payload, name, `case`.name)
        .map { .map([.init(.text(`case`.name), $0)]) }
    default: return nil
    }
  }

  private func translate(
    _ value: GenericValue,
    _ from: [Definition.Field],
    _ to: [Definition.Field],
    _ name: String,
    _ case: String?,
  ) -> GenericValue? {
    var entries: [GenericValue.Entry] = []
    for (field, place) in zip(to, found(from.map(\.name), to.map(\.name), name, `case`)) {
      var part: GenericValue?
      if let place {
        part = value[field: from[place].name].flatMap {
          translate($0, from[place].schema, field.schema)
        }
      } else {
        part = substitute(for: field, name, `case`)
      }
      guard let part else { return nil }
      entries.append(.init(.text(field.name), part))
    }
    return .map(sorting: entries)
  }
}
