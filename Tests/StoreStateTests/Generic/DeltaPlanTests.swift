import Testing

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

@Suite("Delta plans", .timeLimit(.minutes(1)))
struct DeltaPlanTests {
  private let plan = DeltaPlan(AllKinds.document.root, in: AllKinds.document)

  private func planned(
    _ value: GenericValue,
    _ delta: [UInt8],
    by plan: DeltaPlan,
  ) -> Result<GenericValue, CodecError> {
    Result { () throws(CodecError) in
      var value = value
      var decoder = CBORDecoder(delta)
      try plan.apply(&decoder, to: &value)
      try decoder.finish()
      return value
    }
  }

  /// Compares a delta's result by the document with that by the plan, also inside of an optional.
  private func compare(_ old: GenericValue, _ delta: [UInt8]) {
    let wanted = Result { () throws(CodecError) in
      try old.applying(delta: delta, in: AllKinds.document)
    }
    let wrapped = DeltaPlan(.optional(AllKinds.document.root), in: AllKinds.document)
    for found in [
      planned(old, delta, by: plan), planned(old, [0x82, 0x01] + delta, by: wrapped),
    ] {
      switch (wanted, found) {
      case (.success(let wanted), .success(let found)):
        #expect(wanted.encoded() == found.encoded(), "\(hexText(delta))")
      case (.failure(let wanted), .failure(let found)):
        #expect(wanted.path == found.path, "\(hexText(delta))")
      default:
        Issue.record("the document: \(wanted), the plan: \(found), for \(hexText(delta))")
      }
    }
  }

  @Test("For random edits they match a document's result", arguments: 0..<40 as Range<UInt64>)
  func edits(seed: UInt64) throws {
    var random = SeededRandom(seed)
    var value = AllKinds.random(&random)
    for _ in 0..<20 {
      let old = value
      for _ in 0..<Int.random(in: 1...4, using: &random) { value.mutate(&random) }
      guard let delta = value.delta(from: old) else { continue }
      compare(try GenericValue(encoded: old.encoded()), delta)
    }
  }

  @Test("They reject the same deltas at the same place", arguments: 0..<20 as Range<UInt64>)
  func damaged(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let (old, new) = (AllKinds.random(&random), AllKinds.random(&random))
    guard let delta = new.delta(from: old) else { return }
    let generic = try GenericValue(encoded: old.encoded())
    for _ in 0..<200 {
      var damaged = delta
      for _ in 0...Int.random(in: 0...2, using: &random) {
        let place = Int.random(in: 0..<damaged.count, using: &random)
        damaged[place] = UInt8.random(in: 0...255, using: &random)
      }
      compare(generic, damaged)
    }
  }

  @Test("Every beginning of a delta is refused")
  func truncated() throws {
    var random = SeededRandom(5)
    let (old, new) = (AllKinds.random(&random), AllKinds.random(&random))
    let delta = try #require(new.delta(from: old))
    let generic = try GenericValue(encoded: old.encoded())
    for length in 0..<delta.count {
      #expect(throws: CodecError.self) {
        try planned(generic, Array(delta[..<length]), by: plan).get()
      }
    }
  }

  @Test("A record that contains itself has a plan, and null is set and removed")
  func recursive() throws {
    let definitions: [String: Definition] = [
      "Node": .record([.init("long name", .int64), .init("next", .optional(.named("Node")))])
    ]
    let document = try SchemaDocument(root: .named("Node"), definitions: definitions)
    let plan = DeltaPlan(.optional(.named("Node")), in: document)
    func node(_ number: UInt64, _ next: GenericValue) -> GenericValue {
      .map([
        .init(.text("next"), next), .init(.text("long name"), .unsigned(number)),
      ])
    }
    let old = node(1, node(2, .null))
    let change = try planned(old, hex("82 01 a1 01 82 01 a1 00 07"), by: plan).get()
    #expect(change == node(1, node(7, .null)))
    let inside = try planned(old, hex("82 01 a1 01 f6"), by: plan).get()
    #expect(inside == node(1, .null))
    #expect(try planned(old, hex("f6"), by: plan).get() == .null)
    #expect(try planned(.null, [0x82, 0x00] + old.encoded(), by: plan).get() == old)
  }

  @Test("A prepared value is equal and changes equally", arguments: 0..<20 as Range<UInt64>)
  func prepared(seed: UInt64) throws {
    var random = SeededRandom(seed)
    var value = AllKinds.random(&random)
    let old = try GenericValue(encoded: value.encoded())
    var prepared = old
    try plan.prepare(&prepared)
    #expect(prepared == old && prepared._$digest == value._$digest)
    for _ in 0..<4 { value.mutate(&random) }
    guard let delta = try value.delta(from: AllKinds(encoded: old.encoded())) else { return }
    #expect(try planned(prepared, delta, by: plan).get().encoded() == value.encoded())
  }

  @Test("A value that is not of the schema gives an error, not a trap")
  func wrongValue() {
    for value in [GenericValue.unsigned(4), .array([]), .map([]), .text("x")] {
      for index in 0..<24 as Range<UInt8> {
        #expect(throws: CodecError.self) {
          try planned(value, [0xa1, index, 0x00], by: plan).get()
        }
      }
    }
  }
}
