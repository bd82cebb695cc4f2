import Testing

@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

@Suite("Row tree", .timeLimit(.minutes(1)))
struct RowTreeTests {
  @Test("Every two operations on every arrangement of up to four rows match those of an array")
  func allSmallCases() throws {
    for mask in 0..<16 {
      for ids in permutations((0..<4).filter { mask >> $0 & 1 == 1 }) {
        let depth = ids.count < 4 ? 2 : 1
        try expectAllOperations(on: Rows.narrow(ids), ids.map { Row($0) }, depth: depth)
      }
    }
  }

  /// Tries all operations, and after each of them all again, on copies that must stay unchanged.
  private func expectAllOperations(on rows: Rows, _ plain: [Row], depth: Int) throws {
    guard depth > 0 else { return }
    var steps = RowOperation.withoutID.map { ($0, 0) }
    for operation in RowOperation.withID { for id in 0..<4 { steps.append((operation, id)) } }
    for (operation, id) in steps {
      var (changed, changedPlain) = (rows, plain)
      operation.apply(id, to: &changed)
      operation.apply(id, to: &changedPlain)
      expectSound(changed, changedPlain)
      #expect((changed == rows) == (changedPlain == plain))
      if let delta = changed.delta(from: rows) {
        #expect(try rows.applying(delta: delta).encoded() == changedPlain.encoded())
      } else {
        #expect(changedPlain.encoded() == plain.encoded())
      }
      try expectAllOperations(on: changed, changedPlain, depth: depth - 1)
    }
    expectSound(rows, plain)
  }

  @Test("Random operations on a high tree, with old versions alive", arguments: 0..<12)
  func highTree(seed: UInt64) throws {
    var random = SeededRandom(seed)
    var plain = (0..<Int.random(in: 0...120, using: &random)).map { Row($0) }
    var rows = Rows.narrow(plain.map(\.id))
    var versions: [(Rows, [Row])] = []
    for step in 0..<400 {
      let (old, grows) = (rows, step % 200 < 100)
      let operation = random.pick(grows ? Self.growing : Self.shrinking)
      let id = Int.random(in: 0..<200, using: &random)
      operation.apply(id, to: &rows)
      operation.apply(id, to: &plain)
      #expect(rows.tree.faults().isEmpty)
      if random.chance(8) {
        versions.append((rows, plain))
        expectSound(rows, plain)
        try checkDelta(from: old, to: rows)
      }
      if random.chance(20), let (old, _) = versions.randomElement(using: &random) {
        try checkDelta(from: old, to: rows)
      }
    }
    for (rows, plain) in versions { expectSound(rows, plain) }
  }

  private static let growing: [RowOperation] = [
    .append, .append, .insertFirst, .insertMiddle, .insertMiddle, .toggle, .replace, .remove,
    .moveFirstToEnd, .swapEnds,
  ]
  private static let shrinking: [RowOperation] = [
    .remove, .remove, .removeFirst, .removeLast, .toggle, .insertMiddle, .moveLastToFront,
    .swapEnds, .assign,
  ]

