import Testing

@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// Algorithms of the standard library for collections with mutable or replaceable elements.
@Suite("Algorithms of the standard library on an identified array", .timeLimit(.minutes(1)))
struct IdentifiedArrayAlgorithmTests {
  @Test("Elements are inserted and removed as in any range-replaceable collection")
  func replacing() {
    var rows: Rows = .narrow(0..<4)
    rows += [Row(4), Row(5)]
    rows.insert(contentsOf: [Row(10), Row(11)], at: 1)
    #expect(rows.ids == [0, 10, 11, 1, 2, 3, 4, 5])
    rows.removeFirst(2)
    rows.removeLast(1)
    rows.removeSubrange(1...2)
    #expect(rows.ids == [11, 3, 4])
    rows.replaceSubrange(0..<2, with: [Row(7), Row(8), Row(9)])
    #expect(rows.ids == [7, 8, 9, 4])
    #expect((rows + [Row(1)]).ids == [7, 8, 9, 4, 1])
    expectSound(rows, [7, 8, 9, 4].map { Row($0) })
  }

  @Test("An element with an existing id is not duplicated")
  func knownIDs() {
    var rows: Rows = .narrow(0..<4)
    rows.replaceSubrange(0..<1, with: [Row(3, "new"), Row(5), Row(5, "newer")])
    expectSound(rows, [Row(5, "newer"), Row(1), Row(2), Row(3, "new")])
    rows += [Row(1, "other")]
    #expect(rows[id: 1]?.title == "")
    rows.insert(contentsOf: [Row(2, "new"), Row(6)], at: 0)
    expectSound(rows, [Row(6), Row(5, "newer"), Row(1), Row(2, "new"), Row(3, "new")])
  }

  @Test("It can be created from itself, from a slice and from any sequence")
  func making() {
    let rows: Rows = .narrow(0..<9)
    #expect(Rows(rows) == rows)
    let part = Rows(rows[2..<5])
    expectSound(part, (2..<5).map { Row($0) })
    #expect(Rows(rows.prefix(0)).isEmpty)
    #expect(Rows([Row(1), Row(2), Row(1, "again")]) == [Row(1), Row(2)])
  }

  @Test("Algorithms without knowledge of ids keep it valid", arguments: 0..<20 as Range<UInt64>)
  func algorithms(seed: UInt64) {
    func work(_ rows: inout some MutableCollection<Row> & RandomAccessCollection<Row>) {
      var random = SeededRandom(seed)
      let order: [Int: UInt64] = Dictionary(
        uniqueKeysWithValues: (0..<40).map { ($0, random.next()) }
      )
      func isBefore(_ one: Row, _ other: Row) -> Bool {
        order[one.id, default: 0] < order[other.id, default: 0]
      }
      rows.sort(by: isBefore)
      rows.reverse()
      rows.shuffle(using: &random)
      let third = rows.index(rows.startIndex, offsetBy: 13)
      rows[third...].sort(by: isBefore)
      rows[..<third].reverse()
      rows[third...].shuffle(using: &random)
      rows.swapAt(rows.startIndex, third)
      for index in rows.indices { rows[index].isCompleted.toggle() }
    }
    var rows: Rows = .narrow(0..<40)
    var plain = (0..<40).map { Row($0) }
    work(&rows)
    work(&plain)
    expectSound(rows, plain)
  }

  @Test("Its parts can be partitioned")
  func partition() {
    var rows: Rows = .narrow(0..<10)
    let pivot = rows[2..<8].partition { $0.id % 2 == 0 }
    #expect(rows[2..<pivot].allSatisfy { $0.id % 2 == 1 })
    #expect(rows[pivot..<8].allSatisfy { $0.id % 2 == 0 })
    #expect(Set(rows.ids) == Set(0..<10))
    expectSound(rows, Array(rows))
  }
}
