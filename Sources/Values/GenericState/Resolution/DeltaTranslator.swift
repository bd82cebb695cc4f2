import StoreState

/// Translates deltas of one schema to another.
struct DeltaTranslator {
  let projector: Projector
  /// The writer's schema.
  let document: SchemaDocument

  /// - Returns: False if the reader's value does not change; then no bytes are written.
  func translate(
    _ decoder: inout CBORDecoder,
    _ projection: Projection,
    _ schema: Schema,
    to encoder: inout CBOREncoder,
  ) throws(CodecError) -> Bool {
    switch (projection, schema) {
    case (.wrapped(let inner, _), _):
      return try translateInside(&decoder, inner, schema, form: 1, to: &encoder)
    case (.optional(let inner, _, _), .optional(let wrapped)):
      return try translateOptional(&decoder, inner, wrapped, to: &encoder)
    case (.array(let inner), .array(let element)):
      return try translateEdits(&decoder, inner, element, to: &encoder)
    case (.identified(let inner), .identified(_, let id, let element)):
      return try translateSteps(&decoder, inner, id, element, to: &encoder)
    case (.dictionary(let inner), .dictionary(let key, let content)):
      return try translateDictionary(&decoder, inner, key, content, to: &encoder)
    case (.planned(let plan), .named(let name)):
      return try translatePlanned(&decoder, plan, name, to: &encoder)
    default:
      encoder.append(raw: try decoder.rawItem())
      return true
    }
  }

  /// Reads a value of the writer's schema and writes it in the reader's.
  private func value(
    _ decoder: inout CBORDecoder,
    _ projection: Projection,
    _ schema: Schema,
    to encoder: inout CBOREncoder,
  ) throws(CodecError) {
    let value = try GenericValue(from: &decoder, schema: schema, in: document)
    try projector.project(value, projection).encode(to: &encoder)
  }

  /// Writes `[form, delta]` unless the value does not change.
  private func translateInside(
    _ decoder: inout CBORDecoder,
    _ projection: Projection,
    _ schema: Schema,
    form: UInt64,
    to encoder: inout CBOREncoder,
  ) throws(CodecError) -> Bool {
    let mark = encoder.mark
    encoder.arrayHeader(2)
    encoder.encode(unsigned: form)
    guard try translate(&decoder, projection, schema, to: &encoder) else {
      encoder.truncate(to: mark)
      return false
    }
    return true
  }

  private func translateOptional(
    _ decoder: inout CBORDecoder,
    _ inner: Projection,
    _ wrapped: Schema,
    to encoder: inout CBOREncoder,
  ) throws(CodecError) -> Bool {
    if try decoder.nullIfPresent() {
      encoder.encodeNull()
      return true
    }
    guard try decoder.deltaForm() == .changed else {
      encoder.arrayHeader(2)
      encoder.encode(unsigned: 0)
      try value(&decoder, inner, wrapped, to: &encoder)
      return true
    }
    return try translateInside(&decoder, inner, wrapped, form: 1, to: &encoder)
  }

  private func translatePlanned(
    _ decoder: inout CBORDecoder,
    _ index: Int,
    _ name: String,
    to encoder: inout CBOREncoder,
  ) throws(CodecError) -> Bool {
    switch (projector.plans[index], document.definitions[name]) {
    case (.record(let plan), .record(let fields)):
      return try translateFields(&decoder, plan, fields, to: &encoder)
    case (.choice(let plans), .choice(let cases)):
      guard case .changed(let place) = try decoder.choiceDeltaForm(cases: cases.count) else {
        encoder.arrayHeader(2)
        encoder.encode(unsigned: 0)
        try value(&decoder, .planned(index), .named(name), to: &encoder)
        return true
      }
      guard let plan = plans[place] else { throw projector.unknownCase(cases[place].name) }
      return try translateCase(&decoder, plan, cases[place], to: &encoder)
    default:
      throw CodecError(.malformedSchema, "\"\(name)\" is not what it was resolved for")
    }
  }

  private func translateCase(
    _ decoder: inout CBORDecoder,
    _ plan: CasePlan,
    _ `case`: Definition.Case,
    to encoder: inout CBOREncoder,
  ) throws(CodecError) -> Bool {
    let mark = encoder.mark
    encoder.arrayHeader(2)
    encoder.encode(unsigned: UInt64(plan.place) + 1)
    do throws(CodecError) {
      if try translateFields(&decoder, plan.payload, `case`.payload, to: &encoder) { return true }
    } catch {
      throw error.inside(.name(`case`.name))
    }
    encoder.truncate(to: mark)
    return false
  }

