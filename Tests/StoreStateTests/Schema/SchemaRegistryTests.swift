import StoreState
import Testing

@Suite struct SchemaRegistryTests {
  private enum One {
    struct Row {}
  }

  private enum Other {
    struct Row {}
  }

  @Test("Types with the same preferred name are numbered in the order of their first visits")
  func uniqueNames() {
    var registry = SchemaRegistry()
    let one = registry.define(One.Row.self, name: "Row") { _ in .record([.init("a", .bool)]) }
    let other = registry.define(Other.Row.self, name: "Row") { _ in .record([.init("b", .bool)]) }
    #expect(one == .named("Row"))
    #expect(other == .named("Row2"))
    let again = registry.define(One.Row.self, name: "Row") { _ in
      Issue.record("A type is defined once.")
      return .record([])
    }
    #expect(again == one)
  }

  @Test("A type that contains itself refers to itself by name")
  func recursion() {
    let document = SchemaRegistry.document(for: Tree.self)
    #expect(
      document.definition(of: document.root)
        == .record([.init("value", .int64), .init("children", .array(.named("Tree")))])
    )
    #expect(document.definition(of: .bool) == nil)
  }

  @Test("A type that is used in several places is defined once")
  func sharing() {
    let document = SchemaRegistry.document(for: AppState.self)
    #expect(
      document.definitions.keys.sorted() == ["AppState", "Destination", "Filter", "Todo", "Tree"]
    )
  }
}
