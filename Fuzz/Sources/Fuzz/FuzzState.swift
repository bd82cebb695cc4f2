import GenericState
import StoreState

/// A state with a field of every shape, for the targets that need a schema.
struct FuzzState: Hashable, ReplicatedRecord {
  var flag = false
  var small: Int8 = 0
  var wide: Int128 = 0
  var number = 0.0
  var text = "A text that is long enough to be spliced, é and 𝄞 in it."
  var choice = FuzzChoice.none
  var maybe: Int??
  var list: [[Int]] = [[1], [2, 3]]
  var set: Set<String> = ["a", "é"]
  var table: [Int: [String]] = [1: ["x"], 300: []]
  var rows: IdentifiedArrayOf<FuzzRow> = [FuzzRow(id: 1), FuzzRow(id: 2), FuzzRow(id: 3)]
  var any = GenericValue.null

  static let layout = RecordLayout<FuzzState>(
    "FuzzState",
    [
      .field("flag", \.flag), .field("small", \.small), .field("wide", \.wide),
      .field("number", \.number), .field("text", \.text), .field("choice", \.choice),
      .field("maybe", \.maybe), .field("list", \.list), .field("set", \.set),
      .field("table", \.table), .field("rows", \.rows), .field("any", \.any),
    ],
  )

  static let document = SchemaRegistry.document(for: FuzzState.self)
}

/// A row with a child of its own.
struct FuzzRow: Hashable, Identifiable, ReplicatedRecord {
  var id = 0
  var title = ""
  var children: [FuzzRow] = []

  init() {}

  init(id: Int) { self.id = id }

  static let layout = RecordLayout<FuzzRow>(
    "FuzzRow",
    [.field("id", \.id), .field("title", \.title), .field("children", \.children)],
  )
}

enum FuzzChoice: Hashable, ReplicatedChoice {
  case none
  case row(FuzzRow)
  case pair(first: Int, second: String)

  static let layout = ChoiceLayout<FuzzChoice>(
    "FuzzChoice",
    [
      .case("none", .none),
      .case("row", embed: FuzzChoice.row) { if case .row(let row) = $0 { row } else { nil } },
      .case("pair", "first", "second", embed: FuzzChoice.pair(first:second:)) {
        if case .pair(let first, let second) = $0 { (first, second) } else { nil }
      },
    ],
  )
}

/// The same state as another build has it: other order, fewer and more fields.
enum OtherBuild {
  static let document: SchemaDocument? = {
    guard case .record(let fields) = FuzzState.document.definitions["FuzzState"] else { return nil }
    var definitions = FuzzState.document.definitions
    let added = Definition.Field("added", .optional(.text))
    definitions["FuzzState"] = .record(fields.dropFirst(2).reversed() + [added])
    return try? SchemaDocument(root: FuzzState.document.root, definitions: definitions)
  }()

  static let resolution = document.map {
    SchemaResolution(writer: FuzzState.document, reader: ReaderSchema($0))
  }
}
