import Foundation
import Testing

@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

@Suite("Building rows", .timeLimit(.minutes(1)))
struct RowBuilderTests {
  private static let counts = [0, 1, 2, 3, 4, 15, 16, 17, 32, 33, 256, 257, 300]

  @Test("The tree does not depend on the expected number of rows", arguments: counts)
  func expectations(count: Int) {
    let plain = (0..<count).map { Row($0) }
    for expected in [0, 1, count / 2, count, count + 1, count * 2 + 40] {
      for widths in [TreeWidths.standard(for: Row.self), narrow] {
        let identity = Rows(widths: widths).tree.identity
        var builder = RowTreeBuilder(identity: identity, reserving: expected)
        for row in plain { builder.append(row) }
        let rows = Rows(tree: builder.finish { _, id in Issue.record("\(id) occurs once") })
        expectSound(rows, plain)
        #expect(plain.allSatisfy { rows.index(id: $0.id) == $0.id })
        #expect(rows.index(id: count) == nil && rows.index(id: -1) == nil)
      }
    }
  }

  @Test("The first row with a duplicate id is reported", arguments: 0..<12)
  func duplicates(seed: UInt64) {
    var random = SeededRandom(seed)
    let count = Int.random(in: 2...400, using: &random)
    var ids = Array(0..<count)
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      ids[Int.random(in: 0..<count, using: &random)] = Int.random(in: 0..<count, using: &random)
    }
    var known: Set<Int> = []
    let expected = ids.firstIndex { !known.insert($0).inserted }
    #expect(firstDuplicate(ids.map { Row($0) }, like: Rows()) == expected)
    #expect(firstDuplicate(ids.map { Row($0) }, like: Rows(widths: narrow)) == expected)
    let colliding = ids.prefix(60).map { CollidingRow($0) }
    #expect(
      firstDuplicate(colliding, like: IdentifiedArrayOf<CollidingRow>())
        == expected.flatMap { $0 < 60 ? $0 : nil }
    )
  }

  private func firstDuplicate<ID, Element>(
    _ elements: [Element],
    like array: IdentifiedArray<ID, Element>,
  ) -> Int? {
    var builder = RowTreeBuilder(identity: array.tree.identity, reserving: elements.count)
    for element in elements { builder.append(element) }
    var found: Int?
    _ = builder.finish { position, _ in found = position }
    return found
  }

  @Test("Rows of a discarded builder are released")
  func givenUp() {
    final class Token {}
    struct Holder: Identifiable {
      let id: Int
      let token: Token
    }
    weak var last: Token?
    do {
      var builder = RowTreeBuilder(identity: IdentifiedArrayOf<Holder>().tree.identity)
      for id in 0..<40 {
        let token = Token()
        last = token
        builder.append(Holder(id: id, token: token))
      }
      #expect(last != nil)
    }
    #expect(last == nil)
  }

  @Test("Pairs are sorted, evenly spread or not", arguments: 0..<20)
  func sorting(seed: UInt64) {
    var random = SeededRandom(seed)
    let count = Int.random(in: 0...(seed < 15 ? 3_000 : 20_000), using: &random)
    let mask: UInt64 = [.max, .max << 32, 0xffff_ffff, 0x3ff_ffff_ffff, 0xff << 56][Int(seed % 5)]
    var pairs = (0..<count).map { _ in UInt64.random(in: 0 ... .max, using: &random) & mask }
    let expected = pairs.sorted()
    HashIndex.sort(&pairs)
    #expect(pairs == expected)
    HashIndex.sort(&pairs)
    #expect(pairs == expected)
  }

  @Test("Consecutive ids have spread hashes, and equal ids have equal hashes")
  func hashes() {
    let numbers = (0..<4_000).map { hash($0) }
    let uuids = (0..<4_000).map { hash(uuid($0)) }
    let texts = (0..<4_000).map { hash("\($0)") }
    for hashes in [numbers, uuids, texts] {
      #expect(Set(hashes).count > 3_990)
      // The bits that lead to a leaf, and those that distinguish its rows.
      for parts in [hashes.map { $0 >> 28 }, hashes.map { $0 & 15 }] {
        let sizes = Dictionary(grouping: parts) { $0 }.values.map(\.count)
        #expect(sizes.count == 16)
        #expect(sizes.allSatisfy { (125...500).contains($0) }, "\(sizes)")
      }
    }
    #expect(uuids == (0..<4_000).map { hash(uuid($0)) })
    #expect(hash("e\u{301}") == hash("é"))
  }

  private func hash<ID: Hashable>(_ id: ID) -> UInt32 {
    withUnsafePointer(to: id) { IDHash.hash($0, seed: IDHash.seed) }
  }

  private func uuid(_ number: Int) -> UUID {
    UUID(
      uuid: (
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number >> 8), UInt8(number & 255),
      )
    )
  }

  @Test("Rows with a UUID or a text as their id are found, changed and removed", arguments: 0..<2)
  func kindsOfIDs(seed: UInt64) {
    check(seed) { number in
      var row = UUIDRow()
      row.id = uuid(number)
      return row
    }
    check(seed) { NamedRow("a name that is no small text, number \($0)", $0) }
  }

  /// Compares a few hundred operations with the same ones on a plain array.
  private func check<Element: Identifiable & Equatable>(
    _ seed: UInt64,
    _ make: (Int) -> Element,
  ) {
    var random = SeededRandom(seed)
    var plain = (0..<Int.random(in: 0...300, using: &random)).map(make)
    var rows = IdentifiedArrayOf<Element>(uniqueElements: plain)
    for _ in 0..<200 {
      let row = make(Int.random(in: 0..<350, using: &random))
      let place = plain.firstIndex { $0.id == row.id }
      #expect(rows.index(id: row.id) == place)
      #expect(rows[id: row.id] == place.map { plain[$0] })
      if let place, random.chance(2) {
        #expect(rows.remove(id: row.id) == plain.remove(at: place))
      } else if place == nil {
        rows.append(row)
        plain.append(row)
      }
    }
    #expect(Array(rows) == plain)
    #expect(rows.tree.faults().isEmpty)
  }
}
