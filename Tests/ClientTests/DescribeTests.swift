import GenericState
import StoreExposures
import StoreProtocol
import StoreServer
import StoreState
import StoredWorkspace
import Testing

@testable import StorectlMain

@Suite struct DescribeTests {
  private func description(
    _ action: SchemaDocument,
    output: SchemaDocument? = nil,
  ) throws -> ScopeDescription {
    ScopeDescription(
      name: "thing",
      state: try SchemaDocument(
        root: .named("State"),
        definitions: [
          "State": .record([.init("title", .text), .init("kind", .optional(.named("Kind")))]),
          "Kind": .choice([.init("plain"), .init("other", [.init("_0", .text)])]),
        ],
      ),
      action: action,
      id: nil,
      output: output,
    )
  }

  @Test func `The actions of a scope are listed ready to paste, and each type is named once`()
    throws
  {
    let action = try SchemaDocument(
      root: .named("Action"),
      definitions: [
        "Action": .choice([
          .init("tapped"),
          .init("renamed", [.init("title", .text), .init("kind", .named("Kind"))]),
          .init("set", [.init("_0", .array(.named("Row")))]),
        ]),
        "Kind": .choice([.init("plain"), .init("other", [.init("_0", .text)])]),
        "Row": .record([.init("id", .uuid), .init("count", .int64)]),
      ],
    )
    let row = #"{"id":"00000000-0000-0000-0000-000000000000","count":0}"#
    #expect(
      SchemaText(description: try description(action)).lines == [
        "thing", "  state    State", "    title  text", "    kind   optional Kind",
        #"  actions, and the arguments of "storectl send thing""#,
        "    tapped", "      tapped",
        "    renamed(title: text, kind: Kind)",
        #"      '{"renamed":{"title":"text","kind":"plain"}}'"#,
        "    set(array of Row)", #"      '{"set":[\#(row)]}'"#,
        "  types", "    Kind", "      plain", "      other(text)",
        "    Row", "      id     uuid", "      count  int64",
      ]
    )
  }

  @Test func `The replicated outputs of a scope are described as well`() throws {
    let output = try SchemaDocument(
      root: .named("Output"),
      definitions: ["Output": .choice([.init("saved"), .init("failed", [.init("_0", .text)])])],
    )
    let text = SchemaText(
      description: try description(
        SchemaDocument(root: .text, definitions: [:]),
        output: output,
      )
    )
    #expect(
      text.lines.dropFirst(4) == [
        "  actions  none", "  outputs  Output", "    saved", "    failed(text)",
        "  types", "    Kind", "      plain", "      other(text)",
      ]
    )
    #expect(try text.description.json()["output"] != .null)
  }

  @MainActor
  @Test func `Every example of the features that ship is an action`() throws {
    let descriptions = WorkspaceFeature.exposures.map(\.description)
    #expect(descriptions.flatMap(\.actions).count >= 20)
    for description in descriptions {
      let example = ActionExample(document: description.action)
      for action in description.actions {
        let text = example.text(of: action)
        #expect(throws: Never.self, "\(text)") {
          try ActionParser(description: description).action(text)
        }
      }
    }
  }

  @Test func `An example has a value of every kind, and an end`() throws {
    let kinds: [Schema] = [
      .bool, .int8, .uint64, .int128, .float16, .float64, .text, .bytes, .uuid, .date, .duration,
      .url, .null, .any, .optional(.optional(.text)), .set(.int8), .named("Tree"),
      .dictionary(key: .int8, value: .text), .dictionary(key: .date, value: .text),
      .identified(idField: "id", id: .uuid, element: .named("Row")),
    ]
    let document = try SchemaDocument(
      root: .named("Action"),
      definitions: [
        "Action": .choice(
          kinds.enumerated().map { .init("case\($0.offset)", [.init("_0", $0.element)]) }
        ),
        "Row": .record([.init("id", .uuid)]),
        "Tree": .choice([
          .init("node", [.init("_0", .named("Tree")), .init("_1", .array(.named("Tree")))]),
          .init("leaf"),
        ]),
      ],
    )
    let parser = ActionParser(description: try description(document))
    for action in parser.description.actions {
      let text = ActionExample(document: document).text(of: action)
      #expect(throws: Never.self, "\(text)") { try parser.action(text) }
    }
  }

  @Test func `An example ends even if its types are almost endless`() throws {
    let levels = Dictionary(
      uniqueKeysWithValues: (0..<8).map { level in
        let fields = (0..<30).map { Definition.Field("f\($0)", .named("L\(level + 1)")) }
        return ("L\(level)", Definition.record(fields))
      }
    )
    let action = Definition.Case("go", [.init("_0", .named("L0")), .init("_1", .named("L0"))])
    let document = try SchemaDocument(
      root: .named("Action"),
      definitions: levels.merging(["L8": .record([]), "Action": .choice([action])]) { $1 },
    )
    let example = ActionExample(document: document)
    #expect(example.text(of: action).utf8.count < 50_000)
    #expect(example.texts(of: action).map(\.utf8.count).reduce(0, +) < 50_000)
  }

  @Test func `A word with quotes is one word of a shell`() {
    #expect(ShellWord.quoted("plain") == "plain")
    #expect(ShellWord.quoted("a 'b'; c") == #"'a '\''b'\''; c'"#)
    #expect(ShellWord.quoted("") == "''")
  }
}
