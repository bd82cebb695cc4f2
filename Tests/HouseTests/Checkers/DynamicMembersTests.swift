import Testing

@Suite("The check of dynamic members detects its breaches")
struct DynamicMembersTests {
  private let type = """
    /// A store.
    @MainActor
    @dynamicMemberLookup
    public final class Store<State, Action> {
      let core: Int
      public var state: State { read() }
      public subscript<Value>(dynamicMember path: KeyPath<State, Value>) -> Value { self[path] }
      public func send(_ action: Action) { func inner() {} }
    }
    """

  private func found(_ text: String, room: String = "StoreActor") -> [String] {
    let store = swift(type, in: "StoreActor", at: "Store.swift")
    let other = swift(text, in: room, at: "Other.swift")
    return DynamicMembers.check([store, other]).map(\.what)
  }

  @Test(
    "An unlisted public member is found, with any labels",
    arguments: [
      "extension Store { public var end: Int? { nil } }",
      "extension Store where State: Sendable {\n  public func end(of type: Int) {}\n}",
      "extension StoreActor.Store { @discardableResult public final func `end`() -> Int { 1 } }",
    ],
  )
  func member(text: String) {
    for room in ["StoreActor", "StoreServer"] {
      #expect(found(text, room: room).map { $0.contains("'end'") } == [true])
    }
  }

  @Test(
    "A member that hides no other member is not a breach",
    arguments: [
      "extension Store { var end: Int { 1 } }",
      "extension Store { public static var end: Int { 1 } }",
      "extension Store { public var _$end: Int { 1 } }",
      "extension Store { public func send(_ action: Action, twice: Bool) {} }",
      "extension Stores { public var end: Int { 1 } }",
      "extension Store { public struct Row { public var end: Int } }",
      "extension Store { public init(end: Int) {} }",
    ],
  )
  func innocent(text: String) { #expect(found(text).isEmpty) }

  @Test("In a room with a type of the same name, the name refers to that type")
  func ownType() {
    let text = "public class Store { public var end = 1 }"
    #expect(found(text, room: "StoreActorClassic").isEmpty)
  }
}
