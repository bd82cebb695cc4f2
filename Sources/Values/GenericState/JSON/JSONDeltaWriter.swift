import StoreState

/// Converts deltas to JSON trees for people.
///
/// A record's delta is an object of the changed fields. A replaced value is written as itself if
/// that is unambiguous, otherwise as `{"set": value}`. A change inside is `{"changed": …}`.
/// Programs read deltas in the protocol's encoding, not in this one.
struct JSONDeltaWriter {
  let document: SchemaDocument

  private var values: JSONValueWriter { JSONValueWriter(document: document) }

  init(document: SchemaDocument) {
    self.document = document
  }

  func tree(
    _ decoder: inout CBORDecoder,
    _ old: GenericValue?,
    _ schema: Schema,
  ) throws(CodecError) -> JSONValue {
    switch schema {
    case .optional(let wrapped): return try optional(&decoder, old, wrapped)
    case .array(let element): return try array(&decoder, old, element)
    case .set(let element):
      return try parts(&decoder, ["removed", "inserted"]) {
        (_, decoder) throws(CodecError) in
        .array(try items(&decoder, element))
      }
    case .dictionary(let key, let content):
      return try parts(&decoder, ["removed", "inserted", "changed"]) {
        (part, decoder) throws(CodecError) in
        try dictionary(part, &decoder, old, key, content)
      }
    case .identified(let field, let id, let element):
      return try steps(&decoder, Rows(old: old, field: field, id: id, element: element))
    case .named(let name):
      switch document.definitions[name] {
      case .record(let fields): return try record(&decoder, old, fields)
      case .choice(let cases): return try choice(&decoder, old, cases, schema)
      case nil: throw CodecError(.malformedSchema, "\"\(name)\" is not defined")
      }
    case .text, .bytes: return try splices(&decoder, schema)
    default: return try value(&decoder, schema)
    }
  }

  private func value(
    _ decoder: inout CBORDecoder,
    _ schema: Schema,
  ) throws(CodecError) -> JSONValue {
    values.tree(try read(&decoder, schema), schema)
  }

  private func read(
    _ decoder: inout CBORDecoder,
    _ schema: Schema,
  ) throws(CodecError) -> GenericValue {
    try GenericValue(from: &decoder, schema: schema, in: document)
  }

  private func items(
    _ decoder: inout CBORDecoder,
    _ schema: Schema,
  ) throws(CodecError) -> [JSONValue] {
    var result: [JSONValue] = []
    for _ in 0..<(try decoder.arrayHeader()) { result.append(try value(&decoder, schema)) }
    return result
  }

  /// Reads a map from numbers to lists, and names the numbers.
  private func parts(
    _ decoder: inout CBORDecoder,
    _ names: [String],
    _ body: (Int, inout CBORDecoder) throws(CodecError) -> JSONValue,
  ) throws(CodecError) -> JSONValue {
    var members: [JSONValue.Member] = []
    for _ in 0..<(try decoder.mapHeader()) {
      let part = try decoder.place(below: names.count, "the change")
      members.append(.init(names[part], try body(part, &decoder)))
    }
    return .object(members)
  }
}

// MARK: - Records, choices and optionals

extension JSONDeltaWriter {
  private func record(
    _ decoder: inout CBORDecoder,
    _ old: GenericValue?,
    _ fields: [Definition.Field],
  ) throws(CodecError) -> JSONValue {
    var members: [JSONValue.Member] = []
    for _ in 0..<(try decoder.mapHeader()) {
      let field = fields[try decoder.place(below: fields.count, "the field")]
      do throws(CodecError) {
        let delta = try tree(&decoder, old?[field: field.name], field.schema)
        members.append(.init(field.name, delta))
      } catch {
        throw error.inside(.name(field.name))
      }
    }
    return .object(members)
  }

  private func choice(
    _ decoder: inout CBORDecoder,
    _ old: GenericValue?,
    _ cases: [Definition.Case],
    _ schema: Schema,
  ) throws(CodecError) -> JSONValue {
    guard case .changed(let index) = try decoder.choiceDeltaForm(cases: cases.count) else {
      return ["set": try value(&decoder, schema)]
    }
    let `case` = cases[index]
    var before: GenericValue?
    if let (name, payload) = old?.caseAndPayload, name._$isSame(as: `case`.name) {
      before = payload
    }
    let payload = try record(&decoder, before, `case`.payload)
    return ["changed": .object([.init(`case`.name, payload)])]
  }

  private func optional(
    _ decoder: inout CBORDecoder,
    _ old: GenericValue?,
    _ wrapped: Schema,
  ) throws(CodecError) -> JSONValue {
    if try decoder.nullIfPresent() { return .null }
    guard try decoder.deltaForm() == .changed else {
      return ["set": try value(&decoder, wrapped)]
    }
    var content = old
    if wrapped.admitsNull, case .array(let items) = old { content = items.first }
    return ["changed": try tree(&decoder, content, wrapped)]
  }
}

// MARK: - Collections

extension JSONDeltaWriter {
  private struct Rows {
    var old: GenericValue?
    var field: String
    var id: Schema
    var element: Schema
  }

