import StoreActor
import Testing

@Suite("A case key path")
struct CaseKeyPathTests {
  @Test("creates a root from a value when it is called")
  func embeds() {
    let moved: CaseKeyPath<ChildAction, Int> = \.moved
    let refreshed: CaseKeyPath<ParentAction, Void> = \.refreshed
    let action: ParentAction = refreshed()
    #expect(moved(3) == ChildAction.moved(3))
    #expect(action == .refreshed)
    #expect((\ParentAction.Cases.child.moved)(4) == ParentAction.child(.moved(4)))
    #expect((\ParentAction.Cases.child.tapped)() == ParentAction.child(.tapped))
    let renamed: CaseKeyPath<ParentAction, (first: String, last: String)> = \.renamed
    #expect(renamed((first: "A", last: "B")) == ParentAction.renamed(first: "A", last: "B"))
  }

  @Test("reads the value of its case, and nil of another")
  func extracts() {
    let action = ParentAction.child(.load(.response(.success(7))))
    #expect(action[case: \.child] == .load(.response(.success(7))))
    #expect(action[case: \.child.load.response.success] == 7)
    #expect(action[case: \.child.load.response.failure] == nil)
    #expect(action[case: \.child.moved] == nil)
    #expect(action[case: \.refreshed] == nil)
    #expect(ParentAction.renamed(first: "A", last: "B")[case: \.renamed]?.last == "B")
  }

  @Test("replaces the value of its case and leaves another case unchanged")
  func sets() {
    var action = ParentAction.child(.moved(1))
    action[case: \.child.moved] = 2
    #expect(action == .child(.moved(2)))
    action[case: \.note] = "ignored"
    #expect(action == .child(.moved(2)))
    action[case: \.child] = .tapped
    #expect(action == .child(.tapped))
  }

  @Test("distinguishes a case from the others, independent of its value")
  func compares() {
    let action = ParentAction.child(.moved(1))
    #expect(action.is(\.child))
    #expect(action.is(\.child.moved))
    #expect(!action.is(\.child.tapped))
    #expect(!action.is(\.refreshed))
    #expect(ParentAction.refreshed.is(\.refreshed))
    #expect(ParentAction.note(nil).is(\.note))
  }

  @Test("is a pattern in a switch")
  func matches() {
    func name(_ action: ParentAction) -> String {
      switch action {
      case \.child.load.response.success: "loaded"
      case \.child.load: "loading failed"
      case \.child: "child"
      case \.refreshed: "refreshed"
      default: "other"
      }
    }
    #expect(name(.child(.load(.response(.success(1))))) == "loaded")
    #expect(name(.child(.load(.response(.failure(LoadError()))))) == "loading failed")
    #expect(name(.child(.tapped)) == "child")
    #expect(name(.refreshed) == "refreshed")
    #expect(name(.note("n")) == "other")
  }

  @Test("reaches the wrapped value of an optional")
  func optionals() {
    #expect((\ParentAction.Cases.note)(nil) == ParentAction.note(nil))
    #expect((\ParentAction.Cases.note.some)("n") == ParentAction.note("n"))
    #expect(ParentAction.note("n")[case: \.note.some] == "n")
    #expect(ParentAction.note(nil)[case: \.note.some] == nil)
    #expect(ParentAction.note(nil).is(\.note.none))

    let child: ChildAction? = .moved(1)
    #expect(child.is(\.some))
    #expect(child[case: \.some.moved] == 1)
    #expect(child[case: \.moved] == .some(1))
    #expect(ChildAction?.none[case: \.moved] == nil)
    #expect((\ChildAction?.Cases.moved)(2) == ChildAction?.some(.moved(2)))
  }

  @Test("takes arguments along the path")
  func arguments() {
    let action = ListAction.rows(.row(id: 1, action: .moved(5)))
    #expect(action[case: \.rows[id: 1].moved] == 5)
    #expect(action[case: \.rows[id: 2].moved] == nil)
    #expect(
      (\ListAction.Cases.rows[id: 2].tapped)() == ListAction.rows(.row(id: 2, action: .tapped))
    )
  }

  @Test("is equal to another one along the same path")
  func hashes() {
    let one: PartialCaseKeyPath<ListAction> = \.rows[id: 1].tapped
    #expect(one == \ListAction.Cases.rows[id: 1].tapped)
    #expect(one != \ListAction.Cases.rows[id: 2].tapped)
    #expect(Set([one, \.rows, \.rows[id: 1].tapped]).count == 2)
  }

  @Test("without its value's type embeds only values of that type")
  func partial() {
    let path: PartialCaseKeyPath<ChildAction> = \.moved
    let made: ChildAction? = path(1 as Any)
    let refused: ChildAction? = path("one" as Any)
    #expect(made == .moved(1))
    #expect(refused == nil)
    #expect(ChildAction.moved(2)[case: path] as? Int == 2)
    #expect(ChildAction.tapped[case: path] == nil)
    #expect(path ~= ChildAction.moved(3))
    #expect(!(path ~= ChildAction.tapped))
  }

  @Test("can be sent to another task")
  func sendable() async {
    let path: any CaseKeyPath<ParentAction, Int> & Sendable = \.child.moved
    let action = await Task { path(1) as ParentAction }.value
    #expect(action == .child(.moved(1)))
  }

  @Test("to the root itself is the identity")
  func identity() {
    #expect((\ChildAction.Cases.self)(.tapped) == ChildAction.tapped)
    #expect(ChildAction.moved(1)[case: \.self] == .moved(1))
  }
}
