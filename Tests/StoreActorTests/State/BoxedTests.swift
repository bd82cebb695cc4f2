import CustomDump
import Foundation
import StoreState
import Testing

@testable import StoreActor

@Suite("Values in boxes")
struct BoxedTests {
  struct Large: Equatable {
    var numbers = [0, 1, 2]
    var title = "a"
  }

  struct Parent: Equatable {
    @Boxed var child = Large()
    var count = 0
  }

  @Test("A box has the size of a pointer")
  func size() {
    #expect(MemoryLayout<Boxed<Large>>.size == MemoryLayout<Int>.size)
    #expect(MemoryLayout<Parent>.size == 2 * MemoryLayout<Int>.size)
  }

  @Test("The property is used as if it had no box")
  func property() {
    var parent = Parent()
    parent.child.title = "b"
    parent.child.numbers.append(3)
    #expect(parent.child == Large(numbers: [0, 1, 2, 3], title: "b"))
    parent.child = Large()
    #expect(parent == Parent())
    parent.$child = Boxed(Large(numbers: [], title: "c"))
    #expect(parent.child.title == "c")
  }

  @Test("Writing to a copy leaves the original as it was")
  func valueSemantics() {
    let original = Parent()
    var copy = original
    copy.child.title = "b"
    #expect(original.child.title == "a")
    copy = original
    copy.child = Large(numbers: [], title: "c")
    #expect(original.child.title == "a")
    copy = original
    copy.$child.modify { $0.title = "d" }
    #expect(original.child.title == "a")
    #expect(copy.child.title == "d")
  }

  @Test("A box with one holder is changed in place, without a copy of its value")
  func inPlace() {
    final class Probe {}
    struct Item {
      var probe = Probe()
      var isUnique: Bool {
        mutating get { isKnownUniquelyReferenced(&probe) }
      }
    }
    var box = Boxed(Item())
    let storage = ObjectIdentifier(box.storage)
    let isUnique = box.modify { $0.isUnique }
    #expect(isUnique)
    let isUniqueInPlace = box.wrappedValue.isUnique
    #expect(isUniqueInPlace)
    box.wrappedValue = Item()
    #expect(ObjectIdentifier(box.storage) == storage)
    let copy = box
    let isUniqueAfterCopy = box.modify { $0.isUnique }
    #expect(!isUniqueAfterCopy)
    #expect(!box.isIdentical(to: copy))
  }

  @Test("A box is equal to itself without a comparison of its contents")
  func identity() {
    struct Contrary: Equatable {
      static func == (_: Self, _: Self) -> Bool { false }
    }
    let box = Boxed(Contrary())
    let copy = box
    #expect(box == copy)
    #expect(box != Boxed(Contrary()))
  }

  @Test("Members of the value are members of the box")
  func dynamicMembers() {
    var box = Boxed(Large())
    box.title = "b"
    box.numbers.removeLast()
    #expect(box.wrappedValue == Large(numbers: [0, 1], title: "b"))
    #expect(box.numbers.count == 2)
    #expect(Boxed(PaperSheet.State(id: 7)).id == 7)
    #expect(Set([Boxed(1), Boxed(1), Boxed(2)]).count == 2)
  }

  @Test("It is encoded, dumped and replicated as its value")
  func transparency() throws {
    let data = try JSONEncoder().encode([Boxed(1), Boxed(2)])
    #expect(String(decoding: data, as: UTF8.self) == "[1,2]")
    #expect(try JSONDecoder().decode([Boxed<Int>].self, from: data) == [Boxed(1), Boxed(2)])
    #expect(String(customDumping: Boxed("a")) == #""a""#)
    let values: [[String]?] = [nil, [], ["a"], ["a", "b"]]
    try checkReplication(values.map { Boxed($0) })
    for value in values {
      #expect(Boxed(value).encoded() == value.encoded())
      #expect(Boxed(value).delta(from: Boxed(["a"])) == value.delta(from: ["a"]))
    }
    let optionals: [Boxed<Int?>?] = [nil, Boxed(nil), Boxed(1)]
    for optional in optionals {
      #expect(try Boxed<Int?>?(encoded: optional.encoded()) == optional)
    }
  }

  @Test("A boxed child is reduced, replicated and scoped to like any other")
  @MainActor
  func feature() throws {
    let store = Store(initialState: BoxedParent.State(child: BoxedParent.Child())) { BoxedParent() }
    var states = [store.state]
    store.send(.child(.set(3)))
    states.append(store.state)
    store.scope(\.child, action: \.child).send(.set(4))
    states.append(store.state)
    #expect(states.map(\.child.count) == [0, 3, 4])
    try checkReplication(states)
    #expect(try wireJSON(store.state) == #"{"child":{"count":4},"title":""}"#)
  }
}

@Reducer
struct BoxedParent {
  @ObservableState
  struct State: Equatable, ReplicatedState {
    @Boxed var child: Child
    var title = ""
  }

  @ObservableState
  struct Child: Equatable, ReplicatedState {
    var count = 0
  }

  enum ChildAction: Equatable {
    case set(Int)
  }

  enum Action: Equatable {
    case child(ChildAction)
  }

  var body: some ReducerOf<Self> {
    Scope(\.child, action: \.child) {
      Reduce { state, action in
        if case .set(let count) = action { state.count = count }
        return .none
      }
    }
  }
}
