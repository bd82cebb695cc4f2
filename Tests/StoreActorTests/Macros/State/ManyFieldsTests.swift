import StoreActor
import StoreState
import Testing

/// An unreasonable number of fields, not ordered by name.
@ObservableState
private struct ManyFields: Equatable, ReplicatedState {
  var f00 = 0
  var f01 = ""
  var f02: [Int] = []
  var f03 = 0.5
  var f04 = false
  var f05 = 0
  var f06 = ""
  var f07: [Int] = []
  var f08 = 0.5
  var f09 = false
  var f10 = 0
  var f11 = ""
  var f12: [Int] = []
  var f13 = 0.5
  var f14 = false
  var f15 = 0
  var f16 = ""
  var f17: [Int] = []
  var f18 = 0.5
  var f19 = false
  var f20 = 0
  var f21 = ""
  var f22: [Int] = []
  var f23 = 0.5
  var f24 = false
  var f25 = 0
  var f26 = ""
  var f27: [Int] = []
  var f28 = 0.5
  var f29 = false
  var f30 = 0
  var f31 = ""
  var f32: [Int] = []
  var f33 = 0.5
  var f34 = false
  var f35 = 0
  var f36 = ""
  var f37: [Int] = []
  var f38 = 0.5
  var f39 = false
}

@Suite("A state with many fields")
struct ManyFieldsTests {
  @Test("Forty fields are encoded, alone and together")
  func fields() throws {
    let state = ManyFields()
    #expect(try ManyFields(encoded: state.encoded()) == state)
    var other = state
    other.f39 = true
    #expect(other.delta(from: state) == [0xa1, 0x18, 39, 0xf5])
    other.f00 = 7
    other.f26 = "x"
    let delta = try #require(other.delta(from: state))
    #expect(try state.applying(delta: delta) == other)
    #expect(try Digest.of(canonical: other.encoded()) == other._$digest)
  }

  @Test("A delta of more than 23 changes contains their number")
  func manyChanges() throws {
    var all = ManyFields()
    all.f00 = 9
    all.f01 = "changed"
    all.f02 = [1]
    all.f03 = 0.25
    all.f04 = true
    all.f05 = 9
    all.f06 = "changed"
    all.f07 = [1]
    all.f08 = 0.25
    all.f09 = true
    all.f10 = 9
    all.f11 = "changed"
    all.f12 = [1]
    all.f13 = 0.25
    all.f14 = true
    all.f15 = 9
    all.f16 = "changed"
    all.f17 = [1]
    all.f18 = 0.25
    all.f19 = true
    all.f20 = 9
    all.f21 = "changed"
    all.f22 = [1]
    all.f23 = 0.25
    all.f24 = true
    all.f25 = 9
    all.f26 = "changed"
    all.f27 = [1]
    all.f28 = 0.25
    all.f29 = true
    all.f30 = 9
    all.f31 = "changed"
    all.f32 = [1]
    all.f33 = 0.25
    all.f34 = true
    all.f35 = 9
    all.f36 = "changed"
    all.f37 = [1]
    all.f38 = 0.25
    all.f39 = true
    let delta = try #require(all.delta(from: ManyFields()))
    #expect(delta.prefix(2) == [0xb8, 40])
    #expect(try ManyFields().applying(delta: delta) == all)
  }
}
