extension ChoiceLayout.Case {
  /// A case without payload.
  ///
  /// - Parameters:
  ///   - name: The case's name in schemas, snapshots and JSON.
  ///   - value: The case.
  ///   - matches: Whether a value is this case.
  /// - Returns: The case.
  public static func `case`(
    _ name: String,
    _ value: Value,
    matches: @escaping @Sendable (Value) -> Bool,
  ) -> Self {
    precondition(matches(value), "The case \"\(name)\" does not match its own value.")
    return Self(
      name: name,
      hasPayload: false,
      schema: { _ in [] },
      matches: matches,
      encode: { _, _ in },
      decode: { (_) throws(CodecError) in value },
      encodeDelta: { _, _, _ in false },
      applyDelta: { (_, decoder) throws(CodecError) in
        throw decoder.error(.deltaMismatch, "the case has no payload that could change")
      },
      isSame: { _, _ in true },
      digest: { _ in .null },
    )
  }

  /// A case without payload.
  ///
  /// - Parameters:
  ///   - name: The case's name in schemas, snapshots and JSON.
  ///   - value: The case.
  /// - Returns: The case.
  public static func `case`(_ name: String, _ value: Value) -> Self where Value: Equatable {
    .case(name, value) { $0 == value }
  }

  /// A case with a payload.
  ///
  /// - Parameters:
  ///   - name: The case's name in schemas, snapshots and JSON.
  ///   - labels: The labels of all parts, or no labels; then they are `_0`, `_1`, ….
  ///   - embed: Creates the case from its payload: `Destination.edit(id:)`.
  ///   - extract: Returns the payload if a value is this case.
  /// - Returns: The case.
  public static func `case`<each Part: ReplicatedState>(
    _ name: String,
    _ labels: String...,
    embed: @escaping @Sendable (repeat each Part) -> Value,
    extract: @escaping @Sendable (Value) -> (repeat each Part)?,
  ) -> Self {
    let layout = PayloadLayout<repeat each Part>(labels: labels, of: "The case \"\(name)\"")
    precondition(!layout.order.names.isEmpty, "The case \"\(name)\" has no payload to embed.")
    let payload = PayloadState(name: name, layout: layout, extract: extract)
    return Self(
      name: name,
      hasPayload: true,
      schema: { layout.schema(in: &$0) },
      matches: { extract($0) != nil },
      encode: { payload.encode($0, to: &$1) },
      decode: { (decoder) throws(CodecError) in
        let parts = try layout.decode(from: &decoder)
        return embed(repeat each parts)
      },
      encodeDelta: { payload.encodeDelta($0, from: $1, to: &$2) },
      applyDelta: { (value, decoder) throws(CodecError) in
        let parts = try payload.applyingDelta(to: value, from: &decoder)
        return embed(repeat each parts)
      },
      isSame: { payload.isSame($0, $1) },
      digest: { payload.digest($0) },
    )
  }
}

/// The operations of a choice on the payloads of values of one case.
private struct PayloadState<Value: Sendable, each Part: ReplicatedState>: Sendable {
  let name: String
  let layout: PayloadLayout<repeat each Part>
  let extract: @Sendable (Value) -> (repeat each Part)?

  private func parts(of value: Value) -> (repeat each Part) {
    guard let parts = extract(value) else {
      preconditionFailure("A value of the case \"\(name)\" gave no payload.")
    }
    return parts
  }

  func encode(_ value: Value, to encoder: inout CBOREncoder) {
    let parts = parts(of: value)
    do throws(CodecError) {
      try layout.encode(repeat each parts, to: &encoder)
    } catch {
      preconditionFailure("A value of the case \"\(name)\" cannot be encoded: \(error)")
    }
  }

  func encodeDelta(_ value: Value, from old: Value, to encoder: inout CBOREncoder) -> Bool {
    let (newParts, oldParts) = (parts(of: value), parts(of: old))
    let map = encoder.beginDeferredMap()
    var (index, count) = (0, 0)
    for (new, old) in repeat (each newParts, each oldParts) {
      let mark = encoder.mark
      encoder.encode(unsigned: UInt64(index))
      if new.encodeDelta(from: old, to: &encoder) {
        count += 1
      } else {
        encoder.truncate(to: mark)
      }
      index += 1
    }
    guard count > 0 else { return false }
    encoder.endDeferredMap(map, count: count)
    return true
  }

  func applyingDelta(
    to value: Value,
    from decoder: inout CBORDecoder,
  ) throws(CodecError) -> (repeat each Part) {
    let parts = parts(of: value)
    var changes = try PartChanges(order: layout.order, from: &decoder)
    return (repeat try changes.applied(to: each parts, from: &decoder))
  }

  func isSame(_ one: Value, _ other: Value) -> Bool {
    let (parts, otherParts) = (parts(of: one), parts(of: other))
    var areSame = true
    for (one, other) in repeat (each parts, each otherParts) {
      areSame = areSame && one._$isSame(as: other)
    }
    return areSame
  }

  func digest(_ value: Value) -> Digest {
    let parts = parts(of: value)
    var digest = MapDigest()
    var index = 0
    for part in repeat each parts {
      digest.add(key: layout.order.digests[index], value: part._$digest)
      index += 1
    }
    return digest.finish()
  }
}

/// The changes inside of a payload, in the order of its parts' declaration.
private struct PartChanges {
  let order: FieldOrder
  private var left: Int
  private var index = 0
  /// The part that changes next.
  private var changed: Int?

  init(order: FieldOrder, from decoder: inout CBORDecoder) throws(CodecError) {
    self.order = order
    left = try decoder.mapHeader()
    try advance(&decoder)
  }

  private mutating func advance(_ decoder: inout CBORDecoder) throws(CodecError) {
    guard left > 0 else {
      changed = nil
      return
    }
    left -= 1
    let next = try decoder.place(below: order.names.count, "label")
    // The decoder itself would detect this only at the next item, which may not be read.
    guard changed.map({ $0 < next }) ?? true else {
      throw decoder.error(.notCanonical, "the label \(next) stands after a greater one")
    }
    changed = next
  }

  mutating func applied<Part: ReplicatedState>(
    to part: Part,
    from decoder: inout CBORDecoder,
  ) throws(CodecError) -> Part {
    defer { index += 1 }
    guard changed == index else { return part }
    var part = part
    do throws(CodecError) {
      try part.applyDelta(from: &decoder)
    } catch {
      throw error.inside(.name(order.names[index]))
    }
    try advance(&decoder)
    return part
  }
}
