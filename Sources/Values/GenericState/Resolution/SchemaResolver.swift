import StoreState

/// Walks through a writer's and a reader's schema in parallel, plans the conversion of values, and
/// records the differences.
///
/// Definitions are followed by a list instead of recursion, because a foreign chain of them may
/// be long.
struct SchemaResolver {
  private struct Pair: Hashable {
    var writer: String
    var reader: String
  }

  /// A place whose encoding must not change: a set's elements, a dictionary's keys, ids.
  private struct Fixed {
    var projection: Projection
    var path: String
  }

  private let writer: SchemaDocument
  private let reader: ReaderSchema
  private let words: (writer: String, reader: String)
  private let allowsUnknownCases: Bool
  private let limit: Int

  private(set) var differences: [String] = []
  private(set) var plans: [ProjectionPlan] = []
  private var known: [Pair: Int] = [:]
  private var pending: [(pair: Pair, path: String)] = []
  private var fixed: [Fixed] = []

  init(
    writer: SchemaDocument,
    reader: ReaderSchema,
    words: (writer: String, reader: String),
    allowsUnknownCases: Bool,
    limit: Int,
  ) {
    self.writer = writer
    self.reader = reader
    self.words = words
    self.allowsUnknownCases = allowsUnknownCases
    self.limit = limit
  }

  mutating func run() -> Projection {
    var name = "$"
    if case .named(let root) = reader.document.root { name = root }
    let root = resolve(writer.root, reader.document.root, path: name)
    var next = 0
    while next < pending.count, differences.count < limit {
      let (pair, path) = pending[next]
      plans[next] = plan(pair, path: path)
      next += 1
    }
    checkFixed()
    return root
  }

  private mutating func note(_ difference: String, at path: String) {
    guard differences.count < limit else { return }
    differences.append("\(path): \(difference)")
  }

  /// A path with one more step; the middle of a very long path is omitted.
  private func step(_ path: String, _ text: String) -> String {
    guard path.utf8.count > 400 else { return path + text }
    return "\(path.prefix(150))…\(path.suffix(150))\(text)"
  }
}

// MARK: - Kinds

extension SchemaResolver {
  private mutating func resolve(
    _ from: Schema,
    _ to: Schema,
    path: String,
  ) -> Projection {
    switch (from, to) {
    case (.optional(let from), .optional(let to)):
      let inner = resolve(from, to, path: path)
      return .optional(inner, wasBoxed: from.admitsNull, isBoxed: to.admitsNull)
    case (_, .optional(let to)) where !from.admitsNull:
      return .wrapped(resolve(from, to, path: path), isBoxed: to.admitsNull)
    case (.array(let from), .array(let to)):
      return .array(resolve(from, to, path: step(path, "[]")))
    case (.set(let from), .set(let to)):
      let path = step(path, "[]")
      keep(resolve(from, to, path: path), path: path)
      return .set
    case (.dictionary(let key, let from), .dictionary(let otherKey, let to)):
      let keyPath = step(path, "[key]")
      keep(resolve(key, otherKey, path: keyPath), path: keyPath)
      return .dictionary(resolve(from, to, path: step(path, "[]")))
    case (
      .identified(let field, let id, let from),
      .identified(let otherField, let otherID, let to),
    ):
      return resolveRows((field, id, from), (otherField, otherID, to), path: path)
    case (.named(let from), .named(let to)):
      return resolve(Pair(writer: from, reader: to), path: path)
    case _ where from == to || from.isContained(in: to):
      return .same
    default:
      let kinds =
        words.reader == "here"
        ? "\(to) here, \(from) there" : "\(from) here, \(to) there"
      note(kinds, at: path)
      return .same
    }
  }

  private mutating func resolve(_ pair: Pair, path: String) -> Projection {
    if let index = known[pair] { return .planned(index) }
    let index = plans.count
    known[pair] = index
    plans.append(.choice([]))
    pending.append((pair, path))
    return .planned(index)
  }

