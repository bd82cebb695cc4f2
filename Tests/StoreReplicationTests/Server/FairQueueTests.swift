import StoreSimulation
import Testing

@testable import StoreServer

/// The order in which a fair queue serves holders, and their sources.
@Suite struct FairQueueTests {
  /// Sources of one holder share in the same way as holders share.
  enum Level: CaseIterable {
    case holders
    case sources
  }

  private struct Names {
    var queue = FairQueue<Character, Character, String>()
    let level: Level

    mutating func append(_ name: String, cost: Int = 1, from source: Character? = nil) {
      let source = source ?? name.first ?? " "
      queue.append(name, from: source, of: holder(of: source), cost: cost)
    }

    mutating func remove(_ source: Character) -> [String] {
      queue.remove(source, of: holder(of: source))
    }

    private func holder(of source: Character) -> Character { level == .holders ? source : "h" }

    mutating func takeAll() -> [String] {
      var taken: [String] = []
      while let next = queue.popFirst() { taken.append(next) }
      return taken
    }
  }

  @Test(
    "Elements of one source keep their order, and sources take turns",
    arguments: Level.allCases,
  )
  func turns(level: Level) {
    var names = Names(level: level)
    for name in ["a1", "a2", "a3", "b1", "c1", "c2"] { names.append(name) }
    #expect(names.takeAll() == ["a1", "b1", "c1", "a2", "c2", "a3"])
    #expect(names.queue.isEmpty)
  }

