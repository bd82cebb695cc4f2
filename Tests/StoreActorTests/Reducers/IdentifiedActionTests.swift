import Foundation
import StoreActor
import Testing

@Suite("Actions of rows")
struct IdentifiedActionTests {
  typealias Action = IdentifiedAction<Int, Counter.Action>

  @Test("A row's case path finds the row's actions and no other's")
  func subscriptByID() {
    let path: CaseKeyPath<Action, Int> = \.[id: 1].set
    let other = IdentifiedAction<Int, Counter.Action>.element(id: 2, action: .set(5))
    #expect(path(5) == Action.element(id: 1, action: .set(5)))
    #expect(AnyCasePath(path).extract(from: Action.element(id: 1, action: .set(5))) == 5)
    #expect(AnyCasePath(path).extract(from: other) == nil)
    #expect(Action.element(id: 1, action: .increment).is(\.element))
  }

  @Test("It is encoded as a case with an id and an action, and decoded")
  func codable() throws {
    let action = IdentifiedAction<Int, String>.element(id: 1, action: "tapped")
    let data = try JSONEncoder().encode(action)
    #expect(try JSONDecoder().decode(IdentifiedAction<Int, String>.self, from: data) == action)
    let text = #"{"element":{"id":1,"action":"tapped"}}"#
    #expect(
      try JSONDecoder().decode(IdentifiedAction<Int, String>.self, from: Data(text.utf8)) == action
    )
  }
}
