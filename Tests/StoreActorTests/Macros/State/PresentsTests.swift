import StoreActor
import Testing

@Suite("Presented state in a state")
struct PresentsTests {
  struct Child: Equatable, Sendable {
    var count = 0
  }

  @ObservableState
  struct Parent: Equatable {
    var name = ""
    @Presents var child: Child?
  }

  @Test("The memberwise initializer has an optional parameter for the presented state")
  func memberwise() {
    #expect(Parent().child == nil)
    #expect(Parent(child: Child(count: 2)).child == Child(count: 2))
    #expect(Parent(name: "a", child: nil).name == "a")
  }

  @Test("A presented state changes in place")
  func changes() {
    var parent = Parent(child: Child())
    parent.child?.count += 1
    #expect(parent.child?.count == 1)
    #expect(parent.$child.wrappedValue?.count == 1)
    parent.$child = PresentationState(wrappedValue: nil)
    #expect(parent == Parent())
  }
}
