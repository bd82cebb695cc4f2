import Foundation
import StoreState
import Testing

@Suite("Identified array")
struct IdentifiedArrayTests {
  @Test("An element is found, changed and removed by its id")
  func subscriptByID() throws {
    var rows: Rows = [Row(1, "Milk"), Row(2, "Eggs")]
    #expect(rows[id: 2]?.title == "Eggs")
    #expect(rows[id: 3] == nil)

    rows[id: 1]?.isCompleted = true
    #expect(rows[0] == Row(1, "Milk", isCompleted: true))

    rows[id: 3] = Row(3, "Bread")
    #expect(rows.ids == [1, 2, 3])

    rows[id: 1] = nil
    #expect(rows.ids == [2, 3])
    #expect(rows.remove(id: 9) == nil)
    #expect(rows.remove(id: 2)?.title == "Eggs")
    #expect(rows.index(id: 3) == 0)
    #expect(rows.contains(id: 3))
    #expect(!rows.contains(id: 2))
  }

  @Test("A default is inserted only if it is changed")
  func subscriptWithDefault() {
    var rows: Rows = []
    #expect(rows[id: 7, default: Row(7, "New")].title == "New")
    #expect(rows.isEmpty)
    rows[id: 7, default: Row(7, "New")].isCompleted = true
    #expect(rows.elements == [Row(7, "New", isCompleted: true)])
  }

  @Test("Appending an existing id changes no element and returns its index")
  func appendExisting() {
    var rows: Rows = [Row(1, "a"), Row(2, "b")]
    let result = rows.append(Row(1, "other"))
    #expect(result.inserted == false)
    #expect(result.index == 0)
    #expect(rows[0].title == "a")
    #expect(rows.append(Row(3)).index == 2)
    #expect(rows.insert(Row(4), at: 1) == (true, 1))
    #expect(rows.ids == [1, 4, 2, 3])
  }

  @Test("Updates replace an element in place, append it, or insert it")
  func updates() {
    var rows: Rows = [Row(1, "a"), Row(2, "b")]
    #expect(rows.update(Row(2, "B"), at: 1).title == "b")
    #expect(rows.updateOrAppend(Row(1, "A"))?.title == "a")
    #expect(rows.updateOrAppend(Row(3, "c")) == nil)
    #expect(rows.updateOrInsert(Row(4, "d"), at: 0) == (nil, 0))
    #expect(rows.updateOrInsert(Row(3, "C"), at: 0) == (Row(3, "c"), 3))
    #expect(rows.map(\.title) == ["d", "A", "B", "C"])
  }

  @Test("Setting a position replaces its element; for an existing id, the two elements swap")
  func replaceAtPosition() {
    var rows: Rows = [Row(1, "a"), Row(2, "b"), Row(3, "c")]
    let before = rows
    rows[1] = Row(4, "d")
    #expect(rows.elements == [Row(1, "a"), Row(4, "d"), Row(3, "c")])
    #expect(rows[id: 2] == nil)
    #expect(rows.index(id: 4) == 1)
    rows[1] = Row(4, "other")
    #expect(rows[1] == Row(4, "other"))
    rows[0] = Row(3, "moved")
    #expect(rows.elements == [Row(3, "moved"), Row(4, "other"), Row(1, "a")])
    #expect(before.ids == [1, 2, 3])
  }

  @Test("A closure selects one of the elements with the same id, in the first one's place")
  func uniquing() {
    let elements = [Row(1, "a"), Row(2, "b"), Row(1, "c")]
    let first = Rows(elements) { first, _ in first }
    let last = Rows(elements) { _, last in last }
    #expect(first.map(\.title) == ["a", "b"])
    #expect(last.map(\.title) == ["c", "b"])
  }

  @Test("An id can be any property of an element")
  func keyPath() {
    var names = IdentifiedArray(uniqueElements: ["one", "three"], id: \.count)
    #expect(names[id: 5] == "three")
    names.append("zwei")
    #expect(names.ids == [3, 5, 4])
    names[id: 4] = "four"
    #expect(names.elements == ["one", "three", "four"])
  }

