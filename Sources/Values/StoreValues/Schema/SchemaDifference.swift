extension SchemaDocument {
  /// The differences between two documents, one line for each field: `Todos.items[].title: text
  /// here, int64 there`.
  ///
  /// - Parameters:
  ///   - here: The document of this program.
  ///   - there: The document of the other one.
  ///   - limit: The number of lines after which the search ends.
  /// - Returns: No lines if the documents differ at most in the names of their definitions.
  public static func differences(
    between here: SchemaDocument,
    and there: SchemaDocument,
    limit: Int = 20,
  ) -> [String] {
    var difference = SchemaDifference(here: here, there: there, limit: limit)
    return difference.run()
  }
}

/// Walks through two documents side by side.
struct SchemaDifference {
  private struct Pair: Hashable {
    var here: String
    var there: String
  }

  /// One step of a path; the others are found through its parent.
  private struct Step {
    var parent: Int
    var text: String
  }

  let here: SchemaDocument
  let there: SchemaDocument
  let limit: Int
  private var lines: [String] = []
  private var steps: [Step] = []
  private var seen: Set<Pair> = []
  /// Definitions whose comparison is pending.
  ///
  /// This is a list instead of recursion, because a chain of foreign definitions may be long.
  private var pending: [(path: Int, pair: Pair)] = []

  init(here: SchemaDocument, there: SchemaDocument, limit: Int) {
    self.here = here
    self.there = there
    self.limit = limit
  }

  mutating func run() -> [String] {
    compare(here.root, there.root, path: add(Self.name(of: here.root), to: -1))
    var next = 0
    while next < pending.count, lines.count < limit {
      let (path, pair) = pending[next]
      next += 1
      if let one = here.definitions[pair.here], let other = there.definitions[pair.there] {
        compare(one, other, path: path)
      }
    }
    return Array(lines.prefix(limit))
  }

  private static func name(of schema: Schema) -> String {
    if case .named(let name) = schema { return name }
    return "$"
  }

  private mutating func add(_ text: String, to parent: Int) -> Int {
    steps.append(Step(parent: parent, text: text))
    return steps.count - 1
  }

  /// Records a difference; the middle of a very long path is omitted.
  private mutating func note(_ difference: String, at path: Int) {
    guard lines.count < limit else { return }
    var texts: [String] = []
    var step = path
    while step >= 0 {
      texts.append(steps[step].text)
      step = steps[step].parent
    }
    texts.reverse()
    if texts.count > 24 {
      texts.replaceSubrange(12..<(texts.count - 12), with: ["…"])
    }
    lines.append("\(texts.joined()): \(difference)")
  }
}

// MARK: - Kinds

extension SchemaDifference {
  private mutating func compare(_ one: Schema, _ other: Schema, path: Int) {
    switch (one, other) {
    case (.optional(let one), .optional(let other)):
      compare(one, other, path: path)
    case (.array(let one), .array(let other)), (.set(let one), .set(let other)):
      compare(one, other, path: add("[]", to: path))
    case (.dictionary(let key, let value), .dictionary(let otherKey, let otherValue)):
      compare(key, otherKey, path: add("[key]", to: path))
      compare(value, otherValue, path: add("[]", to: path))
    case (
      .identified(let field, let id, let one),
      .identified(let otherField, let otherID, let other),
    ):
      if field != otherField {
        note("identified by \(field) here, by \(otherField) there", at: path)
      }
      compare(id, otherID, path: add("[id]", to: path))
      compare(one, other, path: add("[]", to: path))
    case (.named(let one), .named(let other)):
      let pair = Pair(here: one, there: other)
      if seen.insert(pair).inserted { pending.append((path, pair)) }
    case _ where one != other:
      note("\(one) here, \(other) there", at: path)
    default:
      break
    }
  }

  private mutating func compare(_ one: Definition, _ other: Definition, path: Int) {
    switch (one, other) {
    case (.record(let fields), .record(let otherFields)):
      compare(fields, otherFields, path: path)
    case (.choice(let cases), .choice(let otherCases)):
      compareNames(cases.map(\.name), otherCases.map(\.name), path: path)
      let others = Dictionary(otherCases.map { ($0.name, $0) }) { first, _ in first }
      for `case` in cases {
        guard let match = others[`case`.name] else { continue }
        compare(`case`.payload, match.payload, path: add(".\(`case`.name)", to: path))
      }
    case (.record, .choice):
      note("a record here, a choice there", at: path)
    case (.choice, .record):
      note("a choice here, a record there", at: path)
    }
  }

  private mutating func compare(
    _ fields: [Definition.Field],
    _ otherFields: [Definition.Field],
    path: Int,
  ) {
    compareNames(fields.map(\.name), otherFields.map(\.name), path: path)
    let others = Dictionary(otherFields.map { ($0.name, $0) }) { first, _ in first }
    for field in fields {
      guard let match = others[field.name] else { continue }
      compare(field.schema, match.schema, path: add(".\(field.name)", to: path))
    }
  }

  /// Records the names that only one side has.
  ///
  /// If both have the same names, records a difference in their order: deltas identify fields
  /// by index.
  private mutating func compareNames(_ names: [String], _ others: [String], path: Int) {
    let known = Set(names)
    let otherKnown = Set(others)
    for name in names where !otherKnown.contains(name) {
      note("only here", at: add(".\(name)", to: path))
    }
    for name in others where !known.contains(name) {
      note("only there", at: add(".\(name)", to: path))
    }
    if known == otherKnown, names != others {
      let here = names.joined(separator: ", ")
      note("in the order \(here) here, \(others.joined(separator: ", ")) there", at: path)
    }
  }
}
