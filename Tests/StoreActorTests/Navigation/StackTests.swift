import CustomDump
import Foundation
import GenericState
import StoreState
import Testing

@testable import StoreActor

@Suite("Stacks of states")
struct StackStateTests {
  @Test("Each element gets the next id, and no id is given twice")
  func ids() {
    var stack = StackState(["a", "b"])
    #expect(stack.ids == [0, 1])
    stack.pop(from: 1)
    stack.append("c")
    #expect(stack.ids == [0, 2])
    #expect(Array(stack) == ["a", "c"])
    stack.removeAll()
    stack.append(contentsOf: ["d", "e"])
    #expect(stack.ids == [3, 4])
    #expect(stack[id: 4] == "e")
    #expect(stack[id: 2] == nil)
  }

  @Test("Popping from an element removes it and those after it, popping to it keeps it")
  func pop() {
    var stack = StackState([1, 2, 3, 4])
    stack.pop(to: 2)
    #expect(Array(stack) == [1, 2, 3])
    stack.pop(from: 1)
    #expect(Array(stack) == [1])
    stack.pop(from: 7)
    stack.pop(to: 7)
    #expect(Array(stack) == [1])
  }

  @Test("It is a collection that can be edited at any position")
  func collection() {
    var stack: StackState = [1, 2, 3]
    stack.insert(9, at: 1)
    #expect(Array(stack) == [1, 9, 2, 3])
    #expect(stack.ids == [0, 3, 1, 2])
    stack.replaceSubrange(0..<2, with: [5])
    #expect(stack.ids == [4, 1, 2])
    #expect(stack.popLast() == 3)
    stack.removeFirst()
    #expect(stack.ids == [1])
    #expect(stack.first == 2)
    #expect(stack.last == 2)
  }

  @Test("An element is read and changed by its id, and removed with nil")
  func subscriptByID() {
    var stack: StackState = [[1], [2]]
    stack[id: 1]?.append(3)
    #expect(stack[id: 1] == [2, 3])
    stack[id: 0] = nil
    #expect(stack.ids == [1])
    stack[id: 5] = [6]
    stack.append([7])
    #expect(stack.ids == [1, 5, 6])
  }

  @Test("Assigning an element to a missing id is reported outside a test's assertions")
  func missingID() {
    var stack: StackState = [1]
    withKnownIssue {
      stack.rows[id: 5] = Identified(6, id: 5)
      let location = IssueLocation(fileID: #fileID, filePath: #filePath, line: 1, column: 1)
      stack.noteNewElement(5, isTesting: false, at: location)
    } matching: { issue in
      issue.description.contains("Can't assign an element to the id #5: it is not on the stack.")
        && issue.description.contains("To fix, use \"append\"")
    }
    #expect(stack.ids == [0])
    #expect(stack.nextID == 1)
  }

  @Test("Ids from another process do not conflict with new ones")
  func strangeIDs() throws {
    var stack: StackState = [1, 2]
    stack.counter = 1
    stack = try StackState(encoded: stack.encoded())
    stack.append(contentsOf: [3, 4])
    #expect(stack.ids == [0, 1, 2, 3])
  }

  @Test("Changing an element does not change copies of the stack")
  func valueSemantics() {
    let original: StackState = [[1]]
    var copy = original
    copy[id: 0]?.append(2)
    copy.append([3])
    #expect(original[id: 0] == [1])
    #expect(original.count == 1)
  }

  @Test("A case of an element is read and changed; another case is reported")
  func cases() {
    var stack: StackState<Destination.State> = [.sheet(PaperSheet.State(id: 1)), .alert(.cases)]
    stack[id: 0, case: \.sheet]?.ticks = 3
    #expect(stack[id: 0]?.sheet?.ticks == 3)
    #expect(stack[id: 0, case: \.other] == nil)
    withKnownIssue {
      stack[id: 1, case: \.sheet]?.ticks = 3
    } matching: {
      $0.description.contains("the value is of another case, \"alert\"")
    }
    stack[id: 1, case: \.alert] = nil
    #expect(stack.ids == [0])
  }

  @Test("Stacks are equal when their ids and elements are")
  func equality() {
    var stack: StackState = [1, 2]
    #expect(stack == [1, 2])
    stack.append(3)
    stack.pop(from: 2)
    #expect(stack == [1, 2])
    #expect(Set([stack, [1, 2]]).count == 1)
    stack.pop(from: 1)
    stack.append(2)
    #expect(stack != [1, 2])
  }

  @Test("It is encoded as its elements")
  func codable() throws {
    var stack: StackState = [1, 2, 3]
    stack.removeFirst()
    let data = try JSONEncoder().encode(stack)
    #expect(String(decoding: data, as: UTF8.self) == "[2,3]")
    #expect(try JSONDecoder().decode(StackState<Int>.self, from: data) == [2, 3])
  }

  @Test("It dumps as a dictionary from ids to elements")
  func dump() {
    var stack: StackState = ["a", "b"]
    stack.removeFirst()
    #expect(
      String(customDumping: stack) == """
        [
          #1: "b"
        ]
        """
    )
    #expect(stack.description == "[\"b\"]")
  }