  @Test("Repeated insertions at one place get labels, for any place")
  func labels() {
    for place in [0.0, 0.3, 0.5, 1.0] {
      var (plain, rows) = ((0..<20).map { Row($0) }, Rows.narrow(0..<20))
      let target = Int(place * 20)
      for id in 20..<600 {
        rows.insert(Row(id), at: target)
        plain.insert(Row(id), at: target)
        if id % 40 == 0 { #expect(rows.tree.faults().isEmpty) }
      }
      expectSound(rows, plain)
    }
  }

  @Test("New first and last leaves get labels until the labels are used up")
  func labelSpace() {
    for label in [0, 1, 2, 70_000, LabelSpace.middle, LabelSpace.end - 2, LabelSpace.end - 1] {
      if label < LabelSpace.end - 1 {
        let next = LabelSpace.label(after: label)
        #expect(next > label && next < LabelSpace.end)
      }
      if label > 0 {
        let previous = LabelSpace.label(before: label)
        #expect(previous < label && previous >= 0)
      }
    }
    #expect(LabelSpace.label(between: 5, 7) == 6)
    for leaves in [1, 2, 1_000, 1 << 20, LabelSpace.middle - 1] {
      let layout = LabelSpace.layout(leaves: leaves)
      #expect(layout.first > 0)
      #expect(layout.first + layout.distance * (leaves - 1) < LabelSpace.end - 1)
    }
  }

  @Test("Labels that are too close at an end are spread again")
  func crowdedEnds() {
    for isFront in [true, false] {
      var rows = Rows.narrow(0..<8)
      // As after a very large number of leaves.
      let branch = unsafeDowncast(rows.tree.root, to: RowBranch.self)
      let slots = isFront ? [0] : [branch.count - 1]
      for slot in slots { branch.entries[slot].label = isFront ? 0 : .max }
      rows.tree.rebuildIndex()
      for id in 8..<40 { rows.insert(Row(id), at: isFront ? 0 : rows.count) }
      #expect(rows.tree.faults().isEmpty)
      #expect(rows.count == 40)
    }
  }

  @Test("Ids with equal hashes are found")
  func collisions() throws {
    typealias Colliding = IdentifiedArrayOf<CollidingRow>
    var random = SeededRandom(3)
    var rows = Colliding(uniqueElements: (0..<150).map { CollidingRow($0) })
    var plain = (0..<150).map { CollidingRow($0) }
    for step in 0..<150 {
      let old = rows
      let id = Int.random(in: 0..<200, using: &random)
      let place = plain.firstIndex { $0.id.rawValue == id }
      #expect(rows.index(id: CollidingID(rawValue: id)) == place)
      if let place, random.chance(2) {
        rows.remove(id: CollidingID(rawValue: id))
        plain.remove(at: place)
      } else {
        rows.updateOrInsert(CollidingRow(id, step), at: 3)
        if let place {
          plain[place].value = step
        } else {
          plain.insert(CollidingRow(id, step), at: 3)
        }
      }
      #expect(Array(rows) == plain)
      #expect(rows.tree.faults().isEmpty)
      if step % 10 == 0 { try checkDelta(from: old, to: rows) }
    }
    #expect(rows._$digest == plain._$digest)
  }

  @Test("Digests do not depend on the history of an array")
  func history() {
    let plain = (0..<60).map { Row($0) }
    var one = Rows.narrow([])
    for row in plain.reversed() { one.insert(row, at: 0) }
    var two = Rows(ids: (0..<100).reversed())
    two.removeAll { $0.id >= 60 }
    two.sort { $0.id < $1.id }
    for rows in [one, two, Rows(ids: 0..<60)] {
      #expect(rows._$digest == plain._$digest)
      #expect(rows == Rows.narrow(0..<60))
      #expect(rows.hashValue == one.hashValue)
      #expect(rows._$isSame(as: one))
      #expect(rows.delta(from: one) == nil)
    }
  }

  @Test("Another process, with other hashes, has the same bytes and digests")
  func otherProcess() async {
    await #expect(processExitsWith: .success) {
      // Fixed values that every process must compute.
      var rows = Rows(ids: 0..<300)
      let old = rows
      rows.move(fromOffsets: [7, 90], toOffset: 200)
      rows.remove(id: 33)
      rows[id: 250]?.isCompleted = true
      let delta = hexText(rows.delta(from: old) ?? [])
      precondition(rows._$digest.description == "aa47295d5b70cd7d", "\(rows._$digest)")
      precondition(delta == "a300811821018418c50718c6185a038218faa102f5", delta)
    }
  }

