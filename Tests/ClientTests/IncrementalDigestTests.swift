import GenericState
import StoreState
import Testing

@testable import StoreReplication

@Suite("The digest of a value that changes little by little")
struct IncrementalDigestTests {
  private func row(_ id: UInt64, _ title: String) throws -> GenericValue {
    try #require(
      .map(sorting: [.init(.text("id"), .unsigned(id)), .init(.text("title"), .text(title))])
    )
  }

  private func state(_ rows: [GenericValue], _ filter: String) throws -> GenericValue {
    try #require(
      .map(sorting: [.init(.text("items"), .array(rows)), .init(.text("filter"), .text(filter))])
    )
  }

  @Test("It is the digest of the value, whatever the value was before")
  func anyPair() throws {
    let (a, b, c) = (try row(1, "a"), try row(2, "b"), try row(3, "c"))
    let values: [GenericValue] = [
      .null, .unsigned(3), .text("x"), .array([]), .array([a]), .array([a, b, c]),
      .array([a, c]), .array([c, b, a]), .array([b, a, b]), .set(sorting: [a, b]), a,
      .map([]), try state([], "all"), try state([a, b], "all"), try state([a, b, c], "done"),
      .array([try state([a], "all")]),
    ]
    for old in values {
      for new in values {
        var digest = IncrementalDigest(old)
        #expect(digest.digest == old.digest)
        digest.update(to: new)
        #expect(digest.digest == new.digest, "from \(old) to \(new)")
      }
    }
  }

  @Test("It follows a list that is edited", arguments: 1...20 as ClosedRange<UInt64>)
  func edits(seed: UInt64) throws {
    var rows: [GenericValue] = []
    var digest = IncrementalDigest(try state(rows, "all"))
    // A small generator of the test's own, so that a failure comes again.
    var random = seed
    func next(_ limit: Int) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33) % limit
    }
    for step in 0..<200 as Range<UInt64> {
      switch next(4) {
      case 0 where !rows.isEmpty: rows.remove(at: next(rows.count))
      case 1 where !rows.isEmpty: rows[next(rows.count)] = try row(step, "changed")
      case 2 where rows.count > 1: rows.swapAt(next(rows.count), next(rows.count))
      default: rows.insert(try row(step, "new"), at: next(rows.count + 1))
      }
      let value = try state(rows, next(2) == 0 ? "all" : "done")
      digest.update(to: value)
      #expect(digest.digest == value.digest)
    }
  }
}