  @Test("Moved elements precede the element at the destination and keep their order")
  func move() {
    var rows = Rows(ids: 0..<6)
    rows.move(fromOffsets: [4, 1], toOffset: 3)
    #expect(rows.ids == [0, 2, 1, 4, 3, 5])
    rows.move(fromOffsets: IndexSet(integer: 0), toOffset: 6)
    #expect(rows.ids == [2, 1, 4, 3, 5, 0])
    rows.remove(atOffsets: IndexSet([0, 5]))
    #expect(rows.ids == [1, 4, 3, 5])
  }

  @Test("Views provide ids and elements")
  func views() {
    let rows: Rows = [Row(3), Row(1)]
    #expect(rows.ids == [3, 1])
    #expect(rows.ids.contains(1))
    #expect(rows.ids.firstIndex(of: 1) == 1)
    #expect(rows.ids.firstIndex(of: 2) == nil)
    #expect(Array(rows.elements) == [Row(3), Row(1)])
    #expect("\(rows.ids)" == "[3, 1]")
    #expect(Mirror(reflecting: rows).displayStyle == .collection)
  }

  @Test("It is a plain array for Codable and rejects a duplicate id")
  func codable() throws {
    struct Item: Codable, Identifiable, Equatable { var id: Int }
    let items: IdentifiedArrayOf<Item> = [Item(id: 2), Item(id: 1)]
    let data = try JSONEncoder().encode(items)
    #expect(String(decoding: data, as: UTF8.self) == #"[{"id":2},{"id":1}]"#)
    #expect(try JSONDecoder().decode(IdentifiedArrayOf<Item>.self, from: data) == items)
    let error = #expect(throws: DecodingError.self) {
      let twice = Data(#"[{"id":2},{"id":2}]"#.utf8)
      return try JSONDecoder().decode(IdentifiedArrayOf<Item>.self, from: twice)
    }
    #expect("\(try #require(error))".contains("Element 1 has an id that occurred before: 2"))
  }

  @Test("Equality and hashes depend on elements and order")
  func equality() {
    let rows = Rows(ids: [1, 2, 3])
    #expect(rows == [Row(1), Row(2), Row(3)])
    #expect(rows != [Row(1), Row(3), Row(2)])
    #expect(rows != [Row(1), Row(2), Row(3, "x")])
    #expect(rows.hashValue == Rows(ids: [1, 2, 3]).hashValue)
  }

  @Test("A value with an id has the value's members")
  func identified() {
    var identified = Identified(Row(1, "Milk"), id: "a")
    identified.title = "Eggs"
    #expect(identified.value.title == "Eggs")
    #expect(Identified(Row(1), id: \.id).id == 1)
  }
}

@Suite("Identified array: mistakes that trap", .timeLimit(.minutes(1)))
struct IdentifiedArrayTrapTests {
  @Test("An element whose id changes in place")
  func changedID() async {
    await #expect(processExitsWith: .failure) {
      var rows = Rows(ids: [1, 2])
      rows[id: 1]?.id = 3
    }
    await #expect(processExitsWith: .failure) {
      var rows = Rows(ids: [1, 2])
      rows[0].id = 3
    }
  }

  @Test("Elements with a duplicate id, declared unique")
  func repeatedID() async {
    await #expect(processExitsWith: .failure) { _ = Rows(ids: [1, 2, 1]) }
  }

  @Test("Replicating an array that is identified by a property other than id")
  func otherKeyPath() async {
    await #expect(processExitsWith: .failure) {
      var rows = IdentifiedArray<String, NamedRow>(id: \.secondName)
      rows.append(NamedRow("a", 1))
      _ = rows.encoded()
    }
  }

  @Test("Replicating an array whose other id equals the id, with another encoding")
  func otherEncoding() async {
    await #expect(processExitsWith: .failure) {
      var rows = IdentifiedArray<String, NamedRow>(id: \.decomposedID)
      rows.append(NamedRow("\u{E9}", 1))
      _ = rows.encoded()
    }
  }
}

extension NamedRow {
  fileprivate var secondName: String { id + "!" }

  /// The id `é` as a letter and an accent.
  fileprivate var decomposedID: String { id == "\u{E9}" ? "e\u{301}" : id }
}