  @Test("It is replicated with its ids, element by element")
  func wire() throws {
    var stacks: [StackState<[String]>] = [[]]
    var stack: StackState<[String]> = [["a"], ["b"], ["c"]]
    stacks.append(stack)
    stack[id: 1]?.append("d")
    stacks.append(stack)
    stack.pop(from: 1)
    stacks.append(stack)
    stack.append(["e"])
    stacks.append(stack)
    try checkReplication(stacks)
    #expect(
      try wireJSON(stack)
        == #"{"elements":[{"id":0,"value":["a"]},{"id":3,"value":["e"]}],"nextID":4}"#
    )
    var copy = try StackState<[String]>(encoded: stack.encoded())
    #expect(copy == stack)
    copy.append(["f"])
    stack.append(["f"])
    #expect(copy.encoded() == stack.encoded())
  }

  @Test("The delta of a change in one element contains only that change")
  func smallDelta() throws {
    let long = String(repeating: "x", count: 1_000)
    let old: StackState = [[long], [long, "a"]]
    var new = old
    new[id: 1]?[1] = "b"
    #expect(try #require(new.delta(from: old)).count < 32)
  }
}

@Suite("Actions of stacks")
struct StackActionTests {
  typealias Action = StackAction<Int, Toggle>

  @Test("An element's case path finds its actions and no other's")
  func casePaths() {
    let path: CaseKeyPath<Tower.Action, Void> = \.path[id: 1].tick
    #expect(path() == .path(.element(id: 1, action: .tick)))
    #expect(AnyCasePath(path).extract(from: .path(.element(id: 2, action: .tick))) == nil)
    #expect(caseName(of: path) == #"\.path[id: 1].tick"#)
    let pop: CaseKeyPath<Tower.Action, StackElementID> = \.path.popFrom
    #expect(pop(3) == .path(.popFrom(id: 3)))
    #expect(Action.push(id: 0, state: 1).is(\.push))
    #expect(Action.popFrom(id: 0).is(\.popFrom))
    #expect(Action.element(id: 0, action: .flip).is(\.element))
    #expect(
      AnyCasePath<Action, (id: StackElementID, state: Int)>(\.push).embed((2, 3))
        == .push(id: 2, state: 3)
    )
  }

  @Test("It is coded as a case, and read back")
  func codable() throws {
    let actions: [StackAction<Int, String>] = [
      .element(id: 1, action: "tapped"), .popFrom(id: 2), .push(id: 3, state: 4),
    ]
    for action in actions {
      let data = try JSONEncoder().encode(action)
      #expect(try JSONDecoder().decode(StackAction<Int, String>.self, from: data) == action)
    }
  }

  @Test("It is encoded as a choice of three cases on the wire")
  func wire() throws {
    let actions: [(Action, String)] = [
      (.element(id: 1, action: .flip), #"{"element":{"id":1,"action":"flip"}}"#),
      (.popFrom(id: 2), #"{"popFrom":{"id":2}}"#),
      (.push(id: 3, state: 4), #"{"push":{"id":3,"state":4}}"#),
    ]
    let document = SchemaRegistry.document(for: Action.self)
    for (action, text) in actions {
      let bytes = try action.encoded()
      #expect(try Action(encoded: bytes) == action)
      #expect(try wireJSON(action) == text)
      try GenericValue(encoded: bytes).validate(against: document)
      for end in bytes.indices {
        #expect(throws: CodecError.self) { try Action(encoded: bytes[..<end]) }
      }
    }
    let error = #expect(throws: CodecError.self) {
      try Action.element(id: 1, action: .secret).encoded()
    }
    #expect(error?.code == .privateAction)
    #expect(error?.description.contains("$.element[#1].action") == true)
  }
}

@Suite("Features on a stack", .timeLimit(.minutes(1)))
@MainActor
struct StackReducerTests {
  private func tower(_ ids: Int...) -> StoreOf<Tower> {
    Store(initialState: Tower.State(path: StackState(ids.map { PaperSheet.State(id: $0) }))) {
      Tower()
    } withDependencies: {
      $0.continuousClock = TestClock()
    }
  }

  @Test("An element's action reaches that element")
  func element() {
    let store = tower(10, 20)
    store.send(.path(.element(id: 1, action: .tick)))
    #expect(store.path.map(\.ticks) == [0, 1])
  }

  @Test("At popFrom the parent sees the elements a last time")
  func popFrom() {
    let store = tower(10, 20, 30)
    store.send(.path(.popFrom(id: 1)))
    #expect(store.popped == [1])
    #expect(store.path.map(\.id) == [10])
  }

  @Test("At push the parent finds the element, and the next one gets the next id")
  func push() {
    let store = tower(10)
    store.send(.path(.push(id: 1, state: PaperSheet.State(id: 20))))
    #expect(store.pushed == [20])
    store.send(.climb(30))
    #expect(store.path.ids == [0, 1, 2])
    #expect(store.path.nextID == 3)
  }

  @Test("A push with an id that is not the next one is reported and ignored")
  func pushUnexpectedID() {
    let store = tower(10, 20)
    store.send(.path(.popFrom(id: 1)))
    let cases: [(StackElementID, String)] = [
      (0, "#0, which is on the stack already"), (1, "#1, which an element had that has gone"),
      (3, "#3, which is not the next one"),
    ]
    for (id, text) in cases {
      withKnownIssue {
        _ = store.send(.path(.push(id: id, state: PaperSheet.State(id: 30))))
      } matching: { issue in
        issue.description.contains("A \"forEach\" at \"StoreActorTests/NavigationFixtures.swift:")
          && issue.description.contains(text)
          && issue.description.contains("The next element of the stack has the id #2.")
          && issue.description.contains("Two clients pushed at the same time")
      }
    }
    #expect(store.path.map(\.id) == [10])
  }

  @Test("An element's effects are cancelled when it is removed, and those of others continue")
  func cancellation() async {
    let ends: [Tower.Action] = [.path(.popFrom(id: 1)), .jump(to: 0), .replace([20, 30, 40])]
    for end in ends {
      let store = tower(10, 20, 30)
      let first = store.send(.path(.element(id: 0, action: .start)))
      let second = store.send(.path(.element(id: 1, action: .start)))
      let third = store.send(.path(.element(id: 2, action: .start)))
      store.send(end)
      await second.finish()
      await third.finish()
      await Task.megaYield()
      #expect(first.isFinished == (end == .replace([20, 30, 40])))
      store.send(.replace([]))
      await first.finish()
    }
  }

  @Test("A stack that was replaced continues with unused ids")
  func replaced() {
    let store = tower(10, 20, 30)
    store.send(.replace([]))
    store.send(.climb(40))
    #expect(store.path.ids == [3])
  }

  @Test("A state that an element presents ends with the element")
  func nestedCancellation() async {
    let store = tower(10, 20)
    store.send(.path(.element(id: 1, action: .openTapped(1))))
    let task = store.send(.path(.element(id: 1, action: .inner(.presented(.start)))))
    #expect(!task.isFinished)
    store.send(.removeFirst)
    await Task.megaYield()
    #expect(!task.isFinished)
    store.send(.path(.popFrom(id: 1)))
    await task.finish()
  }

  @Test("An element pops itself and those above it")
  func dismiss() async {
    let path = StackState([10, 20, 30].map { PaperSheet.State(id: $0) })
    let store = TestStore(initialState: Tower.State(path: path)) { Tower() }
    await store.send(\.path[id: 1].closeTapped)
    await store.receive(\.path.popFrom) {
      $0.popped = [1]
      $0.path.pop(from: 1)
    }
    await store.send(.climb(40)) {
      $0.path.append(PaperSheet.State(id: 40))
    }
    await store.send(\.path[id: 3].tick) {
      $0.path[id: 3]?.ticks = 1
    }
    await store.finish()
  }

  @Test("An element's `isPresented` is true")
  func isPresented() {
    let store = tower(10)
    store.send(.path(.element(id: 0, action: .look)))
    #expect(store.path[id: 0]?.wasPresented == true)
  }

  @Test("An action for an absent element is reported with its id, and ignored")
  func absent() {
    let store = tower(10)
    let actions: [Tower.Action] = [
      .path(.element(id: 7, action: .tick)), .path(.popFrom(id: 7)),
    ]
    for action in actions {
      withKnownIssue {
        _ = store.send(action)
      } matching: { issue in
        issue.description.contains("A \"forEach\" at \"StoreActorTests/NavigationFixtures.swift:")
          && issue.description.contains(
            "received a stack action when there was no element with the id #7."
          )
          && issue.description.contains("popped the element")
      }
    }
    #expect(store.path.map(\.id) == [10])
    #expect(store.popped == [])
  }
}
