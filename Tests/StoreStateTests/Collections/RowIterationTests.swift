import Testing

@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

@Suite("Iterating over rows", .timeLimit(.minutes(1)))
struct RowIterationTests {
  /// Counts around the limits of leaves, branches and levels.
  private static let counts = [
    0, 1, 2, 4, 5, 15, 16, 17, 31, 32, 33, 255, 256, 257, 4_095, 4_096, 4_097, 5_000,
  ]

  @Test("Every iteration of an array matches that of a plain array", arguments: counts)
  func everyWay(count: Int) {
    let plain = (0..<count).map { Row($0, "\($0)", isCompleted: $0 % 3 == 0) }
    expectSameWays(Rows(uniqueElements: plain), plain)
    if count < 300 {
      var rows = Rows(widths: narrow)
      rows.fill(with: plain)
      expectSameWays(rows, plain)
    }
  }

  @Test("Every iteration matches after changes to leaves of all sizes", arguments: 0..<4)
  func unevenLeaves(seed: UInt64) {
    var random = SeededRandom(seed)
    var plain = (0..<400).map { Row($0) }
    var rows = seed % 2 == 0 ? Rows(uniqueElements: plain) : Rows.narrow(0..<400)
    for step in 0..<200 {
      let place = Int.random(in: 0..<plain.count, using: &random)
      if random.chance(2) {
        rows.remove(at: place)
        plain.remove(at: place)
      } else {
        rows.insert(Row(400 + step), at: place)
        plain.insert(Row(400 + step), at: place)
      }
    }
    expectSameWays(rows, plain)
  }

  private func expectSameWays(
    _ rows: Rows,
    _ plain: [Row],
    sourceLocation: SourceLocation = #_sourceLocation,
  ) {
    var visited: [Row] = []
    for row in rows { visited.append(row) }
    func visit(_ row: Row) { visited.append(row) }
    rows.forEach(visit)
    #expect(visited == plain + plain, sourceLocation: sourceLocation)
    #expect(Array(rows) == plain, sourceLocation: sourceLocation)
    #expect(Array(rows.elements) == plain, sourceLocation: sourceLocation)
    #expect(rows.elements.map(\.id) == plain.map(\.id), sourceLocation: sourceLocation)
    #expect(Array(rows.ids) == plain.map(\.id), sourceLocation: sourceLocation)
    #expect(rows.map(\.title) == plain.map(\.title), sourceLocation: sourceLocation)
    #expect(rows.reduce(0) { $0 + $1.id } == plain.reduce(0) { $0 + $1.id })
    #expect(rows.lazy.filter(\.isCompleted).count == plain.lazy.filter(\.isCompleted).count)
    #expect(Array(rows.filter(\.isCompleted)) == plain.filter(\.isCompleted))
    #expect(Array(rows.reversed()) == plain.reversed(), sourceLocation: sourceLocation)
    for length in [0, 1, plain.count / 2, plain.count] {
      #expect(Array(rows.prefix(length)) == Array(plain.prefix(length)))
      #expect(Array(rows.dropFirst(length)) == Array(plain.dropFirst(length)))
    }
    for target in [plain.first, plain.last, plain.dropFirst(plain.count / 2).first] {
      let place = plain.firstIndex { $0.id == target?.id }
      #expect(rows.firstIndex { $0.id == target?.id } == place, sourceLocation: sourceLocation)
      #expect(target.map { rows.contains($0) } != false, sourceLocation: sourceLocation)
    }
    #expect(rows.firstIndex { $0.id < 0 } == nil, sourceLocation: sourceLocation)
    if let stored = rows.withContiguousStorageIfAvailable({ Array($0) }) {
      #expect(stored == plain, sourceLocation: sourceLocation)
    }
    #expect(rows.tree.height > 0 || rows.withContiguousStorageIfAvailable(\.count) == plain.count)
  }

  @Test("Copying into memory that is too small returns the rest as an iterator", arguments: counts)
  func partialCopies(count: Int) {
    let rows = Rows(ids: 0..<count)
    for room in Set([0, 1, 15, 16, 17, count / 2, count, count + 3]) {
      let target = UnsafeMutableBufferPointer<Row>.allocate(capacity: room)
      var (rest, copied) = rows._copyContents(initializing: target)
      #expect(copied == min(room, count))
      #expect(target[..<copied].map(\.id) == Array(0..<copied))
      #expect((copied..<count).allSatisfy { rest.next()?.id == $0 })
      #expect(rest.next() == nil)
      target[..<copied].deinitialize()
      target.deallocate()
    }
  }

  @Test("An iterator continues over the rows at its creation")
  func changesMeanwhile() {
    for count in [3, 100, 1_000] {
      var rows = Rows(ids: 0..<count)
      var iterator = rows.makeIterator()
      var seen: [Int] = []
      while let row = iterator.next() {
        seen.append(row.id)
        rows[id: row.id]?.title = "changed"
        rows.remove(id: row.id / 2)
      }
      #expect(seen == Array(0..<count))
      #expect(iterator.next() == nil)
    }
  }

  @Test("An error of a closure ends the iteration")
  func errors() {
    struct Stop: Error, Equatable { var id: Int }
    var visited = 0
    #expect(throws: Stop(id: 40)) {
      _ = try Rows(ids: 0..<100).map { row throws(Stop) in
        visited += 1
        if row.id == 40 { throw Stop(id: 40) }
      }
    }
    #expect(visited == 41)
    #expect(throws: Stop(id: 7)) {
      _ = try Rows(ids: 0..<100).filter { if $0.id == 7 { throw Stop(id: 7) } else { true } }
    }
  }
}
