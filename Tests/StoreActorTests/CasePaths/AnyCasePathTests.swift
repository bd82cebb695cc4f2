import StoreActor
import Testing

@Suite("A case path of two functions")
struct AnyCasePathTests {
  @Test("embeds and extracts as its functions do")
  func functions() {
    let even = AnyCasePath<Int, Int>(embed: { $0 * 2 }, extract: { $0 % 2 == 0 ? $0 / 2 : nil })
    #expect(even.embed(4) == 8)
    #expect(even.extract(from: 8) == 4)
    #expect(even.extract(from: 7) == nil)
  }

  @Test("of a key path is equivalent to the key path")
  func resolved() {
    let path = AnyCasePath(\ParentAction.Cases.child.load.response.success)
    #expect(path.embed(1) == .child(.load(.response(.success(1)))))
    #expect(path.extract(from: .child(.load(.response(.success(2))))) == 2)
    #expect(path.extract(from: .child(.tapped)) == nil)
    #expect(AnyCasePath(\ParentAction.Cases.refreshed).embed() == .refreshed)
  }

  @Test("of the root embeds and extracts the root")
  func identity() {
    let path = AnyCasePath(\ChildAction.Cases.self)
    #expect(path.embed(.tapped) == .tapped)
    #expect(path.extract(from: .moved(1)) == .moved(1))
    #expect(AnyCasePath<Int, Int>().embed(1) == 1)
  }

  @Test("continues along another case path")
  func appends() {
    let path = AnyCasePath(\ParentAction.Cases.child).appending(AnyCasePath(\.moved))
    #expect(path.embed(1) == .child(.moved(1)))
    #expect(path.extract(from: .child(.moved(2))) == 2)
    #expect(path.extract(from: .child(.tapped)) == nil)
    #expect(path.extract(from: .refreshed) == nil)
  }

  @Test("describes its types")
  func describes() {
    #expect("\(AnyCasePath(\ChildAction.Cases.moved))" == "AnyCasePath<ChildAction, Int>")
  }

  @Test("of a case by its own functions erases and finds the root's type")
  func cases() {
    let moved = Case<Int>(
      embed: { ChildAction.moved($0) },
      extract: { $0.moved },
    )
    #expect(moved._$embed(1) as? ChildAction == .moved(1))
    #expect(moved._$extract(from: ChildAction.moved(2)) == 2)
    #expect(moved._$extract(from: "no action") == nil)
    #expect(Case<Int>()._$embed(3) as? Int == 3)
    #expect(Case<Int>()._$extract(from: 3) == 3)
  }
}
