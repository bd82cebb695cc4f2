import StoreState
import Testing

/// A document that contradicts itself is rejected with the place.
@Suite(.timeLimit(.minutes(1))) struct SchemaCheckTests {
  private func refusal(
    _ root: Schema,
    _ definitions: [String: Definition] = [:],
    sourceLocation: SourceLocation = #_sourceLocation,
  ) -> String {
    let error = #expect(throws: CodecError.self, sourceLocation: sourceLocation) {
      try SchemaDocument(root: root, definitions: definitions)
    }
    #expect(error?.code == .malformedSchema, sourceLocation: sourceLocation)
    return error?.description ?? ""
  }

  @Test("Names that are not defined")
  func undefined() {
    #expect(refusal(.named("Row")) == "$: \"Row\" is not defined")
    #expect(refusal(.array(.optional(.named("Row")))) == "$: \"Row\" is not defined")
    let list = Definition.record([.init("rows", .dictionary(key: .text, value: .named("Row")))])
    #expect(refusal(.named("List"), ["List": list]) == "$.List.rows: \"Row\" is not defined")
    let choice = Definition.choice([.init("one", [.init("_0", .set(.named("Row")))])])
    #expect(refusal(.named("C"), ["C": choice]) == "$.C.one._0: \"Row\" is not defined")
  }

  @Test("Duplicate fields, cases and labels")
  func duplicates() {
    let record = Definition.record([.init("a", .bool), .init("a", .text)])
    #expect(refusal(.named("R"), ["R": record]) == "$.R: the field \"a\" stands there twice")
    let choice = Definition.choice([.init("a"), .init("b"), .init("a")])
    #expect(refusal(.named("C"), ["C": choice]) == "$.C: the case \"a\" stands there twice")
    let labels = Definition.choice([.init("a", [.init("x", .bool), .init("x", .bool)])])
    #expect(refusal(.named("C"), ["C": labels]) == "$.C.a: the label \"x\" stands there twice")
  }

  @Test("Identified arrays whose elements lack the id")
  func identified() {
    let row = Definition.record([.init("id", .uuid)])
    func identified(_ field: String, _ id: Schema, _ element: Schema) -> Schema {
      .identified(idField: field, id: id, element: element)
    }
    #expect(refusal(identified("id", .uuid, .text)) == "$: text has no id: it is not a record")
    #expect(
      refusal(identified("key", .uuid, .named("Row")), ["Row": row])
        == "$: Row has no field \"key\"; rows that are replicated store their id in one"
    )
    #expect(
      refusal(identified("id", .text, .named("Row")), ["Row": row])
        == "$: the field \"id\" of Row is uuid, the id text"
    )
  }

  @Test("Records that would contain themselves without end")
  func endless() throws {
    let node = Definition.record([.init("next", .named("Node"))])
    #expect(
      refusal(.named("Node"), ["Node": node])
        == "$: a value of \"Node\" would contain itself without end; make a field optional"
    )
    let a = Definition.record([.init("b", .named("B")), .init("c", .named("C"))])
    let b = Definition.record([.init("a", .named("A"))])
    let c = Definition.record([])
    #expect(refusal(.named("A"), ["A": a, "B": b, "C": c]).contains("\"A\" would contain itself"))
    let finite = Definition.record([.init("next", .optional(.named("Node")))])
    _ = try SchemaDocument(root: .named("Node"), definitions: ["Node": finite])
  }

  @Test("A chain of a hundred thousand definitions does not exhaust the stack")
  func longChains() throws {
    let count = 100_000
    var definitions: [String: Definition] = [:]
    for index in 0..<count {
      let next: Schema = index + 1 < count ? .named("\(index + 1)") : .bool
      definitions["\(index)"] = .record([.init("next", next)])
    }
    let document = try SchemaDocument(root: .named("0"), definitions: definitions)
    definitions["\(count - 1)"] = .record([.init("next", .text)])
    let other = try SchemaDocument(root: .named("0"), definitions: definitions)
    #expect(SchemaDocument.differences(between: document, and: document).isEmpty)
    let differences = SchemaDocument.differences(between: document, and: other)
    #expect(differences.count == 1)
    #expect(differences.first?.hasSuffix(".next: bool here, text there") == true)
  }

  @Test("Documents in a form other than the protocol's")
  func malformedBytes() {
    for text in [
      "80", "82 00 a0", "82 6474657874 a0 00", "82 6474657878 a0", "82 80 a0",
      "82 81 656172726179 a0",
      "82 82 656f746865 6474657874 a0", "82 83 656172726179 6474657874 6474657874 a0",
      "82 64626f6f6c a1 6141 82 65747269706c 80", "82 64626f6f6c a1 6141 80",
    ] {
      #expect(throws: CodecError.self, "\(text)") { try SchemaDocument(encoded: hex(text)) }
    }
  }
}
