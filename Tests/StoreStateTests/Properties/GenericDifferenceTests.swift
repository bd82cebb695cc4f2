import Testing

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// The deltas of the generic twin match those of typed values.
@Suite(.timeLimit(.minutes(3))) struct GenericDifferenceTests {
  @Test(
    "A generic delta leads from the old value to the new one, for random schemas",
    arguments: 0..<150 as Range<UInt64>,
  )
  func genericDifference(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let schema = try RandomSchema(&random).identified()
    for _ in 0..<20 {
      let old = schema.value(&random)
      try old.validate(against: schema.document)
      let new = random.chance(2) ? schema.mutated(old, &random) : schema.value(&random)
      let delta = try new.delta(from: old, in: schema.document)
      #expect((delta == nil) == (old == new))
      guard let delta else { continue }
      #expect(decodingError(delta) == nil)
      #expect(try old.applying(delta: delta, in: schema.document) == new)
    }
  }

  @Test("A generic delta has the bytes of the typed one", arguments: 0..<60 as Range<UInt64>)
  func genericDifferenceOfTypes(seed: UInt64) throws {
    var random = SeededRandom(seed)
    var old = AllKinds.random(&random)
    for _ in 0..<20 {
      var new = old
      for _ in 0..<Int.random(in: 0...4, using: &random) { new.mutate(&random) }
      let generic = try GenericValue(encoded: new.encoded())
        .delta(from: GenericValue(encoded: old.encoded()), in: AllKinds.document)
      #expect(generic.map(hexText) == new.delta(from: old).map(hexText))
      old = new
    }
  }
}
