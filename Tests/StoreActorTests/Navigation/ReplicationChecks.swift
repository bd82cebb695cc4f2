import GenericState
import StoreActor
import StoreState
import Testing

/// Checks the protocol's promises for all pairs of some values of one type: the type's encoding,
/// digest and deltas, and their agreement with a program that knows only the schema.
func checkReplication<State: ReplicatedState>(
  _ values: [State],
  sourceLocation: SourceLocation = #_sourceLocation,
) throws {
  let document = SchemaRegistry.document(for: State.self)
  for old in values {
    let generic = try GenericValue(encoded: old.encoded())
    try generic.validate(against: document)
    let decoded = try State(encoded: old.encoded())
    #expect(decoded.encoded() == old.encoded(), sourceLocation: sourceLocation)
    #expect(old._$digest == generic._$digest, sourceLocation: sourceLocation)
    for new in values {
      let areSame = old.encoded() == new.encoded()
      #expect(new._$isSame(as: old) == areSame, sourceLocation: sourceLocation)
      let delta = new.delta(from: old)
      #expect((delta == nil) == areSame, sourceLocation: sourceLocation)
      guard let delta else { continue }
      #expect(
        try old.applying(delta: delta).encoded() == new.encoded(),
        sourceLocation: sourceLocation,
      )
      #expect(
        try generic.applying(delta: delta, in: document).encoded() == new.encoded(),
        sourceLocation: sourceLocation,
      )
    }
  }
}

/// Returns a value as JSON.
func wireJSON<Value: WirePayload>(_ value: Value) throws -> String {
  var encoder = CBOREncoder()
  try value.encode(to: &encoder)
  let document = SchemaRegistry.document(for: Value.self)
  return JSONProjection.json(try GenericValue(encoded: encoder.bytes), in: document)
}