  @Test("Several threads request digests while others change copies")
  func threads() async {
    let rows = Rows(ids: 0..<5_000)
    let expected = Array(rows)._$digest
    let digests = await withTaskGroup(of: Digest.self) { group in
      for task in 0..<16 {
        group.addTask {
          var copy = rows
          if task % 2 == 1 {
            copy[id: task]?.isCompleted = true
            _ = copy._$digest
            copy[id: task]?.isCompleted = false
          }
          return copy._$digest
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(digests.allSatisfy { $0 == expected })
    #expect(digests.count == 16)
  }
}

@Suite("Row tree: large arrays", .timeLimit(.minutes(1)))
struct LargeRowTreeTests {
  /// Counts the reads of ids; only one test's tree uses it.
  private final class Counter {
    var count = 0
  }

  @Test("The delta of one change reads only a few of 100,000 rows")
  func deltaFollowsChange() throws {
    let counter = Counter()
    var rows = Rows(
      read: { row in
        counter.count += 1
        return row.id
      },
      keyPath: { \Row.id },
    )
    rows.fill(with: (0..<100_000).map { Row($0) })
    var random = SeededRandom(1)
    for step in 0..<30 {
      let old = rows
      let id = Int.random(in: 0..<100_000, using: &random)
      switch step % 3 {
      case 0: rows[id: id]?.isCompleted.toggle()
      case 1: rows.move(fromOffsets: [id], toOffset: id / 2)
      default: rows.insert(Row(100_000 + step), at: id)
      }
      counter.count = 0
      let delta = try #require(rows.delta(from: old))
      #expect(counter.count < 400, "\(counter.count) of 100,000 ids were read")
      #expect(delta.count < 60)
      counter.count = 0
      var copy = old
      var decoder = CBORDecoder(delta[...])
      try copy.applyDelta(from: &decoder)
      #expect(counter.count < 400, "\(counter.count) of 100,000 ids were read")
      #expect(copy == rows)
    }
  }

  @Test("100,000 rows with many changes match a plain array")
  func smoke() throws {
    var random = SeededRandom(2)
    var plain = (0..<100_000).map { Row($0) }
    var rows = Rows(uniqueElements: plain)
    let old = rows
    let oldDigest = rows._$digest
    for _ in 0..<200 {
      let place = Int.random(in: 0..<plain.count, using: &random)
      plain[place].isCompleted.toggle()
      rows[place].isCompleted.toggle()
      let from = Int.random(in: 0..<plain.count, using: &random)
      let to = Int.random(in: 0..<plain.count, using: &random)
      let row = plain.remove(at: from)
      plain.insert(row, at: from < to ? to - 1 : to)
      rows.move(fromOffsets: [from], toOffset: to)
    }
    #expect(rows.tree.faults().isEmpty)
    #expect(rows.elementsEqual(plain))
    #expect(rows._$digest == plain._$digest)
    #expect(old._$digest == oldDigest)
    let delta = try #require(rows.delta(from: old))
    #expect(try old.applying(delta: delta) == rows)
  }
}

@Suite("Heaviest run")
struct HeaviestRunTests {
  @Test("It has the weight of the best choice, and for equal weights it is the specified one")
  func heaviest() {
    var random = SeededRandom(9)
    for _ in 0..<300 {
      let numbers = Array(0..<Int.random(in: 0...7, using: &random)).shuffled(using: &random)
      let weights = numbers.map { _ in Int.random(in: 1...5, using: &random) }
      let items = zip(numbers, weights).map { (number: $0, weight: $1) }
      let places = HeaviestRun.places(in: items)
      let chosen = places.map { numbers[$0] }
      #expect(chosen == chosen.sorted() && places == places.sorted())
      #expect(places.map { weights[$0] }.reduce(0, +) == greatestWeight(numbers, weights))
      let even = HeaviestRun.places(in: numbers.map { (number: $0, weight: 1) })
      #expect(Set(even) == LongestIncreasingRun.indices(of: numbers))
    }
  }

  private func greatestWeight(_ numbers: [Int], _ weights: [Int]) -> Int {
    (0..<(1 << numbers.count)).map { mask in
      let places = numbers.indices.filter { mask >> $0 & 1 == 1 }
      let chosen = places.map { numbers[$0] }
      return chosen == chosen.sorted() ? places.map { weights[$0] }.reduce(0, +) : 0
    }
    .max() ?? 0
  }
}
