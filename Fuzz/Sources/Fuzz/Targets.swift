import GenericState
import StoreState

/// Items: every reader of them agrees, and what is accepted is written as it was.
enum ItemTarget {
  static func run(_ bytes: ArraySlice<UInt8>) {
    var decoder = CBORDecoder(bytes)
    let isItem: Bool
    do throws(CodecError) {
      try decoder.skipItem()
      try decoder.finish()
      isItem = true
    } catch {
      expect((error.offset ?? 0) <= bytes.count, "the offset of \(error) is outside")
      isItem = false
    }
    let value = try? GenericValue(encoded: bytes)
    expect((value != nil) == isItem, "reading and skipping disagree")
    guard let value else { return }
    expect(value.encoded().elementsEqual(bytes), "written differently")
    expect(value._$digest == (try? Digest.of(canonical: bytes)), "another digest")
  }
}

/// Values of one type: typed and generic reading agree.
enum ValueTarget {
  static func run(_ bytes: ArraySlice<UInt8>) {
    guard let state = try? FuzzState(encoded: bytes) else { return }
    expect(state.encoded().elementsEqual(bytes), "written differently")
    guard let generic = try? GenericValue(encoded: bytes) else { return expect(false, "no value") }
    expect((try? generic.validate(against: FuzzState.document)) != nil, "not of its schema")
    expect(state._$digest == generic._$digest, "another digest")
    let text = JSONProjection.json(
      generic,
      schema: FuzzState.document.root,
      in: FuzzState.document,
    )
    expect(!text.isEmpty, "no text")
    let initial = FuzzState()
    if let delta = state.delta(from: initial) { DeltaTarget.check(delta[...], from: initial) }
  }
}

/// Deltas of one type: typed and generic agree, and translation keeps its word.
enum DeltaTarget {
  static func run(_ bytes: ArraySlice<UInt8>) {
    // As many deltas as there are, one after the other.
    var state = FuzzState()
    var decoder = CBORDecoder(bytes)
    while !decoder.isAtEnd, let delta = try? decoder.rawItem() {
      check(delta, from: state)
      guard let next = try? state.applying(delta: delta) else { return }
      state = next
    }
  }

  static func check(_ delta: ArraySlice<UInt8>, from state: FuzzState) {
    let document = FuzzState.document
    let typed = try? state.applying(delta: delta)
    guard let generic = try? GenericValue(encoded: state.encoded()) else {
      return expect(false, "a state is no value")
    }
    let other = try? generic.applying(delta: delta, in: document)
    if let typed {
      expect(other?.encoded() == typed.encoded(), "typed and generic deltas disagree")
      expect((try? Digest.of(canonical: typed.encoded())) == typed._$digest, "another digest")
    }
    guard let resolution = OtherBuild.resolution, let reader = OtherBuild.document else {
      return expect(false, "no other build")
    }
    expect(resolution.isCompatible, "\(resolution.differences)")
    let translated = Result { try resolution.translate(delta: delta) }
    guard let other else { return }
    guard case .success(let translated) = translated,
      let before = try? resolution.translate(generic),
      let after = try? resolution.translate(other)
    else { return expect(false, "what fits is not translated") }
    let result = try? translated.map { try before.applying(delta: $0, in: reader) } ?? before
    expect(result == after, "a translated delta leads elsewhere")
  }
}

/// Schema documents, compared with one that is known.
enum SchemaTarget {
  static func run(_ bytes: ArraySlice<UInt8>) {
    guard let document = try? SchemaDocument(encoded: bytes) else { return }
    expect(document.encoded().elementsEqual(bytes), "written differently")
    _ = document.hash
    let mine = FuzzState.document
    _ = SchemaDocument.differences(between: mine, and: document)
    _ = SchemaResolution(writer: document, reader: ReaderSchema(mine))
    _ = SchemaResolution(writer: mine, reader: ReaderSchema(document))
    let same = SchemaResolution(writer: document, reader: ReaderSchema(document))
    expect(same.isIdentity && same.isCompatible, "\(same.differences)")
  }
}

/// A schema, a value of it and a delta.
enum DocumentTarget {
  static func run(_ bytes: ArraySlice<UInt8>) {
    var decoder = CBORDecoder(bytes)
    // Item by item: an order is known to be right only once the decoder has moved on.
    guard let schema = try? decoder.rawItem(), let item = try? decoder.rawItem(),
      let document = try? SchemaDocument(encoded: schema),
      let old = value(item, document)
    else { return }
    _ = JSONProjection.json(old, schema: document.root, in: document)
    if let delta = try? decoder.rawItem() { change(old, delta, document) }
  }

  private static func value(
    _ bytes: ArraySlice<UInt8>,
    _ document: SchemaDocument,
  ) -> GenericValue? {
    guard let value = try? GenericValue(encoded: bytes) else { return nil }
    return (try? value.validate(against: document)).map { value }
  }

  private static func change(
    _ old: GenericValue,
    _ delta: ArraySlice<UInt8>,
    _ document: SchemaDocument,
  ) {
    if let result = try? old.applying(delta: delta, in: document) {
      expect((try? result.validate(against: document)) != nil, "a delta leaves the schema")
    }
    _ = try? JSONProjection.json(delta: delta, schema: document.root, in: document)
    let resolution = SchemaResolution(writer: document, reader: ReaderSchema(document))
    _ = try? resolution.translate(delta: delta)
  }
}

/// JSON texts: what is read is of the schema, and is read again from what it is written as.
enum JSONTarget {
  static func run(_ bytes: ArraySlice<UInt8>) {
    let text = String(decoding: bytes, as: UTF8.self)
    let document = FuzzState.document
    for schema in [document.root, .any, .named("FuzzRow"), .array(.date), .duration] {
      guard
        let value = try? JSONProjection.value(fromJSON: text, schema: schema, in: document)
      else { continue }
      expect((try? value.validate(against: schema, in: document)) != nil, "not of the schema")
      let written = JSONProjection.json(value, schema: schema, in: document)
      let read = try? JSONProjection.value(fromJSON: written, schema: schema, in: document)
      expect(read == value, "\(written) is read as another value")
    }
  }
}

/// Typed readers of all shapes.
enum TypedTarget {
  static func run(_ bytes: ArraySlice<UInt8>) {
    check(bytes, [String: [Int?]].self)
    check(bytes, Set<Double>.self)
    check(bytes, [UInt128].self)
    check(bytes, Duration?.self)
    check(bytes, Int???.self)
    check(bytes, Character.self)
    check(bytes, IdentifiedArrayOf<FuzzRow>.self)
    change(bytes, [1, 2, 3])
    change(bytes, "é𝄞")
    change(bytes, Set(["a", "é"]))
    change(bytes, ["a": [1], "é": []])
    change(bytes, [FuzzRow(id: 1), FuzzRow(id: 2)] as IdentifiedArrayOf<FuzzRow>)
    change(bytes, Int??.some(nil))
  }

  private static func check<Value: WireValue>(_ bytes: ArraySlice<UInt8>, _ type: Value.Type) {
    guard let value = try? Value(encoded: bytes) else { return }
    expect(value.encoded().elementsEqual(bytes), "\(type) is written differently")
  }

  private static func change<State: ReplicatedState>(_ bytes: ArraySlice<UInt8>, _ state: State) {
    guard let result = try? state.applying(delta: bytes) else { return }
    expect((try? Digest.of(canonical: result.encoded())) == result._$digest, "another digest")
  }
}