  /// The reader's id must be the writer's, under any name.
  private mutating func resolveRows(
    _ from: (field: String, id: Schema, element: Schema),
    _ to: (field: String, id: Schema, element: Schema),
    path: String,
  ) -> Projection {
    let idPath = step(path, "[id]")
    keep(resolve(from.id, to.id, path: idPath), path: idPath)
    if !isSameID((from.field, from.element), (to.field, to.element)) {
      note(
        "identified by \(from.field) \(words.writer), by \(to.field) \(words.reader)",
        at: path,
      )
    }
    return .identified(resolve(from.element, to.element, path: step(path, "[]")))
  }

  /// Whether the reader's id field corresponds to the writer's id field.
  ///
  /// Names alone are not sufficient: a former name may now belong to another field.
  private func isSameID(
    _ from: (field: String, element: Schema),
    _ to: (field: String, element: Schema),
  ) -> Bool {
    guard case (.named(let one), .named(let other)) = (from.element, to.element),
      case (.record(let fields)?, .record(let others)?) =
        (writer.definitions[one], reader.document.definitions[other])
    else { return from.field._$isSame(as: to.field) }
    let owner = Owner(definition: other, case: nil)
    let targets = match(fields.map(\.name), others.map(\.name), owner)
    return zip(fields, targets).contains { field, target in
      guard let target else { return false }
      return field.name._$isSame(as: from.field) && others[target].name._$isSame(as: to.field)
    }
  }

  private mutating func keep(_ projection: Projection, path: String) {
    if case .same = projection { return }
    fixed.append(Fixed(projection: projection, path: path))
  }

  /// Rejects projections that would change encodings at fixed places.
  private mutating func checkFixed() {
    guard differences.isEmpty, !fixed.isEmpty else { return }
    let stable = StablePlans(plans)
    for fixed in fixed where !stable.keepsEncoding(fixed.projection) {
      note("keys, ids and elements of sets have to be the same on both sides", at: fixed.path)
    }
  }
}

extension Schema {
  /// Whether every value of this kind is one of the other, with the same encoding and deltas.
  fileprivate func isContained(in other: Schema) -> Bool {
    if let mine = integerLimits, let theirs = other.integerLimits {
      return mine.below <= theirs.below && mine.top <= theirs.top
    }
    switch (self, other) {
    case (.float16, .float32), (.float16, .float64), (.float32, .float64): return true
    case (.url, .text), (.uuid, .bytes): return true
    default: return false
    }
  }
}

// MARK: - Records and choices

extension SchemaResolver {
  private mutating func plan(_ pair: Pair, path: String) -> ProjectionPlan {
    switch (writer.definitions[pair.writer], reader.document.definitions[pair.reader]) {
    case (.record(let from), .record(let to)):
      return .record(fields(from, to, Owner(definition: pair.reader, case: nil), path: path))
    case (.choice(let from), .choice(let to)):
      return .choice(cases(from, to, pair, path: path))
    case (.record, .choice): note("a record \(words.writer), a choice \(words.reader)", at: path)
    case (.choice, .record): note("a choice \(words.writer), a record \(words.reader)", at: path)
    default: note("not defined", at: path)
    }
    return .choice([])
  }

  private struct Owner {
    var definition: String
    var `case`: String?
  }

  private mutating func fields(
    _ from: [Definition.Field],
    _ to: [Definition.Field],
    _ owner: Owner,
    path: String,
  ) -> FieldPlan {
    let targets = match(from.map(\.name), to.map(\.name), owner)
    var plan = FieldPlan()
    for (index, field) in from.enumerated() {
      guard let place = targets[index] else {
        plan.fields.append(.init(name: field.name, target: nil, projection: .same))
        continue
      }
      let projection = resolve(
        field.schema,
        to[place].schema,
        path: step(path, ".\(to[place].name)"),
      )
      plan.fields.append(
        .init(name: field.name, target: (place, to[place].name), projection: projection)
      )
    }
    let found = Set(targets.compactMap { $0 })
    for (place, field) in to.enumerated() where !found.contains(place) {
      let hint = SchemaHints.Place(
        definition: owner.definition,
        case: owner.case,
        name: field.name,
      )
      if let fallback = reader.hints.fallbackValue(of: hint) {
        plan.added.append(.init(.text(field.name), fallback))
      } else if case .optional = field.schema {
        plan.added.append(.init(.text(field.name), .null))
      } else {
        note("only \(words.reader), without a default", at: step(path, ".\(field.name)"))
      }
    }
    return plan
  }

