import Foundation
import StoreActor
import StoreState
import Testing

/// A key with a part that is not encoded.
@ObservableState
private struct Key: Hashable, ReplicatedState {
  var number = 0
  @ReplicationIgnored var cache = 0
}

@ObservableState
private struct Wrapped: Hashable, ReplicatedState { var key: Key }

@ObservableState
private struct OnlyHidden: Hashable, ReplicatedState { @ReplicationIgnored var cache = 0 }

/// A state whose property observers change other properties.
@ObservableState
private struct Observed: Equatable, ReplicatedState {
  var items: [Int] = [] {
    didSet { log.append("\(oldValue.count) to \(items.count)") }
  }
  var log: [String] = []
  var count = 0 {
    willSet { total += newValue }
  }
  var total = 0
  let name: String
}

@Suite("The parts of a value outside its encoding")
struct HiddenPartsTests {
  @Test("Keys that differ only in parts that are not encoded are one key on the wire")
  func dictionaries() throws {
    let (one, other) = (Key(number: 1, cache: 1), Key(number: 1, cache: 2))
    let values: [[Key: Int]] = [[:], [one: 1], [one: 1, other: 2], [other: 1], [other: 3]]
    try checkLaws(values)
    try checkLaws(values.map(PersistentMap.init))
    try checkLaws(
      values.map { Dictionary(uniqueKeysWithValues: $0.map { (Wrapped(key: $0), $1) }) }
    )
  }

  @Test("Elements that differ only in parts that are not encoded are one element on the wire")
  func sets() throws {
    let (one, other) = (Key(number: 1, cache: 1), Key(number: 1, cache: 2))
    let values: [Set<Key>] = [[], [one], [one, other], [other]]
    try checkLaws(values)
    try checkLaws(values.map { PersistentSet($0) })
    try checkLaws([[], [OnlyHidden()], [OnlyHidden(), OnlyHidden(cache: 1)]] as [Set<OnlyHidden>])
  }

  @Test("A relative URL is the absolute one on the wire")
  func locators() throws {
    let base = try #require(URL(string: "http://x/"))
    let relative = try #require(URL(string: "a", relativeTo: base))
    let absolute = try #require(URL(string: "http://x/a"))
    #expect(relative != absolute)
    let sets: [Set<URL>] = [[], [relative], [absolute], [relative, absolute], [base]]
    try checkLaws(sets)
    try checkLaws(sets.map { PersistentSet($0) })
    try checkLaws([[:], [relative: 1], [absolute: 1], [relative: 1, absolute: 2]] as [[URL: Int]])
  }

  @Test("A delta includes the changes of property observers, so they do not run again")
  func observers() throws {
    var states = [Observed(name: "a")]
    func add(_ change: (inout Observed) -> Void) {
      var state = states[states.count - 1]
      change(&state)
      states.append(state)
    }
    add { $0.items.append(1) }
    add { $0.items = [1, 2] }
    add { $0.log = [] }
    add { $0.count = 5 }
    add {
      $0.count = 2
      $0.total = 5
    }
    add { $0 = Observed(items: $0.items, log: $0.log, count: 7, total: 1, name: "b") }
    #expect(states[2].log == ["0 to 1", "1 to 2"])
    try checkLaws(states)
  }
}
