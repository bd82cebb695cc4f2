import StoreState

/// Changes generic values as typed values change themselves.
struct DeltaApplier {
  let document: SchemaDocument

  func apply(
    _ decoder: inout CBORDecoder,
    to value: inout GenericValue,
    _ schema: Schema,
  ) throws(CodecError) {
    switch schema {
    case .optional(let wrapped): try applyToOptional(&decoder, &value, wrapped)
    case .array(let element): try applyToArray(&decoder, &value, element)
    case .set(let element): try applyToSet(&decoder, &value, element)
    case .dictionary(let key, let content):
      try applyToDictionary(&decoder, &value, key: key, content: content)
    case .identified(let field, let id, let element):
      let rows = GenericRows(applier: self, field: field, id: id, element: element)
      try applyToRows(&decoder, &value, rows)
    case .named(let name):
      switch document.definitions[name] {
      case .record(let fields): try applyToFields(&decoder, &value, fields)
      case .choice(let cases): try applyToChoice(&decoder, &value, cases, schema)
      case nil: throw CodecError(.malformedSchema, "\"\(name)\" is not defined")
      }
    case .text: try applyToText(&decoder, &value)
    case .bytes: try applyToBytes(&decoder, &value)
    default:
      value = try read(&decoder, schema)
    }
  }

  private func applyToRows(
    _ decoder: inout CBORDecoder,
    _ value: inout GenericValue,
    _ coding: GenericRows,
  ) throws(CodecError) {
    guard case .array(var items) = value else { throw misfit("an array", value, decoder) }
    value = .null
    try items.changeRows(withIDsIn: coding.field) { (rows) throws(CodecError) in
      try rows.applyDelta(from: &decoder, coding)
    }
    value = .array(items)
  }

  private func applyToText(
    _ decoder: inout CBORDecoder,
    _ value: inout GenericValue,
  ) throws(CodecError) {
    guard case .text(var text) = value else { throw misfit("text", value, decoder) }
    value = .null
    try text.applyTextDelta(from: &decoder)
    value = .text(text)
  }

  private func applyToBytes(
    _ decoder: inout CBORDecoder,
    _ value: inout GenericValue,
  ) throws(CodecError) {
    guard case .bytes(var bytes) = value else { throw misfit("bytes", value, decoder) }
    value = .null
    if try decoder.peekKind() == .array {
      try decoder.edits { (decoder, items) throws(CodecError) in
        let range = try decoder.splicePlace(items: items, in: bytes.count)
        bytes.replaceSubrange(range, with: try decoder.byteSlice())
      }
    } else {
      bytes = try decoder.byteString()
    }
    value = .bytes(bytes)
  }

  func read(_ decoder: inout CBORDecoder, _ schema: Schema) throws(CodecError) -> GenericValue {
    try GenericValue(from: &decoder, schema: schema, in: document)
  }

  /// Reads a part of a value; an error gets `element` added to its path.
  func read(
    _ decoder: inout CBORDecoder,
    _ schema: Schema,
    at element: CodecError.PathElement,
  ) throws(CodecError) -> GenericValue {
    do throws(CodecError) {
      return try read(&decoder, schema)
    } catch {
      throw error.inside(element)
    }
  }

  /// Changes a part of a value; an error gets `element` added to its path.
  func apply(
    _ decoder: inout CBORDecoder,
    to value: inout GenericValue,
    _ schema: Schema,
    at element: @autoclosure () -> CodecError.PathElement,
  ) throws(CodecError) {
    do throws(CodecError) {
      try apply(&decoder, to: &value, schema)
    } catch {
      throw error.inside(element())
    }
  }

  // The functions below move the content out of the value, so that it changes in place.

  private func array(
    in value: inout GenericValue,
    _ decoder: CBORDecoder,
  ) throws(CodecError) -> [GenericValue] {
    guard case .array(let items) = value else { throw misfit("an array", value, decoder) }
    value = .null
    return items.plain
  }

