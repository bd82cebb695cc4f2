import StoreState
import Testing

/// Checks all guarantees of the protocol for two values of one type.
func check<State: ReplicatedState>(
  from old: State,
  to new: State,
  sourceLocation: SourceLocation = #_sourceLocation,
) throws {
  let (oldBytes, newBytes) = (old.encoded(), new.encoded())
  let areSame = oldBytes == newBytes
  #expect(decodingError(newBytes) == nil, "\(new)", sourceLocation: sourceLocation)

  let decoded = try State(encoded: newBytes)
  #expect(decoded.encoded() == newBytes, "\(new)", sourceLocation: sourceLocation)
  #expect(decoded._$isSame(as: new), "\(new)", sourceLocation: sourceLocation)
  #expect(new._$isSame(as: old) == areSame, "\(old) → \(new)", sourceLocation: sourceLocation)

  let digest = try Digest.of(canonical: newBytes)
  #expect(new._$digest == digest, "\(new)", sourceLocation: sourceLocation)
  #expect(decoded._$digest == digest, "\(new)", sourceLocation: sourceLocation)
  #expect((old._$digest == digest) == areSame, "\(old) → \(new)", sourceLocation: sourceLocation)

  guard let delta = new.delta(from: old) else {
    #expect(areSame, "\(old) → \(new) has no delta", sourceLocation: sourceLocation)
    return
  }
  #expect(!areSame, "\(old) → \(new) has a delta", sourceLocation: sourceLocation)
  #expect(decodingError(delta) == nil, "\(hexText(delta))", sourceLocation: sourceLocation)
  let applied = try old.applying(delta: delta)
  #expect(applied.encoded() == newBytes, "\(old) → \(new)", sourceLocation: sourceLocation)
  let copy = try State(encoded: oldBytes).applying(delta: delta)
  #expect(copy.encoded() == newBytes, "copy of \(old) → \(new)", sourceLocation: sourceLocation)
}

/// Checks all pairs of the given values.
func checkAllPairs<State: ReplicatedState>(
  _ values: [State],
  sourceLocation: SourceLocation = #_sourceLocation,
) throws {
  for old in values {
    for new in values { try check(from: old, to: new, sourceLocation: sourceLocation) }
  }
}
