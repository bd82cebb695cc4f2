import Testing

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

@Suite("Keys that are equal in Swift but have different bytes")
struct TwinKeyLawTests {
  private let composed = "62 c3a9"
  private let decomposed = "63 65cc81"

  /// Applies a delta to a dictionary, a map, and their generic value.
  private func refused(_ delta: String) {
    let (one, other) = (["é": [1]], PersistentMap(["é": [1]]))
    #expect(one.encoded() == other.encoded())
    let document = SchemaRegistry.document(for: [String: [Int]].self)
    let errors = [
      #expect(throws: CodecError.self, "\(delta)") { try one.applying(delta: hex(delta)) },
      #expect(throws: CodecError.self, "\(delta)") { try other.applying(delta: hex(delta)) },
      #expect(throws: CodecError.self, "\(delta)") {
        try GenericValue(encoded: one.encoded()).applying(delta: hex(delta), in: document)
      },
    ]
    for error in errors { #expect(error?.code == .deltaMismatch) }
  }

  @Test("Only a key's own bytes remove or change it")
  func keys() throws {
    refused("a1 00 81 \(decomposed)")
    refused("a1 02 82 \(decomposed) 83 00 00 81 05")
    refused("a1 01 82 \(composed) 80")
    let changed = try PersistentMap(["é": [1]]).applying(
      delta: hex("a1 02 82 \(composed) 83 00 01 81 05")
    )
    #expect(changed == ["é": [5]])
    let replaced = try PersistentMap(["é": [1]]).applying(
      delta: hex("a2 00 81 \(composed) 01 82 \(decomposed) 80")
    )
    #expect(replaced.encoded() == ["e\u{301}": [Int]()].encoded())
  }

  @Test("Only an element's own bytes remove it, and an equal element is not inserted")
  func elements() throws {
    for delta in ["a1 00 81 \(decomposed)", "a1 01 81 \(decomposed)", "a1 01 81 \(composed)"] {
      let one = #expect(throws: CodecError.self) {
        try Set(["é"]).applying(delta: hex(delta))
      }
      let other = #expect(throws: CodecError.self) {
        try PersistentSet(["é"]).applying(delta: hex(delta))
      }
      #expect(one?.code == .deltaMismatch && other?.code == .deltaMismatch)
    }
  }

  @Test("Deltas exist between all of some sets and dictionaries with twins")
  func ways() throws {
    let keys: [[String]] = [[], ["é"], ["e\u{301}"], ["é", "b"], ["e\u{301}", "b"], ["b"]]
    let sets = keys.map { Set($0) }
    let tables = keys.map { Dictionary(uniqueKeysWithValues: $0.map { ($0, [$0]) }) }
    for old in keys.indices {
      for new in keys.indices {
        try check(from: sets[old], to: sets[new])
        try check(from: PersistentSet(sets[old]), to: PersistentSet(sets[new]))
        try check(from: tables[old], to: tables[new])
        try check(from: PersistentMap(tables[old]), to: PersistentMap(tables[new]))
      }
    }
  }

  @Test("Maps and sets whose keys differ from themselves, and zeros of both signs")
  func floats() throws {
    let keys: [[Double]] = [
      [], [.nan], [.nan, .nan], [0], [-0.0], [0, .nan, 1], [-0.0, .nan, 1], [1, .infinity],
    ]
    let tables = keys.map { keys in
      var table: [Double: [Int]] = [:]
      for (place, key) in keys.enumerated() { table[key] = [place] }
      return table
    }
    for old in keys.indices {
      for new in keys.indices {
        try check(from: PersistentMap(tables[old]), to: PersistentMap(tables[new]))
        try check(from: PersistentSet(keys[old]), to: PersistentSet(keys[new]))
        try check(from: Set(keys[old]), to: Set(keys[new]))
        try check(from: tables[old], to: tables[new])
      }
    }
  }
}
