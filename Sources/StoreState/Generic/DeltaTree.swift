/// A delta of a schema as a tree, so that others can be composed with it.
indirect enum DeltaTree: Sendable {
  /// The whole value.
  case value(GenericValue)
  /// An optional that is absent now.
  case absent
  /// An optional or a choice that was replaced by a value of its own kind.
  case present(GenericValue)
  /// An optional that changed inside.
  case inside(DeltaTree)
  /// A record's fields by their places.
  case fields([Int: DeltaTree])
  /// A choice whose payload changed inside: the case and its labels by their places.
  case ofCase(Int, [Int: DeltaTree])
  /// Splices of a text's UTF-8 bytes.
  case text(SequenceEdits<UInt8, Never>)
  /// Splices of a byte string.
  case bytes(SequenceEdits<UInt8, Never>)
  case array(SequenceEdits<GenericValue, DeltaTree>)
  case set(SetEdits)
  case dictionary(KeyedEdits)
  case rows(RowEdits)
}

extension DeltaTree {
  func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .value(let value): value.encode(to: &encoder)
    case .absent: encoder.encodeNull()
    case .present(let value):
      encoder.arrayHeader(2)
      encoder.encode(unsigned: 0)
      value.encode(to: &encoder)
    case .inside(let delta):
      encoder.arrayHeader(2)
      encoder.encode(unsigned: 1)
      delta.encode(to: &encoder)
    case .fields(let fields): Self.encode(fields, to: &encoder)
    case .ofCase(let index, let fields):
      encoder.arrayHeader(2)
      encoder.encode(unsigned: UInt64(index) + 1)
      Self.encode(fields, to: &encoder)
    case .text(let edits): Self.encode(edits, isText: true, to: &encoder)
    case .bytes(let edits): Self.encode(edits, isText: false, to: &encoder)
    case .array(let edits): Self.encode(edits, to: &encoder)
    case .set(let edits): edits.encode(to: &encoder)
    case .dictionary(let edits): edits.encode(to: &encoder)
    case .rows(let edits): edits.encode(to: &encoder)
    }
  }

  private static func encode(_ fields: [Int: DeltaTree], to encoder: inout CBOREncoder) {
    encoder.mapHeader(fields.count)
    for (index, delta) in fields.sorted(by: { $0.key < $1.key }) {
      encoder.encode(unsigned: UInt64(index))
      delta.encode(to: &encoder)
    }
  }

  private static func encode(
    _ edits: SequenceEdits<UInt8, Never>,
    isText: Bool,
    to encoder: inout CBOREncoder,
  ) {
    edits.encode(to: &encoder) { bytes, encoder in
      encoder.header(isText ? CBOR.text : CBOR.bytes, UInt64(bytes.count))
      encoder.append(raw: bytes)
    } changed: { _, _ in
    }
  }

  private static func encode(
    _ edits: SequenceEdits<GenericValue, DeltaTree>,
    to encoder: inout CBOREncoder,
  ) {
    edits.encode(to: &encoder) { items, encoder in
      GenericValue.array(items).encode(to: &encoder)
    } changed: { delta, encoder in
      delta.encode(to: &encoder)
    }
  }
}
