/// The labeled parts of a case's payload.
struct PayloadLayout<each Part: WirePayload>: Sendable {
  let order: FieldOrder

  /// Creates a layout; without labels the parts are named `_0`, `_1`, … by their index.
  init(labels: [String], of owner: String) {
    var count = 0
    for _ in repeat (each Part).self { count += 1 }
    precondition(
      labels.isEmpty || labels.count == count,
      "\(owner) has \(count) values and \(labels.count) labels; name all of them or none.",
    )
    order = FieldOrder(labels.isEmpty ? (0..<count).map { "_\($0)" } : labels, of: owner)
  }

  func schema(in registry: inout SchemaRegistry) -> [Definition.Field] {
    var schemas: [Schema] = []
    for part in repeat (each Part).self { schemas.append(part.schema(in: &registry)) }
    return zip(order.names, schemas).map { Definition.Field($0, $1) }
  }

  /// Writes the parts as a map, in the order of their labels' encodings.
  func encode(_ parts: repeat each Part, to encoder: inout CBOREncoder) throws(CodecError) {
    encoder.mapHeader(order.names.count)
    guard !order.isCanonical else {
      var place = 0
      for part in repeat each parts {
        encoder.append(raw: order.encodedNames[place])
        try encode(part, at: place, to: &encoder)
        place += 1
      }
      return
    }
    var encodings: [[UInt8]] = []
    for part in repeat each parts {
      var item = CBOREncoder()
      try encode(part, at: encodings.count, to: &item)
      encodings.append(item.bytes)
    }
    for place in order.canonical {
      encoder.append(raw: order.encodedNames[place])
      encoder.append(raw: encodings[place])
    }
  }

  private func encode(
    _ part: some WirePayload,
    at place: Int,
    to encoder: inout CBOREncoder,
  ) throws(CodecError) {
    do throws(CodecError) {
      try part.encode(to: &encoder)
    } catch {
      throw error.inside(.name(order.names[place]))
    }
  }

  /// Reads the parts from a map.
  func decode(from decoder: inout CBORDecoder) throws(CodecError) -> (repeat each Part) {
    var parts = try PartDecoders(order, from: &decoder)
    return (repeat try parts.next((each Part).self, from: &decoder))
  }
}

/// Decoders of a payload's parts.
///
/// The parts are in the order of their labels' encodings; callers read them in the order
/// of declaration.
private struct PartDecoders {
  let order: FieldOrder
  private var place = 0
  private var left: Int
  /// A decoder for each part; empty if both orders are equal and one decoder is enough.
  private var decoders: [CBORDecoder] = []

  init(_ order: FieldOrder, from decoder: inout CBORDecoder) throws(CodecError) {
    self.order = order
    left = try decoder.mapHeader()
    guard !order.isCanonical else { return }
    decoders = Array(repeating: decoder, count: order.names.count)
    for place in order.canonical {
      try decoder.fieldName(order, at: place, left: left)
      left -= 1
      decoders[place] = decoder
      do throws(CodecError) {
        try decoder.skipItem()
      } catch {
        throw error.inside(.name(order.names[place]))
      }
    }
    try decoder.checkNoMoreFields(order, left: left)
  }

  mutating func next<Part: WirePayload>(
    _ type: Part.Type,
    from decoder: inout CBORDecoder,
  ) throws(CodecError) -> Part {
    defer { place += 1 }
    let name = order.names[place]
    guard decoders.isEmpty else {
      return try decoders[place].decode(type, at: .name(name))
    }
    try decoder.fieldName(order, at: place, left: left)
    left -= 1
    let part = try decoder.decode(type, at: .name(name))
    if place == order.names.count - 1 { try decoder.checkNoMoreFields(order, left: left) }
    return part
  }
}