  private func entries(
    in value: inout GenericValue,
    _ decoder: CBORDecoder,
  ) throws(CodecError) -> [GenericValue.Entry] {
    guard case .map(let entries) = value else { throw misfit("a map", value, decoder) }
    value = .null
    return entries
  }

  private func misfit(_ what: String, _ value: GenericValue, _ decoder: CBORDecoder) -> CodecError {
    decoder.error(
      .deltaMismatch,
      "the delta is one of \(what), the value is \(value.foundText)",
    )
  }
}

// MARK: - Records, choices and optionals

extension DeltaApplier {
  private func applyToFields(
    _ decoder: inout CBORDecoder,
    _ value: inout GenericValue,
    _ fields: [Definition.Field],
  ) throws(CodecError) {
    var entries = try entries(in: &value, decoder)
    for _ in 0..<(try decoder.mapHeader()) {
      let field = fields[try decoder.place(below: fields.count, "the field")]
      guard let place = entries.firstIndex(where: { $0.key == .text(field.name) }) else {
        throw decoder.error(.missingField, "the field is missing").inside(.name(field.name))
      }
      try apply(&decoder, to: &entries[place].value, field.schema, at: .name(field.name))
    }
    value = .map(entries)
  }

  private func applyToChoice(
    _ decoder: inout CBORDecoder,
    _ value: inout GenericValue,
    _ cases: [Definition.Case],
    _ schema: Schema,
  ) throws(CodecError) {
    switch try decoder.choiceDeltaForm(cases: cases.count) {
    case .replaced: value = try read(&decoder, schema)
    case .changed(let index): try applyToCase(&decoder, &value, cases[index])
    }
  }

  /// Changes the payload of a choice's value, which must be of the given case.
  func applyToCase(
    _ decoder: inout CBORDecoder,
    _ value: inout GenericValue,
    _ `case`: Definition.Case,
  ) throws(CodecError) {
    guard let (name, payload) = value.caseAndPayload, name._$isSame(as: `case`.name) else {
      throw misfit("the case \(`case`.name)", value, decoder)
    }
    guard var payload else {
      throw decoder.error(.deltaMismatch, "the case \(name) has no payload that could change")
    }
    value = .null
    do throws(CodecError) {
      try applyToFields(&decoder, &payload, `case`.payload)
    } catch {
      throw error.inside(.name(name))
    }
    value = .map([.init(.text(name), payload)])
  }

  private func applyToOptional(
    _ decoder: inout CBORDecoder,
    _ value: inout GenericValue,
    _ wrapped: Schema,
  ) throws(CodecError) {
    if try decoder.nullIfPresent() {
      value = .null
      return
    }
    var content: GenericValue
    switch try decoder.deltaForm() {
    case .replaced:
      content = try read(&decoder, wrapped)
    case .changed:
      if case .null = value {
        throw decoder.error(.deltaMismatch, "the delta changes a value that is absent")
      }
      content = value
      if wrapped.admitsNull {
        let items = try array(in: &value, decoder)
        guard items.count == 1 else { throw misfit("a value that is there", value, decoder) }
        content = items[0]
      }
      value = .null
      try apply(&decoder, to: &content, wrapped)
    }
    value = wrapped.admitsNull ? .array([content]) : content
  }
}

// MARK: - Arrays, sets and dictionaries

extension DeltaApplier {
  private func applyToArray(
    _ decoder: inout CBORDecoder,
    _ value: inout GenericValue,
    _ element: Schema,
  ) throws(CodecError) {
    var items = try array(in: &value, decoder)
    try decoder.edits { (decoder, count) throws(CodecError) in
      try applyEdit(&decoder, items: count, to: &items, element)
    }
    value = .array(items)
  }

