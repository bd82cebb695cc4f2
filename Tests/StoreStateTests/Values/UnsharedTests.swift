import Testing

@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// Bytes that a delta omits although the two values do not share their memory.
@Suite struct UnsharedTests {
  private func unshared<State: ReplicatedState>(from old: State, to new: State) -> Int {
    var encoder = CBOREncoder()
    _ = new.encodeDelta(from: old, to: &encoder)
    return encoder.unshared
  }

  @Test("A spliced text has its own copy of the other bytes")
  func text() {
    let old = String(repeating: "a", count: 1000)
    #expect(unshared(from: old, to: old + "b") == 1000)
    #expect(unshared(from: old, to: old) == 0)
    #expect(unshared(from: "", to: old) == 0)
  }

  @Test("An array, a set and a dictionary have their own places for all elements")
  func collections() {
    let numbers = Array(0..<100)
    #expect(unshared(from: numbers, to: Array(numbers.dropLast()) + [7]) == 99 * 8)
    #expect(unshared(from: Set(numbers), to: Set(0..<101)) == 101 * 8)
    let names = Dictionary(uniqueKeysWithValues: numbers.map { ($0, "\($0)") })
    var changed = names
    changed[5] = "five"
    #expect(unshared(from: names, to: changed) == 100 * 24)
    #expect(unshared(from: names, to: names) == 0)
  }

  @Test("Unshared bytes inside of elements, values and rows are counted")
  func nested() {
    let (old, new) = (String(repeating: "a", count: 1000), String(repeating: "a", count: 1001))
    #expect(unshared(from: [old], to: [new]) == 1000)
    #expect(unshared(from: [1: old], to: [1: new]) == 1000 + 24)
    let map = PersistentMap(uniqueKeysWithValues: [(1, old)])
    var changed = map
    changed[1] = new
    #expect(unshared(from: map, to: changed) == 1000)
  }
}
