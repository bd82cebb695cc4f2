/// Composes a delta that is a tree already with one that a decoder reads; nil is no change.
struct DeltaFolder: Sendable {
  let applier: DeltaApplier

  func fold(
    _ tree: DeltaTree?,
    _ decoder: inout CBORDecoder,
    _ schema: Schema,
  ) throws(CodecError) -> DeltaTree? {
    switch schema {
    case .optional(let wrapped): try foldOptional(tree, &decoder, wrapped)
    case .array(let element): try foldArray(tree, &decoder, element)
    case .set(let element): try foldSet(tree, &decoder, element)
    case .dictionary(let key, let content): try foldDictionary(tree, &decoder, key, content)
    case .identified(let field, let id, let element):
      try foldRows(
        tree,
        &decoder,
        RowFolder(folder: self, field: field, id: id, element: element),
      )
    case .named(let name):
      switch applier.document.definitions[name] {
      case .record(let fields):
        try fold(tree.fields, &decoder, fields, what: "the field").map { .fields($0) }
      case .choice(let cases): try foldChoice(tree, &decoder, cases, schema)
      case nil: throw CodecError(.malformedSchema, "\"\(name)\" is not defined")
      }
    case .text, .bytes: try foldSplices(tree, &decoder, schema)
    default: .value(try applier.read(&decoder, schema))
    }
  }

  private func fold(
    _ known: [Int: DeltaTree],
    _ decoder: inout CBORDecoder,
    _ fields: [Definition.Field],
    what: String,
  ) throws(CodecError) -> [Int: DeltaTree]? {
    var result = known
    for _ in 0..<(try decoder.mapHeader()) {
      let index = try decoder.place(below: fields.count, what)
      do throws(CodecError) {
        result[index] = try fold(result[index], &decoder, fields[index].schema)
      } catch {
        throw error.inside(.name(fields[index].name))
      }
    }
    return result.isEmpty ? nil : result
  }

  private func foldOptional(
    _ tree: DeltaTree?,
    _ decoder: inout CBORDecoder,
    _ wrapped: Schema,
  ) throws(CodecError) -> DeltaTree? {
    if try decoder.nullIfPresent() { return .absent }
    guard try decoder.deltaForm() == .changed else {
      return .present(try applier.read(&decoder, wrapped))
    }
    switch tree {
    case .absent:
      throw decoder.error(.deltaMismatch, "the delta changes a value that is absent")
    case .present(var value):
      try applier.apply(&decoder, to: &value, wrapped)
      return .present(value)
    case .inside(let inner):
      return try fold(inner, &decoder, wrapped).map { .inside($0) }
    default:
      return try fold(nil, &decoder, wrapped).map { .inside($0) }
    }
  }

  private func foldChoice(
    _ tree: DeltaTree?,
    _ decoder: inout CBORDecoder,
    _ cases: [Definition.Case],
    _ schema: Schema,
  ) throws(CodecError) -> DeltaTree? {
    guard case .changed(let index) = try decoder.choiceDeltaForm(cases: cases.count) else {
      return .present(try applier.read(&decoder, schema))
    }
    var known: [Int: DeltaTree] = [:]
    switch tree {
    case .present(var value):
      try applier.applyToCase(&decoder, &value, cases[index])
      return .present(value)
    case .ofCase(index, let labels):
      known = labels
    case .ofCase(let other, _):
      throw decoder.error(
        .deltaMismatch,
        "the delta changes the case \(cases[index].name), the one before it \(cases[other].name)",
      )
    default: break
    }
    do throws(CodecError) {
      return try fold(known, &decoder, cases[index].payload, what: "label")
        .map { .ofCase(index, $0) }
    } catch {
      throw error.inside(.name(cases[index].name))
    }
  }
}

extension DeltaTree? {
  /// What is known of a record's fields.
  fileprivate var fields: [Int: DeltaTree] {
    if case .fields(let fields) = self { fields } else { [:] }
  }
}

// MARK: - Sequences

extension DeltaFolder {
  private func foldSplices(
    _ tree: DeltaTree?,
    _ decoder: inout CBORDecoder,
    _ schema: Schema,
  ) throws(CodecError) -> DeltaTree? {
    guard try decoder.peekKind() == .array else {
      return .value(try applier.read(&decoder, schema))
    }
    var edits = SequenceEdits<UInt8, Never>()
    switch tree {
    case .value(var value):
      try applier.apply(&decoder, to: &value, schema)
      return .value(value)
    case .text(let known), .bytes(let known): edits = known
    default: break
    }
    let isText = schema == .text
    try decoder.edits { (decoder, items) throws(CodecError) in
      let offset = decoder.offset
      let range = try decoder.splicePlace(items: items, in: SequenceEdits<UInt8, Never>.mostItems)
      let inserted = isText ? Array(try decoder.text().utf8) : try decoder.byteString()
      edits.replace(range.lowerBound, removing: range.count, with: inserted)
      guard !isText || edits.areWholeScalars else {
        throw CodecError(
          .deltaMismatch,
          "the splice from byte \(range.lowerBound) to \(range.upperBound) cuts a character",
          offset: offset,
        )
      }
    }
    guard !edits.isEmpty else { return nil }
    return isText ? .text(edits) : .bytes(edits)
  }