/// An identified array next to a plain array with the same operations, implemented slowly and
/// simply.
struct IdentifiedTwin {
  var rows: Rows = []
  var plain: [Row] = []

  mutating func doSomething(_ random: inout SeededRandom) {
    let id = Int.random(in: 0..<12, using: &random)
    let row = Row(id, random.pick(["a", "b"]), isCompleted: random.chance(2))
    let known = plain.firstIndex { $0.id == id }
    let place = Int.random(in: 0...plain.count, using: &random)
    switch Int.random(in: 0..<14, using: &random) {
    case 0:
      let result = rows.append(row)
      if known == nil { plain.append(row) }
      #expect(result == (known == nil, known ?? plain.count - 1))
    case 1:
      rows.insert(row, at: place)
      if known == nil { plain.insert(row, at: place) }
    case 2:
      #expect(rows.updateOrAppend(row) == known.map { plain[$0] })
      if let known { plain[known] = row } else { plain.append(row) }
    case 3:
      rows.updateOrInsert(row, at: place)
      if let known { plain[known] = row } else { plain.insert(row, at: place) }
    case 4:
      #expect(rows.remove(id: id) == known.map { plain.remove(at: $0) })
    case 5:
      rows[id: id]?.title += "!"
      if let known { plain[known].title += "!" }
    case 6:
      rows[id: id] = row
      if let known { plain[known] = row } else { plain.append(row) }
    case 7:
      rows[id: id] = nil
      plain.removeAll { $0.id == id }
    default:
      reorder(&random, place)
    }
  }

  private mutating func reorder(_ random: inout SeededRandom, _ place: Int) {
    let offsets = plain.indices.filter { _ in random.chance(3) }
    switch Int.random(in: 0..<8, using: &random) {
    case 0:
      rows.move(fromOffsets: offsets, toOffset: place)
      let moved = offsets.map { plain[$0] }
      let before = plain[..<place].filter { !moved.contains($0) }
      let after = plain[place...].filter { !moved.contains($0) }
      plain = before + moved + after
    case 1:
      rows.remove(atOffsets: offsets)
      plain = plain.indices.filter { !offsets.contains($0) }.map { plain[$0] }
    case 2:
      rows.sort { $0.title < $1.title }
      plain = ["a", "b"].flatMap { title in plain.filter { $0.title.hasPrefix(title) } }
        .enumerated().sorted { ($0.element.title, $0.offset) < ($1.element.title, $1.offset) }
        .map(\.element)
    case 3:
      rows.reverse()
      plain.reverse()
    case 4:
      rows.removeAll { $0.isCompleted }
      plain.removeAll { $0.isCompleted }
    case 5 where !plain.isEmpty:
      #expect(rows.removeLast() == plain.removeLast())
    case 6 where plain.count > 1:
      rows.swapAt(0, plain.count - 1)
      plain.swapAt(0, plain.count - 1)
    default:
      rows = rows.filter { $0.id < 8 }
      plain = plain.filter { $0.id < 8 }
    }
  }

  func check() {
    #expect(Array(rows) == plain)
    #expect(Array(rows.ids) == plain.map(\.id))
    #expect(Array(rows.elements) == plain)
    #expect(rows.count == plain.count)
    for (index, row) in plain.enumerated() {
      #expect(rows[id: row.id] == row)
      #expect(rows.index(id: row.id) == index)
    }
  }
}

@Suite("Identified array beside a plain one", .timeLimit(.minutes(1)))
struct IdentifiedArrayTwinTests {
  @Test("Random operations have the same results", arguments: 0..<40 as Range<UInt64>)
  func twin(seed: UInt64) {
    var random = SeededRandom(seed)
    var twin = IdentifiedTwin()
    for _ in 0..<150 {
      twin.doSomething(&random)
      twin.check()
    }
  }

  @Test("Changes of the original do not affect a copy")
  func copies() {
    var rows = Rows(ids: 0..<5)
    let copy = rows
    rows[id: 2]?.title = "changed"
    rows.remove(id: 0)
    rows.move(fromOffsets: [3], toOffset: 0)
    #expect(copy == Rows(ids: 0..<5))
  }
}
