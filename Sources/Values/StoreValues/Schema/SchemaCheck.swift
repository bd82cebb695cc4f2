import StoreBytes

/// Checks that a schema document is valid.
///
/// This code does not recurse along the document's names: a chain of a hundred thousand foreign
/// definitions must not exhaust the stack.
struct SchemaCheck {
  let document: SchemaDocument

  func run() throws(CodecError) {
    try check(document.root)
    for (name, definition) in document.definitions.sorted(by: { $0.key < $1.key }) {
      do throws(CodecError) {
        try check(definition)
      } catch {
        throw error.inside(.name(name))
      }
    }
    try checkThatValuesEnd()
  }

  private func check(_ definition: Definition) throws(CodecError) {
    switch definition {
    case .record(let fields):
      try check(fields, what: "field")
    case .choice(let cases):
      try checkUnique(cases.map(\.name), what: "case")
      for `case` in cases {
        do throws(CodecError) {
          try check(`case`.payload, what: "label")
        } catch {
          throw error.inside(.name(`case`.name))
        }
      }
    }
  }

  private func check(_ fields: [Definition.Field], what: String) throws(CodecError) {
    try checkUnique(fields.map(\.name), what: what)
    for field in fields {
      do throws(CodecError) {
        try check(field.schema)
      } catch {
        throw error.inside(.name(field.name))
      }
    }
  }

  private func checkUnique(_ names: [String], what: String) throws(CodecError) {
    var seen: Set<String> = []
    for name in names where !seen.insert(name).inserted {
      throw CodecError(.malformedSchema, "the \(what) \"\(name)\" stands there twice")
    }
  }

  private func check(_ schema: Schema) throws(CodecError) {
    switch schema {
    case .optional(let part), .array(let part), .set(let part):
      try check(part)
    case .dictionary(let key, let value):
      try check(key)
      try check(value)
    case .identified(let field, let id, let element):
      try check(id)
      try check(element)
      try checkIdentified(field, id: id, element: element)
    case .named(let name):
      guard document.definitions[name] != nil else {
        throw CodecError(.malformedSchema, "\"\(name)\" is not defined")
      }
    default:
      break
    }
  }

  private func checkIdentified(
    _ field: String,
    id: Schema,
    element: Schema,
  ) throws(CodecError) {
    guard case .record(let fields) = document.definition(of: element) else {
      throw CodecError(.malformedSchema, "\(element) has no id: it is not a record")
    }
    guard let found = fields.first(where: { $0.name == field }) else {
      throw CodecError(
        .malformedSchema,
        "\(element) has no field \"\(field)\"; rows that are replicated store their id in one",
      )
    }
    guard found.schema == id else {
      throw CodecError(
        .malformedSchema,
        "the field \"\(field)\" of \(element) is \(found.schema), the id \(id)",
      )
    }
  }
}

// MARK: - Values that end

extension SchemaCheck {
  /// Checks that no value has to contain itself: `Node { next: Node }` has no finite value.
  ///
  /// Removes definitions that have finite values until no more can be removed (Kahn's algorithm).
  /// Each definition waits for the ones that it requires; the ones that remain require themselves.
  private func checkThatValuesEnd() throws(CodecError) {
    var waiting: [String: Int] = [:]
    var dependents: [String: [String]] = [:]
    var ready: [String] = []
    for (name, definition) in document.definitions {
      let needs = needs(of: definition)
      waiting[name] = needs.count
      if needs.isEmpty { ready.append(name) }
      for need in needs { dependents[need, default: []].append(name) }
    }
    while let name = ready.popLast() {
      for dependent in dependents[name] ?? [] {
        waiting[dependent, default: 1] -= 1
        if waiting[dependent] == 0 { ready.append(dependent) }
      }
    }
    if let endless = waiting.filter({ $0.value > 0 }).keys.min() {
      throw CodecError(
        .malformedSchema,
        "a value of \"\(endless)\" would contain itself without end; make a field optional",
      )
    }
  }

  /// The definitions that every value of a record requires.
  ///
  /// A choice counts as requiring no definition: one of its cases usually requires none. If all
  /// cases do, no value can be decoded, but no code hangs either.
  private func needs(of definition: Definition) -> Set<String> {
    guard case .record(let fields) = definition else { return [] }
    var names: Set<String> = []
    for field in fields {
      if case .named(let name) = field.schema { names.insert(name) }
    }
    return names
  }
}