  @Test(
    "A source of costly elements receives an equal cost, not an equal number of turns",
    arguments: Level.allCases,
  )
  func costs(level: Level) {
    var names = Names(level: level)
    for number in 1...3 { names.append("a\(number)", cost: 10) }
    for number in 1...12 { names.append("b\(number)", cost: 2) }
    #expect(
      names.takeAll() == [
        "b1", "b2", "b3", "b4", "a1", "b5", "b6", "b7", "b8", "b9", "a2", "b10", "b11", "b12",
        "a3",
      ]
    )
  }

  @Test func `Holders that were passed over are served in the order of their turns`() {
    let sources = Array("abcdefghijklmnopqrstuvwxyz")
    var names = Names(level: .holders)
    for source in sources.reversed() { names.append("\(source)1") }
    #expect(names.queue.popFirst(besides: Set(sources)) == nil)
    #expect(names.takeAll() == sources.reversed().map { "\($0)1" })
  }

  @Test("A newcomer waits for at most one element of each other source", arguments: Level.allCases)
  func newcomer(level: Level) {
    var names = Names(level: level)
    for number in 0..<1_000 {
      for source in "abc" { names.append("\(source)\(number)", cost: 100) }
    }
    for number in 0..<500 {
      for _ in 0..<number % 4 { _ = names.queue.popFirst() }
      names.append("honest", from: Character(Unicode.Scalar(UInt32(0x1000 + number)) ?? "d"))
      let taken = (1...4).map { _ in names.queue.popFirst() }
      #expect(taken.contains("honest"))
      #expect(Set(taken.compactMap { $0?.first }).count == taken.count)
    }
  }

  @Test(
    "A source that was just served waits for the others, also with an empty lane in between",
    arguments: Level.allCases,
  )
  func memory(level: Level) {
    var names = Names(level: level)
    names.append("a1", cost: 100)
    for number in 1...30 { names.append("b\(number)", cost: 10) }
    while let next = names.queue.popFirst(), next != "a1" {}
    names.append("a2", cost: 100)
    let expected = (10...19).map { "b\($0)" } + ["a2"] + (20...30).map { "b\($0)" }
    #expect(names.takeAll() == expected)
  }

  @Test("An idle source accumulates no credit", arguments: Level.allCases)
  func rest(level: Level) {
    var names = Names(level: level)
    for number in 1...6 { names.append("a\(number)") }
    for _ in 0..<3 { _ = names.queue.popFirst() }
    for number in 1...3 { names.append("b\(number)") }
    #expect(names.takeAll() == ["a4", "b1", "a5", "b2", "a6", "b3"])
  }

  @Test("Removed elements are not served, and their source may return", arguments: Level.allCases)
  func removed(level: Level) {
    var names = Names(level: level)
    for name in ["a1", "a2", "b1"] { names.append(name) }
    #expect(names.remove("a") == ["a1", "a2"])
    #expect(names.remove("a") == [])
    names.append("a3")
    #expect(names.takeAll() == ["b1", "a3"])
  }

  @Test func `A holder with a thousand connections is served as much as one with a single one`() {
    var queue = FairQueue<String, Int, String>()
    for source in 0..<1_000 {
      for _ in 0..<3 { queue.append("greedy", from: source, of: "greedy", cost: 10) }
    }
    for _ in 0..<100 { queue.append("honest", from: 0, of: "honest", cost: 10) }
    let taken = (0..<200).map { _ in queue.popFirst() }
    #expect(taken.count { $0 == "honest" } == 100)
  }

  @Test func `A holder's next element may become cheaper, or dearer, while the holder waits`() {
    var queue = FairQueue<String, Int, String>()
    queue.append("dear", from: 1, of: "a", cost: 100)
    queue.append("middle", from: 1, of: "b", cost: 50)
    queue.append("cheap", from: 2, of: "a", cost: 1)
    #expect(queue.popFirst() == "cheap")
    queue.append("cheap", from: 2, of: "a", cost: 1)
    #expect(queue.remove(2, of: "a") == ["cheap"])
    #expect([queue.popFirst(), queue.popFirst()] == ["middle", "dear"])
  }

  /// A source that counts the computations of its hash.
  private struct Counted: Hashable {
    final class Steps { var count = 0 }

    let number: Int
    let steps: Steps

    static func == (left: Self, right: Self) -> Bool { left.number == right.number }

    func hash(into hasher: inout Hasher) {
      steps.count += 1
      hasher.combine(number)
    }
  }

  @Test(
    "Ten thousand new sources cost some steps each, and starve no source",
    arguments: Level.allCases,
  )
  func fresh(level: Level) {
    let (count, steps) = (10_000, Counted.Steps())
    var queue = FairQueue<Counted, Counted, Int>()
    func append(_ number: Int, cost: Int) {
      let source = Counted(number: number, steps: steps)
      let holder = level == .holders ? source : Counted(number: -1, steps: steps)
      queue.append(number, from: source, of: holder, cost: cost)
    }
    for _ in 0..<4 { append(0, cost: 132) }
    #expect(queue.popFirst() == 0)
    // Each source was served once, and a new one is added for each that is served.
    for number in 1...count { append(number, cost: 132) }
    var honest: [Int] = []
    for place in 0..<2 * count {
      if queue.popFirst() == 0 { honest.append(place) }
      if place < count { append(count + place + 1, cost: 132) }
    }
    // Between two elements of a source, each other source is served at most once.
    #expect(honest.first.map { $0 <= count } ?? false)
    #expect(honest.count == 2)
    // A few look-ups for each source, independent of their number.
    #expect(steps.count < 100 * count)
    while queue.popFirst() != nil {}
    #expect(queue.isEmpty)
  }

  @Test func `Fresh connections of one holder do not delay another holder's`() {
    var queue = FairQueue<Int, Int, Int>()
    for _ in 0..<100 { queue.append(0, from: 0, of: 0, cost: 132) }
    for source in 1...1_000 { queue.append(source, from: source, of: 1, cost: 132) }
    var places: [Int] = []
    for place in 0..<2_000 {
      if queue.popFirst() == 0 { places.append(place) }
      queue.append(2_000 + place, from: 2_000 + place, of: 1, cost: 132)
    }
    #expect(places.last.map { $0 < 200 } ?? false)
    #expect(places.count == 100)
  }

  @Test("No element is lost, doubled or reordered under random operations")
  func random() {
    var generator = SeededGenerator(seed: 9)
    var queue = FairQueue<Int, Int, (source: Int, number: Int)>()
    var sent: [Int: Int] = [:]
    var seen: [Int: Int] = [:]
    var waiting = 0
    for _ in 0..<20_000 {
      switch Int.random(in: 0..<100, using: &generator) {
      case 0:
        let source = Int.random(in: 0..<300, using: &generator)
        let dropped = queue.remove(source, of: source % 7)
        #expect(
          dropped.map(\.number) == Array((seen[source] ?? 0)..<(sent[source] ?? 0)).map { $0 + 1 }
        )
        seen[source] = sent[source]
        waiting -= dropped.count
      case 1..<51:
        let source = Int.random(in: 0..<300, using: &generator)
        sent[source, default: 0] += 1
        let cost = Int.random(in: 1...1_000, using: &generator)
        queue.append((source, sent[source] ?? 0), from: source, of: source % 7, cost: cost)
        waiting += 1
      default:
        guard let next = queue.popFirst() else {
          #expect(waiting == 0)
          continue
        }
        #expect(next.number == (seen[next.source] ?? 0) + 1)
        seen[next.source] = next.number
        waiting -= 1
      }
      #expect(queue.isEmpty == (waiting == 0))
    }
    while let next = queue.popFirst() { seen[next.source] = next.number }
    #expect(seen == sent)
  }
}