  private func applyEdit(
    _ decoder: inout CBORDecoder,
    items count: Int,
    to items: inout [GenericValue],
    _ element: Schema,
  ) throws(CodecError) {
    switch count {
    case 2:
      let index = try decoder.place(below: items.count, "element")
      try apply(&decoder, to: &items[index], element, at: .index(index))
    case 3:
      let start = try decoder.place(below: items.count + 1, "the place")
      let removed = try decoder.place(below: items.count - start + 1, "the number of elements")
      let inserted = try readElements(&decoder, element, from: start)
      items.replaceSubrange(start..<(start + removed), with: inserted)
    case let other:
      throw decoder.error(
        .deltaMismatch,
        "expected the delta of an array as an array of 2 or 3, found an array of \(other)",
      )
    }
  }

  /// Reads an array of elements; the first one has the index `first`.
  func readElements(
    _ decoder: inout CBORDecoder,
    _ element: Schema,
    from first: Int,
  ) throws(CodecError) -> [GenericValue] {
    var inserted: [GenericValue] = []
    for index in 0..<(try decoder.arrayHeader()) {
      inserted.append(try read(&decoder, element, at: .index(first + index)))
    }
    return inserted
  }

  private func applyToSet(
    _ decoder: inout CBORDecoder,
    _ value: inout GenericValue,
    _ element: Schema,
  ) throws(CodecError) {
    guard case .set(var items) = value else { throw misfit("a set", value, decoder) }
    value = .null
    for _ in 0..<(try decoder.mapHeader()) {
      let change = try decoder.place(below: 2, "the change")
      for _ in 0..<(try decoder.arrayHeader()) {
        let changed = try read(&decoder, element)
        let place = items.sortedPlace(of: changed) { $0 }
        switch (change, place.isFound) {
        case (0, true): items.remove(at: place.index)
        case (1, false): items.insert(changed, at: place.index)
        default:
          throw decoder.error(
            .deltaMismatch,
            change == 0 ? "an element to remove is not there" : "an element to insert is there",
          )
        }
      }
    }
    value = .set(items)
  }

  private func applyToDictionary(
    _ decoder: inout CBORDecoder,
    _ value: inout GenericValue,
    key: Schema,
    content: Schema,
  ) throws(CodecError) {
    var entries = try entries(in: &value, decoder)
    for _ in 0..<(try decoder.mapHeader()) {
      let change = try decoder.place(below: 3, "the change")
      let items = try decoder.arrayHeader()
      guard change == 0 || items % 2 == 0 else {
        throw decoder.error(.deltaMismatch, "a key without a value")
      }
      for _ in 0..<(change == 0 ? items : items / 2) {
        let name = try read(&decoder, key)
        do throws(CodecError) {
          try applyToEntry(&decoder, &entries, change, name, content)
        } catch {
          throw error.inside(name.pathElement(key, in: document))
        }
      }
    }
    value = .map(entries)
  }

  private func applyToEntry(
    _ decoder: inout CBORDecoder,
    _ entries: inout [GenericValue.Entry],
    _ change: Int,
    _ key: GenericValue,
    _ content: Schema,
  ) throws(CodecError) {
    let place = entries.sortedPlace(of: key) { $0.key }
    switch (change, place.isFound) {
    case (0, true): entries.remove(at: place.index)
    case (1, true): throw decoder.error(.deltaMismatch, "the key is there already")
    case (1, false):
      entries.insert(.init(key, try read(&decoder, content)), at: place.index)
    case (2, true): try apply(&decoder, to: &entries[place.index].value, content)
    default: throw decoder.error(.deltaMismatch, "the key is not there")
    }
  }
}

extension Array {
  /// The index of a value, or its insertion index, in bytewise order of the encodings.
  fileprivate func sortedPlace(
    of value: GenericValue,
    by part: (Element) -> GenericValue,
  ) -> (index: Int, isFound: Bool) {
    let wanted = value.encoded()[...]
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      let order = CBORDecoder.compare(part(self[middle]).encoded()[...], wanted)
      if order == 0 { return (middle, true) }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return (low, false)
  }
}
