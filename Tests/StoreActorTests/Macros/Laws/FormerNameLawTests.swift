import StoreActor
import StoreState
import Testing

@ObservableState
private struct Renamed: Equatable, ReplicatedState {
  @Replicated(formerly: "zz") var a = 0
  @Replicated(formerly: "aaa") var bb = 0
  var m = 0
}

@ObservableState
private struct Former: Equatable, ReplicatedState {
  var m = 0
  var zz = 0
  var aaa = 0
}

@Suite("Former names")
struct FormerNameLawTests {
  private func bytes(_ entries: [(String, Int)]) -> [UInt8] {
    var encoder = CBOREncoder()
    encoder.mapHeader(entries.count)
    for (name, value) in entries {
      encoder.encode(text: name)
      encoder.encode(signed: Int64(value))
    }
    return encoder.bytes
  }

  @Test("Every mixture of old and new names is read, in the order of their bytes")
  func mixtures() throws {
    for a in ["a", "zz"] {
      for bb in ["bb", "aaa"] {
        let entries = [(a, 1), (bb, 2), ("m", 3)].sorted {
          ($0.0.utf8.count, $0.0) < ($1.0.utf8.count, $1.0)
        }
        #expect(try Renamed(encoded: bytes(entries)) == Renamed(a: 1, bb: 2, m: 3), "\(entries)")
        // Any other order is refused.
        for (one, other) in [(0, 1), (1, 2), (0, 2)] {
          var shuffled = entries
          shuffled.swapAt(one, other)
          #expect(throws: CodecError.self, "\(shuffled)") {
            try Renamed(encoded: bytes(shuffled))
          }
        }
      }
    }
    #expect(
      try Renamed(encoded: Former(m: 3, zz: 1, aaa: 2).encoded()) == Renamed(a: 1, bb: 2, m: 3)
    )
  }

  @Test("A field that occurs twice, or under both its names, is refused in any position")
  func twice() {
    for entries in [
      [("a", 1), ("m", 3), ("bb", 2), ("zz", 4)], [("m", 3), ("bb", 2), ("zz", 4), ("zz", 4)],
      [("a", 1), ("m", 3), ("bb", 2), ("aaa", 4)], [("a", 1), ("a", 1), ("m", 3), ("bb", 2)],
    ] {
      #expect(throws: CodecError.self, "\(entries)") { try Renamed(encoded: bytes(entries)) }
    }
  }

  @Test("A missing field has its default, independent of the names of the others")
  func missing() throws {
    #expect(try Renamed(encoded: bytes([])) == Renamed())
    #expect(try Renamed(encoded: bytes([("zz", 1)])) == Renamed(a: 1))
    #expect(try Renamed(encoded: bytes([("m", 3), ("aaa", 2)])) == Renamed(bb: 2, m: 3))
  }
}