  /// Writes the fields that the reader has, in its order.
  private func translateFields(
    _ decoder: inout CBORDecoder,
    _ plan: FieldPlan,
    _ fields: [Definition.Field],
    to encoder: inout CBOREncoder,
  ) throws(CodecError) -> Bool {
    var changes: [(place: Int, delta: [UInt8])] = []
    for _ in 0..<(try decoder.mapHeader()) {
      let index = try decoder.place(below: fields.count, "field")
      do throws(CodecError) {
        var delta = CBOREncoder()
        let field = plan.fields[index]
        let schema = fields[index].schema
        let isWritten = try translate(&decoder, field.projection, schema, to: &delta)
        if isWritten, let target = field.target { changes.append((target.place, delta.bytes)) }
      } catch {
        throw error.inside(.name(fields[index].name))
      }
    }
    guard !changes.isEmpty else { return false }
    encoder.mapHeader(changes.count)
    for (place, delta) in changes.sorted(by: { $0.place < $1.place }) {
      encoder.encode(unsigned: UInt64(place))
      encoder.append(raw: delta)
    }
    return true
  }
}

// MARK: - Collections

extension DeltaTranslator {
  private func translateEdits(
    _ decoder: inout CBORDecoder,
    _ inner: Projection,
    _ element: Schema,
    to encoder: inout CBOREncoder,
  ) throws(CodecError) -> Bool {
    var edits: [[UInt8]] = []
    try decoder.edits { (decoder, items) throws(CodecError) in
      var edit = CBOREncoder()
      edit.arrayHeader(items)
      edit.encode(unsigned: try decoder.unsigned())
      switch items {
      case 2:
        if try translate(&decoder, inner, element, to: &edit) { edits.append(edit.bytes) }
      case 3:
        edit.encode(unsigned: try decoder.unsigned())
        let count = try decoder.arrayHeader()
        edit.arrayHeader(count)
        for _ in 0..<count { try value(&decoder, inner, element, to: &edit) }
        edits.append(edit.bytes)
      default:
        throw decoder.error(.deltaMismatch, "expected an edit of 2 or 3 items, found \(items)")
      }
    }
    return encoder.appendSequence(edits)
  }

  private func translateDictionary(
    _ decoder: inout CBORDecoder,
    _ inner: Projection,
    _ key: Schema,
    _ content: Schema,
    to encoder: inout CBOREncoder,
  ) throws(CodecError) -> Bool {
    try translateParts(&decoder, to: &encoder) { (part, decoder, item) throws(CodecError) in
      item.append(raw: try decoder.rawItem())
      switch part {
      case 0: return true
      case 1:
        try value(&decoder, inner, content, to: &item)
        return true
      default: return try translate(&decoder, inner, content, to: &item)
      }
    }
  }

  private func translateSteps(
    _ decoder: inout CBORDecoder,
    _ inner: Projection,
    _ id: Schema,
    _ element: Schema,
    to encoder: inout CBOREncoder,
  ) throws(CodecError) -> Bool {
    var steps: [[UInt8]] = []
    try decoder.steps { (decoder) throws(CodecError) in
      var step = CBOREncoder()
      let isWritten = try translateParts(&decoder, to: &step) {
        (part, decoder, item) throws(CodecError) in
        item.append(raw: try decoder.rawItem())
        switch part {
        case 0: return true
        case 1: item.append(raw: try decoder.rawItem())
        case 2: try value(&decoder, inner, element, to: &item)
        default: return try translate(&decoder, inner, element, to: &item)
        }
        return true
      }
      if isWritten { steps.append(step.bytes) }
    }
    return encoder.appendSequence(steps)
  }

  /// Reads a map from parts to lists.
  ///
  /// `body` reads one entry of a part, one item of part 0 and two items of the others, and returns
  /// whether it wrote an entry.
  private func translateParts(
    _ decoder: inout CBORDecoder,
    to encoder: inout CBOREncoder,
    _ body: (Int, inout CBORDecoder, inout CBOREncoder) throws(CodecError) -> Bool,
  ) throws(CodecError) -> Bool {
    var parts: [(part: Int, items: [[UInt8]])] = []
    for _ in 0..<(try decoder.mapHeader()) {
      let part = try decoder.place(below: 4, "the change")
      let each = part == 0 ? 1 : 2
      let count = try decoder.arrayHeader()
      guard count % each == 0 else {
        throw decoder.error(.deltaMismatch, "expected pairs, found \(count) items")
      }
      var items: [[UInt8]] = []
      for _ in 0..<(count / each) {
        var item = CBOREncoder()
        if try body(part, &decoder, &item) { items.append(item.bytes) }
      }
      if !items.isEmpty { parts.append((part, items)) }
    }
    guard !parts.isEmpty else { return false }
    encoder.mapHeader(parts.count)
    for (part, items) in parts {
      encoder.encode(unsigned: UInt64(part))
      encoder.arrayHeader(items.count * (part == 0 ? 1 : 2))
      for item in items { encoder.append(raw: item) }
    }
    return true
  }
}

extension CBOREncoder {
  /// Writes one encoding as it is, or an array of several; an empty list writes no bytes.
  fileprivate mutating func appendSequence(_ encodings: [[UInt8]]) -> Bool {
    if encodings.count > 1 { arrayHeader(encodings.count) }
    for encoding in encodings { append(raw: encoding) }
    return !encodings.isEmpty
  }
}
