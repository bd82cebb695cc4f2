import GenericState
import StoreActor
import StoreState
import Testing

/// Checks all laws of a generated conformance for two values: typed and generic reading agree,
/// equal bytes are equal values, and the delta leads from one value to the other.
func checkLaws<State: ReplicatedState>(
  from old: State,
  to new: State,
  sourceLocation: SourceLocation = #_sourceLocation,
) throws {
  let (oldBytes, newBytes) = (old.encoded(), new.encoded())
  let areSame = oldBytes == newBytes
  let document = SchemaRegistry.document(for: State.self)
  let decoded = try State(encoded: newBytes)
  let (before, after) = (try GenericValue(encoded: oldBytes), try GenericValue(encoded: newBytes))
  try after.validate(against: document)
  #expect(decoded.encoded() == newBytes, sourceLocation: sourceLocation)
  #expect(decoded._$isSame(as: new), sourceLocation: sourceLocation)
  #expect(new._$isSame(as: old) == areSame, sourceLocation: sourceLocation)
  #expect(new._$digest == after._$digest, sourceLocation: sourceLocation)
  #expect(decoded._$digest == after._$digest, sourceLocation: sourceLocation)
  #expect((new._$digest == old._$digest) == areSame, sourceLocation: sourceLocation)

  var unchanged = CBOREncoder()
  #expect(!decoded.encodeDelta(from: new, to: &unchanged), sourceLocation: sourceLocation)
  #expect(unchanged.bytes.isEmpty, sourceLocation: sourceLocation)

  let delta = new.delta(from: old)
  #expect((delta == nil) == areSame, sourceLocation: sourceLocation)
  #expect(try after.delta(from: before, in: document) == delta, sourceLocation: sourceLocation)
  guard let delta else { return }
  let copy = try State(encoded: oldBytes).applying(delta: delta)
  #expect(copy.encoded() == newBytes, sourceLocation: sourceLocation)
  #expect(copy._$digest == after._$digest, sourceLocation: sourceLocation)
  #expect(try old.applying(delta: delta).encoded() == newBytes, sourceLocation: sourceLocation)
  #expect(
    try before.applying(delta: delta, in: document) == after,
    sourceLocation: sourceLocation,
  )
  #expect(old.encoded() == oldBytes, sourceLocation: sourceLocation)
}

/// Checks each value against the first one, the previous one and itself, in both directions.
func checkLaws<State: ReplicatedState>(
  _ values: [State],
  sourceLocation: SourceLocation = #_sourceLocation,
) throws {
  for (place, value) in values.enumerated() {
    for other in Set([0, max(0, place - 1), place]) {
      try checkLaws(from: values[other], to: value, sourceLocation: sourceLocation)
      try checkLaws(from: value, to: values[other], sourceLocation: sourceLocation)
    }
  }
}
