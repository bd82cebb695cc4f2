extension DeltaFolder {
  func foldRows(
    _ tree: DeltaTree?,
    _ decoder: inout CBORDecoder,
    _ rows: RowFolder,
  ) throws(CodecError) -> DeltaTree? {
    var edits = RowEdits()
    if case .rows(let known) = tree { edits = known }
    try decoder.steps { (decoder) throws(CodecError) in try rows.fold(&edits, &decoder) }
    return edits.isEmpty ? nil : .rows(edits)
  }
}

/// Composes deltas of identified arrays.
struct RowFolder {
  let folder: DeltaFolder
  let field: String
  let id: Schema
  let element: Schema

  func fold(_ edits: inout RowEdits, _ decoder: inout CBORDecoder) throws(CodecError) {
    var step = RowEdits.Step()
    var isAppended = false
    for _ in 0..<(try decoder.mapHeader()) {
      switch try decoder.place(below: 4, "the change") {
      case 0: try readRemoved(&step, &decoder)
      case 1: try readMoved(&step, &decoder)
      case 2: try readInserted(&step, &decoder)
      default:
        try append(step, to: &edits, decoder)
        isAppended = true
        try change(&edits, &decoder)
      }
    }
    if !isAppended { try append(step, to: &edits, decoder) }
  }

  private func readRemoved(
    _ step: inout RowEdits.Step,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) {
    var seen: Set<GenericValue> = []
    for _ in 0..<(try decoder.arrayHeader()) {
      let key = try folder.applier.read(&decoder, id)
      guard seen.insert(key).inserted else { throw repeated(key, decoder) }
      step.removed.append(key)
    }
  }

  private func readMoved(
    _ step: inout RowEdits.Step,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) {
    let removed = Set(step.removed)
    var seen: Set<GenericValue> = []
    for _ in 0..<(try decoder.pairs("a moved element's place and id")) {
      let index = try decoder.place(below: RowEdits.mostRows, "the place")
      let key = try folder.applier.read(&decoder, id)
      guard seen.insert(key).inserted else { throw repeated(key, decoder) }
      guard !removed.contains(key) else { throw absent(key, decoder) }
      step.placed.append(.init(index: index, id: key, value: nil))
    }
  }

  private func readInserted(
    _ step: inout RowEdits.Step,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) {
    for _ in 0..<(try decoder.pairs("an inserted element's place and value")) {
      let index = try decoder.place(below: RowEdits.mostRows, "the place")
      let value = try folder.applier.read(&decoder, element, at: .index(index))
      guard let key = value[field: field] else {
        throw decoder.error(.missingField, "the field is missing").inside(.name(field))
      }
      step.placed.append(.init(index: index, id: key, value: value))
    }
  }

  /// Lets rows go, move and come, unless two of them go to one place or have one id.
  private func append(
    _ step: RowEdits.Step,
    to edits: inout RowEdits,
    _ decoder: CBORDecoder,
  ) throws(CodecError) {
    var step = step
    step.placed.sort { $0.index < $1.index }
    var keys: Set<GenericValue> = []
    for (place, placed) in step.placed.enumerated() {
      if place > 0, step.placed[place - 1].index == placed.index {
        throw decoder.error(.deltaMismatch, "two elements go to place \(placed.index)")
      }
      guard keys.insert(placed.id).inserted else {
        throw decoder.error(.deltaMismatch, "an element with this id is there already")
          .inside(self.step(placed.id))
      }
    }
    if let gone = edits.gone(among: step) { throw absent(gone, decoder) }
    edits.append(step)
  }

  private func change(
    _ edits: inout RowEdits,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) {
    for _ in 0..<(try decoder.pairs("a changed element's id and delta")) {
      let key = try folder.applier.read(&decoder, id)
      guard !edits.isGone(key) else { throw absent(key, decoder) }
      var copy = decoder
      do throws(CodecError) {
        try edits.change(key) { (tree) throws(CodecError) in
          try folder.fold(tree, &copy, element)
        } apply: { (value) throws(CodecError) in
          try folder.applier.apply(&copy, to: &value, element)
          guard value[field: field] == key else {
            throw copy.error(.deltaMismatch, "the delta changes the id")
          }
        }
      } catch {
        throw error.inside(step(key))
      }
      decoder = copy
    }
  }

  private func step(_ key: GenericValue) -> CodecError.PathElement {
    key.pathElement(id, in: folder.applier.document)
  }

  private func repeated(_ key: GenericValue, _ decoder: CBORDecoder) -> CodecError {
    decoder.error(.deltaMismatch, "the id stands in one list twice").inside(step(key))
  }

  private func absent(_ key: GenericValue, _ decoder: CBORDecoder) -> CodecError {
    decoder.error(.deltaMismatch, "no element with this id is there").inside(step(key))
  }
}