  private mutating func cases(
    _ from: [Definition.Case],
    _ to: [Definition.Case],
    _ pair: Pair,
    path: String,
  ) -> [CasePlan?] {
    let owner = Owner(definition: pair.reader, case: nil)
    let targets = match(from.map(\.name), to.map(\.name), owner)
    var plans: [CasePlan?] = []
    for (index, `case`) in from.enumerated() {
      let casePath = step(path, ".\(`case`.name)")
      guard let place = targets[index] else {
        if !allowsUnknownCases { note("only \(words.writer)", at: casePath) }
        plans.append(nil)
        continue
      }
      let target = to[place]
      let labels = Owner(definition: pair.reader, case: target.name)
      plans.append(
        CasePlan(
          name: `case`.name,
          place: place,
          targetName: target.name,
          hasPayload: !target.payload.isEmpty,
          payload: fields(`case`.payload, target.payload, labels, path: casePath),
        )
      )
    }
    return plans
  }

  /// The reader's index of each of the writer's names: by the same name, otherwise by a
  /// former name.
  private func match(_ from: [String], _ to: [String], _ owner: Owner) -> [Int?] {
    let places = Dictionary(from.enumerated().map { (GenericValue.text($1), $0) }) { first, _ in
      first
    }
    var targets = [Int?](repeating: nil, count: from.count)
    var isFound = [Bool](repeating: false, count: to.count)
    for (place, name) in to.enumerated() {
      guard let index = places[.text(name)] else { continue }
      targets[index] = place
      isFound[place] = true
    }
    for (place, name) in to.enumerated() where !isFound[place] {
      let hint = SchemaHints.Place(definition: owner.definition, case: owner.case, name: name)
      for former in reader.hints.formerNames(of: hint) {
        guard let index = places[.text(former)], targets[index] == nil else { continue }
        targets[index] = place
        break
      }
    }
    return targets
  }
}

// MARK: - Encodings that stay

/// Determines the plans that keep the encoding of every value.
private struct StablePlans {
  private var isStable: [Bool]

  init(_ plans: [ProjectionPlan]) {
    isStable = plans.map { plan in
      switch plan {
      case .record(let fields): fields.keepsEncoding
      case .choice(let cases):
        cases.allSatisfy { `case` in
          guard let `case` else { return true }
          return `case`.name._$isSame(as: `case`.targetName)
            && `case`.hasPayload == !`case`.payload.fields.isEmpty && `case`.payload.keepsEncoding
        }
      }
    }
    var hasChanged = true
    // Removes plans with changing parts until the set is stable.
    while hasChanged {
      hasChanged = false
      for (index, plan) in plans.enumerated().reversed()
      where isStable[index] && !keepsParts(plan) {
        isStable[index] = false
        hasChanged = true
      }
    }
  }

  private func keepsParts(_ plan: ProjectionPlan) -> Bool {
    switch plan {
    case .record(let fields): fields.fields.allSatisfy { keepsEncoding($0.projection) }
    case .choice(let cases):
      cases.allSatisfy { `case` in
        `case`?.payload.fields.allSatisfy { keepsEncoding($0.projection) } ?? true
      }
    }
  }

  func keepsEncoding(_ projection: Projection) -> Bool {
    switch projection {
    case .same, .set: true
    case .wrapped(let inner, let isBoxed): !isBoxed && keepsEncoding(inner)
    case .optional(let inner, let wasBoxed, let isBoxed):
      wasBoxed == isBoxed && keepsEncoding(inner)
    case .array(let inner), .identified(let inner), .dictionary(let inner): keepsEncoding(inner)
    case .planned(let index): isStable[index]
    }
  }
}

extension SchemaHints {
  /// The default of a field or label that the writer lacks.
  func fallbackValue(of place: Place) -> GenericValue? {
    guard let bytes = fallback(of: place) else { return nil }
    do throws(CodecError) {
      return try GenericValue(encoded: bytes)
    } catch {
      // This program's own type has encoded the default.
      preconditionFailure("The default of \(place) is malformed: \(error)")
    }
  }
}
