import Foundation
import Testing

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// Long texts and byte strings change by splices; PROTOCOL.md §3.
@Suite(.timeLimit(.minutes(3))) struct SpliceTests {
  private let pad = String(repeating: "0123456789", count: 4)

  @Test("A long text changes by one splice: place, bytes removed, text inserted")
  func form() {
    #expect((pad + "b").delta(from: pad + "a") == hex("83 18 28 01 61 62"))
    #expect((pad + "a").delta(from: pad) == hex("83 18 28 00 61 61"))
    #expect(("é" + pad).delta(from: pad) == hex("83 00 00 62 c3a9"))
    #expect(Data(pad.utf8 + [1]).delta(from: Data(pad.utf8 + [2])) == hex("83 18 28 01 41 01"))
    #expect(pad.delta(from: pad) == nil)
  }

  @Test("A text is spliced if that saves 32 bytes")
  func threshold() throws {
    for count in 0...80 {
      let old = String(repeating: "x", count: count)
      let delta = try #require((old + "y").delta(from: old))
      let whole = (old + "y").encoded()
      // An array header, place, removed, and a text of one byte.
      let splice = 1 + UInt64(count).encoded().count + 1 + 2
      let isSpliced = whole.count - splice >= 32
      #expect(delta.count == (isSpliced ? splice : whole.count), "\(count)")
      #expect(delta[0] == (isSpliced ? 0x83 : whole[0]), "\(count)")
    }
  }

  @Test("Deltas exist between all texts of some scalars")
  func allSmallCases() throws {
    let cores = ["", "a", "é", "è", "e\u{301}", "𝄞", "𝄢", "水", "氵", "aé", "éa", "éé", "𝄞é", "é𝄞"]
    let texts = cores.map { pad + $0 + pad } + cores.map { $0 + pad } + cores.map { pad + $0 }
    try checkAllPairs(texts)
    try checkAllPairs(texts.map { Data($0.utf8) })
    for old in texts {
      for new in texts {
        let generic = try GenericValue.text(new).delta(from: .text(old), in: document)
        #expect(generic == new.delta(from: old))
      }
    }
  }

  private let document = SchemaRegistry.document(for: String.self)

  @Test("A slice of Data is spliced by its own indices")
  func slices() throws {
    let whole = Data([9, 9] + pad.utf8)
    let slice = whole[2...]
    let new = Data(pad.utf8 + [1])
    #expect(try slice.applying(delta: #require(new.delta(from: slice))) == new)
  }

  @Test("Splices apply in order")
  func several() throws {
    #expect(try "abc".applying(delta: hex("82 83 00 01 60 83 01 01 62 c3a9")) == "bé")
    #expect(try Data([1, 2]).applying(delta: hex("81 83 00 01 40")) == Data([2]))
  }

  @Test(
    "A splice that does not fit is rejected",
    arguments: [
      ("83 04 00 60", "the place 4 is outside"), ("83 03 01 60", "the number of bytes 1"),
      ("83 01 00 60", "cuts a character"), ("83 00 01 60", "cuts a character"),
      ("82 00 00", "expected a splice as an array of 3"), ("80", "expected a splice"),
      ("83 00 00 40", "expected text"), ("83 00 00 61 ff", "not UTF-8"),
      ("83 1bffffffffffffffff 00 60", "outside"), ("83 00 1bffffffffffffffff 60", "outside"),
      ("83 20 00 60", "expected an integer of 0 or more"), ("f6", "expected text"),
      ("82 83 00 02 60 83 02 00 60", "the place 2 is outside"),
    ],
  )
  func refusals(delta: String, message: String) throws {
    let typed = #expect(throws: CodecError.self) { try "éa".applying(delta: hex(delta)) }
    #expect(typed?.description.contains(message) == true, "\(String(describing: typed))")
    let generic = #expect(throws: CodecError.self) {
      try GenericValue.text("éa").applying(delta: hex(delta), in: document)
    }
    #expect(generic == typed)
    guard message != "expected text" else { return }
    #expect(throws: CodecError.self) { try Data("éa".utf8).applying(delta: hex(delta)) }
  }
}
