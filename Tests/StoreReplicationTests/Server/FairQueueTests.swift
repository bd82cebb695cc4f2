import StoreSimulation
import Testing

@testable import StoreReplication

/// Who of several sources is served when.
@Suite struct FairQueueTests {
  private func take(_ queue: inout FairQueue<Character, String>) -> [String] {
    var taken: [String] = []
    while let next = queue.popFirst() { taken.append(next) }
    return taken
  }

  @Test("What comes from one source keeps its order, and sources take turns")
  func turns() {
    var queue = FairQueue<Character, String>()
    for name in ["a1", "a2", "a3", "b1", "c1", "c2"] {
      queue.append(name, from: name.first ?? " ", cost: 1)
    }
    #expect(take(&queue) == ["a1", "b1", "c1", "a2", "c2", "a3"])
    #expect(queue.isEmpty)
  }

  @Test("Who sends what costs much is served as much as others, not as often")
  func costs() {
    var queue = FairQueue<Character, String>()
    for number in 1...3 { queue.append("a\(number)", from: "a", cost: 10) }
    for number in 1...12 { queue.append("b\(number)", from: "b", cost: 2) }
    #expect(
      take(&queue) == [
        "b1", "b2", "b3", "b4", "a1", "b5", "b6", "b7", "b8", "b9", "a2", "b10", "b11", "b12",
        "a3",
      ]
    )
  }

  @Test("Who comes while others flood waits for one element, not for all that came before")
  func newcomer() {
    var queue = FairQueue<Character, String>()
    for number in 0..<1_000 {
      queue.append("a\(number)", from: "a", cost: 100)
      queue.append("b\(number)", from: "b", cost: 100)
      queue.append("c\(number)", from: "c", cost: 100)
    }
    for number in 0..<500 {
      for _ in 0..<number % 4 { _ = queue.popFirst() }
      let source = Character(Unicode.Scalar(UInt32(0x1000 + number)) ?? "d")
      queue.append("honest", from: source, cost: 1)
      #expect(queue.popFirst() == "honest")
    }
  }

  @Test("Who was just served waits for the others, also when nothing of it was waiting meanwhile")
  func memory() {
    var queue = FairQueue<Character, String>()
    queue.append("a1", from: "a", cost: 100)
    for number in 1...30 { queue.append("b\(number)", from: "b", cost: 10) }
    while let next = queue.popFirst(), next != "a1" {}
    queue.append("a2", from: "a", cost: 100)
    let expected = (10...19).map { "b\($0)" } + ["a2"] + (20...30).map { "b\($0)" }
    #expect(take(&queue) == expected)
  }

  @Test("Who has rested has saved nothing up")
  func rest() {
    var queue = FairQueue<Character, String>()
    for number in 1...6 { queue.append("a\(number)", from: "a", cost: 1) }
    for _ in 0..<3 { _ = queue.popFirst() }
    for number in 1...3 { queue.append("b\(number)", from: "b", cost: 1) }
    #expect(take(&queue) == ["b1", "a4", "b2", "a5", "b3", "a6"])
  }

  @Test("What is removed does not come, and its source may come again")
  func removed() {
    var queue = FairQueue<Character, String>()
    for name in ["a1", "a2", "b1"] { queue.append(name, from: name.first ?? " ", cost: 1) }
    #expect(queue.remove("a") == ["a1", "a2"])
    #expect(queue.remove("a") == [])
    queue.append("a3", from: "a", cost: 1)
    #expect(take(&queue) == ["b1", "a3"])
  }

  @Test("Nothing is lost or doubled, and no order is changed, whatever comes and goes")
  func random() {
    var generator = SeededGenerator(seed: 9)
    var queue = FairQueue<Int, (source: Int, number: Int)>()
    var sent: [Int: Int] = [:]
    var seen: [Int: Int] = [:]
    var waiting = 0
    for _ in 0..<20_000 {
      if Bool.random(using: &generator) {
        let source = Int.random(in: 0..<300, using: &generator)
        sent[source, default: 0] += 1
        let cost = Int.random(in: 1...1_000, using: &generator)
        queue.append((source, sent[source] ?? 0), from: source, cost: cost)
        waiting += 1
      } else if let next = queue.popFirst() {
        #expect(next.number == (seen[next.source] ?? 0) + 1)
        seen[next.source] = next.number
        waiting -= 1
      } else {
        #expect(waiting == 0)
      }
      #expect(queue.isEmpty == (waiting == 0))
    }
    while let next = queue.popFirst() { seen[next.source] = next.number }
    #expect(seen == sent)
  }
}