  private func foldArray(
    _ tree: DeltaTree?,
    _ decoder: inout CBORDecoder,
    _ element: Schema,
  ) throws(CodecError) -> DeltaTree? {
    var edits = SequenceEdits<GenericValue, DeltaTree>()
    if case .array(let known) = tree { edits = known }
    try decoder.edits { (decoder, items) throws(CodecError) in
      try foldEdit(&edits, &decoder, element, items: items)
    }
    return edits.isEmpty ? nil : .array(edits)
  }

  private func foldEdit(
    _ edits: inout SequenceEdits<GenericValue, DeltaTree>,
    _ decoder: inout CBORDecoder,
    _ element: Schema,
    items: Int,
  ) throws(CodecError) {
    let most = SequenceEdits<GenericValue, DeltaTree>.mostItems
    guard items == 2 || items == 3 else {
      throw decoder.error(
        .deltaMismatch,
        "expected the delta of an array as an array of 2 or 3, found an array of \(items)",
      )
    }
    let place = try decoder.place(below: most, "the place")
    if items == 3 {
      let removed = try decoder.place(below: most, "the number of elements")
      let inserted = try applier.readElements(&decoder, element, from: place)
      return edits.replace(place, removing: removed, with: inserted)
    }
    var copy = decoder
    do throws(CodecError) {
      try edits.change(place) { (tree) throws(CodecError) in
        try fold(tree, &copy, element)
      } apply: { (item) throws(CodecError) in
        try applier.apply(&copy, to: &item, element)
      }
    } catch {
      throw error.inside(.index(place))
    }
    decoder = copy
  }
}

extension SequenceEdits where Item == UInt8 {
  /// Whether no Unicode scalar that was inserted has been cut.
  ///
  /// What is inserted is valid as it comes, so a cut shows at the ends of a piece.
  fileprivate var areWholeScalars: Bool {
    pieces.allSatisfy { piece in
      guard case .inserted(let bytes) = piece, let last = bytes.last else { return true }
      guard !bytes.isInsideScalar(0) else { return false }
      guard last >= 0x80 else { return true }
      return bytes.withUnsafeBufferPointer { UTF8Validation.endsWithWholeScalar($0) }
    }
  }
}

// MARK: - Sets and dictionaries

extension DeltaFolder {
  private func foldSet(
    _ tree: DeltaTree?,
    _ decoder: inout CBORDecoder,
    _ element: Schema,
  ) throws(CodecError) -> DeltaTree? {
    var edits = SetEdits()
    if case .set(let known) = tree { edits = known }
    for _ in 0..<(try decoder.mapHeader()) {
      let change = try decoder.place(below: 2, "the change")
      for _ in 0..<(try decoder.arrayHeader()) {
        let changed = try applier.read(&decoder, element)
        guard edits.change(changed, inserting: change == 1) else {
          throw decoder.error(
            .deltaMismatch,
            change == 0 ? "an element to remove is not there" : "an element to insert is there",
          )
        }
      }
    }
    return edits.isEmpty ? nil : .set(edits)
  }

  private func foldDictionary(
    _ tree: DeltaTree?,
    _ decoder: inout CBORDecoder,
    _ key: Schema,
    _ content: Schema,
  ) throws(CodecError) -> DeltaTree? {
    var edits = KeyedEdits()
    if case .dictionary(let known) = tree { edits = known }
    for _ in 0..<(try decoder.mapHeader()) {
      let change = try decoder.place(below: 3, "the change")
      let items = try decoder.arrayHeader()
      guard change == 0 || items % 2 == 0 else {
        throw decoder.error(.deltaMismatch, "a key without a value")
      }
      for _ in 0..<(change == 0 ? items : items / 2) {
        let name = try applier.read(&decoder, key)
        do throws(CodecError) {
          try fold(change, name, &edits, &decoder, content)
        } catch {
          throw error.inside(name.pathElement(key, in: applier.document))
        }
      }
    }
    return edits.isEmpty ? nil : .dictionary(edits)
  }

  private func fold(
    _ change: Int,
    _ key: GenericValue,
    _ edits: inout KeyedEdits,
    _ decoder: inout CBORDecoder,
    _ content: Schema,
  ) throws(CodecError) {
    var copy = decoder
    let fits: Bool
    switch change {
    case 0: fits = edits.remove(key)
    case 1: fits = edits.insert(key, try applier.read(&copy, content))
    default:
      fits = try edits.change(key) { (tree) throws(CodecError) in
        try fold(tree, &copy, content)
      } apply: { (value) throws(CodecError) in
        try applier.apply(&copy, to: &value, content)
      }
    }
    guard fits else {
      throw decoder.error(
        .deltaMismatch,
        change == 1 ? "the key is there already" : "the key is not there",
      )
    }
    decoder = copy
  }
}
