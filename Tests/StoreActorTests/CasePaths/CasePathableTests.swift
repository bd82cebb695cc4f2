import StoreActor
import Testing

@Suite("An enum with case paths")
struct CasePathableTests {
  @Test("has its cases' values as properties with dynamic member lookup")
  func dotAccess() {
    let action = ChildAction.moved(1)
    #expect(action.moved == 1)
    #expect(action.tapped == nil)
    #expect(action.load == nil)
    #expect([ChildAction.tapped, .moved(1), .moved(3)].compactMap(\.moved) == [1, 3])
  }

  @Test("replaces a case's value, and leaves a value of another case unchanged")
  func replaces() {
    var action = ChildAction.moved(1)
    action[case: \.moved] = 2
    #expect(action == .moved(2))
    action[case: \.load] = .response(.success(1))
    #expect(action == .moved(2))
    action[case: \.moved]? += 1
    #expect(action == .moved(3))
    action[case: \.moved] = nil
    #expect(action == .moved(3))
  }

  @Test("changes the value of a case in place")
  func modifies() {
    var action = ParentAction.child(.load(.response(.success(1))))
    action.modify(\.child.load.response.success) { $0 += 1 }
    #expect(action == .child(.load(.response(.success(2)))))
  }

  @Test("reports an attempt to change the value of another case")
  func modifiesAnother() {
    var action = ParentAction.refreshed
    withKnownIssue {
      action.modify(\.child.moved) { $0 += 1 }
    } matching: {
      $0.comments.description.contains("Can't modify the \"Int\"")
        && $0.comments.description.contains("refreshed")
    }
    #expect(action == .refreshed)
  }

  @Test("keeps the changes that preceded a thrown error")
  func modifiesAndThrows() {
    var action = ChildAction.moved(1)
    #expect(throws: LoadError.self) {
      try action.modify(\.moved) {
        $0 = 2
        throw LoadError()
      }
    }
    #expect(action == .moved(2))
  }

  @Test("lists the key paths of its cases in order")
  func iterates() {
    #expect(Array(ParentAction.allCasePaths) == [\.refreshed, \.child, \.renamed, \.note])
  }

  @Test("returns the key path of a value's case")
  func reflects() {
    #expect(ParentAction.allCasePaths[.child(.tapped)] == \ParentAction.Cases.child)
    #expect(ParentAction.allCasePaths[.note(nil)] == \ParentAction.Cases.note)
  }
}

@Suite("The library's enums with case paths")
struct LibraryCasePathTests {
  @Test("An optional has its two cases")
  func optional() {
    #expect(Array(Int?.allCasePaths) == [\.none, \.some])
    #expect(Int?.allCasePaths[1] == \Int?.Cases.some)
    #expect(Int?.allCasePaths[nil] == \Int?.Cases.none)
    #expect((\Int?.Cases.none)() == Int?.none)
    var value: Int? = 1
    value.modify(\.some) { $0 += 1 }
    #expect(value == 2)
  }

  @Test("A result has its two cases")
  func result() {
    typealias Outcome = Result<Int, LoadError>
    #expect(Array(Outcome.allCasePaths) == [\.success, \.failure])
    #expect(Outcome.allCasePaths[.success(1)] == \Outcome.Cases.success)
    #expect(Outcome.allCasePaths[.failure(LoadError())] == \Outcome.Cases.failure)
    #expect(Outcome.success(1)[case: \.success] == 1)
    #expect(Outcome.success(1)[case: \.failure] == nil)
    #expect((\Outcome.Cases.failure)(LoadError()) == Outcome.failure(LoadError()))
  }

  @Test("Never has no cases, and every enum has a `never` case path that matches no value")
  func never() {
    #expect(Array(Never.allCasePaths).isEmpty)
    let path = AnyCasePath<ParentAction, Never>(\.never)
    #expect(path.extract(from: .refreshed) == nil)
    #expect(!ParentAction.refreshed.is(\.never))
  }
}