  /// Reads one edit, or an array of edits that apply in order.
  private func edits(
    _ decoder: inout CBORDecoder,
    _ body: (inout CBORDecoder, Int) throws(CodecError) -> JSONValue,
  ) throws(CodecError) -> JSONValue {
    var edits: [JSONValue] = []
    try decoder.edits { (decoder, count) throws(CodecError) in
      edits.append(try body(&decoder, count))
    }
    return edits.count == 1 ? edits[0] : .array(edits)
  }

  private func splices(
    _ decoder: inout CBORDecoder,
    _ schema: Schema,
  ) throws(CodecError) -> JSONValue {
    guard try decoder.peekKind() == .array else { return try value(&decoder, schema) }
    return try edits(&decoder) { (decoder, count) throws(CodecError) in
      let range = try decoder.splicePlace(items: count, in: .max - 1)
      let inserted = try value(&decoder, schema)
      return [
        "at": .integer(range.lowerBound), "removed": .integer(range.count), "inserted": inserted,
      ]
    }
  }

  private func array(
    _ decoder: inout CBORDecoder,
    _ old: GenericValue?,
    _ element: Schema,
  ) throws(CodecError) -> JSONValue {
    var isFirst = true
    return try edits(&decoder) { (decoder, count) throws(CodecError) in
      // The old value's positions are valid only for the first edit.
      defer { isFirst = false }
      return try edit(&decoder, isFirst ? old : nil, element, items: count)
    }
  }

  private func edit(
    _ decoder: inout CBORDecoder,
    _ old: GenericValue?,
    _ element: Schema,
    items count: Int,
  ) throws(CodecError) -> JSONValue {
    guard count == 2 || count == 3 else {
      throw decoder.error(
        .deltaMismatch,
        "expected the delta of an array as an array of 2 or 3, found an array of \(count)",
      )
    }
    let place = try decoder.place(below: .max, "the place")
    guard count == 2 else {
      let removed = try decoder.place(below: .max, "the number of elements")
      let inserted = JSONValue.array(try items(&decoder, element))
      return ["at": .integer(place), "removed": .integer(removed), "inserted": inserted]
    }
    var before: GenericValue?
    if case .array(let items) = old, place < items.count { before = items[place] }
    return ["at": .integer(place), "changed": try tree(&decoder, before, element)]
  }

  private func dictionary(
    _ part: Int,
    _ decoder: inout CBORDecoder,
    _ old: GenericValue?,
    _ key: Schema,
    _ content: Schema,
  ) throws(CodecError) -> JSONValue {
    guard part > 0 else { return .array(try items(&decoder, key)) }
    var entries: [(key: GenericValue, value: JSONValue)] = []
    for _ in 0..<(try decoder.pairs("a key and its value or delta")) {
      let name = try read(&decoder, key)
      if part == 1 {
        entries.append((name, try value(&decoder, content)))
      } else {
        var before: GenericValue?
        if case .map(let entries) = old { before = entries.first { $0.key == name }?.value }
        entries.append((name, try tree(&decoder, before, content)))
      }
    }
    return values.dictionary(entries, key)
  }

  /// Reads one change of rows, or an array of changes that apply in order.
  private func steps(
    _ decoder: inout CBORDecoder,
    _ rows: Rows,
  ) throws(CodecError) -> JSONValue {
    var steps: [JSONValue] = []
    try decoder.steps { (decoder) throws(CodecError) in
      let step = try parts(&decoder, ["removed", "moved", "inserted", "changed"]) {
        (part, decoder) throws(CodecError) in
        try self.rows(part, &decoder, rows)
      }
      steps.append(step)
    }
    return steps.count == 1 ? steps[0] : .array(steps)
  }

  private func rows(
    _ part: Int,
    _ decoder: inout CBORDecoder,
    _ rows: Rows,
  ) throws(CodecError) -> JSONValue {
    guard part > 0 else { return .array(try items(&decoder, rows.id)) }
    var result: [JSONValue] = []
    for _ in 0..<(try decoder.pairs("an element's place or id, and what became of it")) {
      switch part {
      case 1:
        let place = try decoder.place(below: .max, "the place")
        result.append(["id": try value(&decoder, rows.id), "to": .integer(place)])
      case 2:
        let place = try decoder.place(below: .max, "the place")
        result.append(["at": .integer(place), "element": try value(&decoder, rows.element)])
      default:
        result.append(try changedRow(&decoder, rows))
      }
    }
    return .array(result)
  }

  private func changedRow(
    _ decoder: inout CBORDecoder,
    _ rows: Rows,
  ) throws(CodecError) -> JSONValue {
    let id = try read(&decoder, rows.id)
    var before: GenericValue?
    if case .array(let items) = rows.old {
      before = items.place(of: id, in: rows.field).map { items[$0] }
    }
    do throws(CodecError) {
      let delta = try tree(&decoder, before, rows.element)
      return ["id": values.tree(id, rows.id), "changed": delta]
    } catch {
      throw error.inside(id.pathElement(rows.id, in: document))
    }
  }
}
