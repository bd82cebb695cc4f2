import StoreState
import Testing

@Suite struct SchemaDifferenceTests {
  private func document(
    _ root: Schema,
    _ definitions: [String: Definition],
  ) throws -> SchemaDocument {
    try SchemaDocument(root: root, definitions: definitions)
  }

  private func todos(row: [Definition.Field]) throws -> SchemaDocument {
    try document(
      .named("Todos"),
      [
        "Todos": .record([
          .init("items", .identified(idField: "id", id: .uuid, element: .named("Todo"))),
          .init("filter", .named("Filter")),
        ]),
        "Todo": .record([.init("id", .uuid)] + row),
        "Filter": .choice([.init("all"), .init("only", [.init("count", .int64)])]),
      ],
    )
  }

  @Test("Equal documents do not differ")
  func same() throws {
    let document = SchemaRegistry.document(for: AppState.self)
    #expect(SchemaDocument.differences(between: document, and: document).isEmpty)
  }

  @Test("A field of another kind is reported with both kinds")
  func kinds() throws {
    let here = try todos(row: [.init("title", .text), .init("due", .optional(.date))])
    let there = try todos(row: [.init("title", .int64), .init("due", .optional(.text))])
    #expect(
      SchemaDocument.differences(between: here, and: there) == [
        "Todos.items[].title: text here, int64 there",
        "Todos.items[].due: date here, text there",
      ]
    )
  }

  @Test("Fields, cases and labels of only one side are reported")
  func missing() throws {
    let here = try document(
      .named("A"),
      [
        "A": .record([.init("x", .named("C")), .init("y", .bool)]), "C": .choice([.init("one")]),
      ],
    )
    let there = try document(
      .named("A"),
      [
        "A": .record([.init("x", .named("C")), .init("z", .bool)]),
        "C": .choice([.init("one", [.init("_0", .text)]), .init("two")]),
      ],
    )
    #expect(
      SchemaDocument.differences(between: here, and: there) == [
        "A.y: only here", "A.z: only there", "A.x.two: only there", "A.x.one._0: only there",
      ]
    )
  }

  @Test("Another order of fields is a difference: deltas identify fields by index")
  func order() throws {
    let here = try todos(row: [.init("a", .bool), .init("b", .bool)])
    let there = try todos(row: [.init("b", .bool), .init("a", .bool)])
    #expect(
      SchemaDocument.differences(between: here, and: there) == [
        "Todos.items[]: in the order id, a, b here, id, b, a there"
      ]
    )
  }

  @Test("Other names of the same definitions are not a difference")
  func names() throws {
    let here = try document(.named("A"), ["A": .record([.init("next", .optional(.named("A")))])])
    let there = try document(.named("B"), ["B": .record([.init("next", .optional(.named("B")))])])
    #expect(SchemaDocument.differences(between: here, and: there).isEmpty)
    #expect(here.hash == there.hash)
  }

  @Test("Containers, keys and ids are compared")
  func containers() throws {
    func differences(_ here: Schema, _ there: Schema) throws -> [String] {
      let rows: [String: Definition] = [
        "R": .record([.init("id", .uuid)]), "S": .record([.init("id", .text)]),
        "T": .record([.init("key", .uuid)]), "C": .choice([]),
      ]
      return SchemaDocument.differences(
        between: try document(here, rows),
        and: try document(there, rows),
      )
    }
    #expect(
      try differences(.array(.set(.bool)), .array(.set(.text))) == ["$[][]: bool here, text there"]
    )
    #expect(try differences(.array(.bool), .bool) == ["$: array of bool here, bool there"])
    #expect(
      try differences(
        .dictionary(key: .text, value: .bool),
        .dictionary(key: .uuid, value: .optional(.bool)),
      ) == ["$[key]: text here, uuid there", "$[]: bool here, optional bool there"]
    )
    #expect(
      try differences(
        .identified(idField: "id", id: .uuid, element: .named("R")),
        .identified(idField: "id", id: .text, element: .named("S")),
      ) == ["$[id]: uuid here, text there", "$[].id: uuid here, text there"]
    )
    #expect(
      try differences(
        .identified(idField: "id", id: .uuid, element: .named("R")),
        .identified(idField: "key", id: .uuid, element: .named("T")),
      ) == [
        "$: identified by id here, by key there", "$[].id: only here", "$[].key: only there",
      ]
    )
    #expect(try differences(.named("R"), .named("C")) == ["R: a record here, a choice there"])
  }

  @Test("The number of lines is limited")
  func limit() throws {
    let here = try document(.named("A"), ["A": .record((0..<50).map { .init("f\($0)", .bool) })])
    let there = try document(.named("A"), ["A": .record([])])
    #expect(SchemaDocument.differences(between: here, and: there, limit: 3).count == 3)
  }
}
