import Foundation
import StoreState

/// A row as features have them.
///
/// The layout is what a program writes by hand.
struct LayoutRow: Codable, Hashable, Identifiable, ReplicatedRecord {
  var id = 0
  var title = ""
  var isCompleted = false
  var tags: [String] = []
  var priority = 0.0
  var note: String?

  static let layout = RecordLayout<LayoutRow>(
    "Row",
    [
      .field("id", \.id), .field("title", \.title), .field("isCompleted", \.isCompleted),
      .field("tags", \.tags), .field("priority", \.priority), .field("note", \.note),
    ],
  )

  init() {}

  init(_ index: Int) {
    id = index
    title = "Buy \(index) litres of milk"
    isCompleted = index % 3 == 0
    tags = index % 2 == 0 ? ["home", "shopping"] : []
    priority = Double(index) / 8
    note = index % 4 == 0 ? "From the shop at the corner, not from the other one" : nil
  }
}

/// The same row with the code that `@ObservableState` writes for a state that is replicated.
struct MacroRow: Identifiable, ReplicatedState {
  var id: Int
  var title: String
  var isCompleted: Bool
  var tags: [String]
  var priority: Double
  var note: String?

  init(_ row: LayoutRow) {
    id = row.id
    title = row.title
    isCompleted = row.isCompleted
    tags = row.tags
    priority = row.priority
    note = row.note
  }

  static func schema(in registry: inout SchemaRegistry) -> Schema {
    registry.define(Self.self, name: "Row") { registry in
      var schema = _$SchemaWriter()
      schema.property("id", \Self.id, in: &registry)
      schema.property("title", \Self.title, in: &registry)
      schema.property("isCompleted", \Self.isCompleted, in: &registry)
      schema.property("tags", \Self.tags, in: &registry)
      schema.property("priority", \Self.priority, in: &registry)
      schema.property("note", \Self.note, in: &registry)
      return .record(schema.fields)
    }
  }

  func encode(to encoder: inout CBOREncoder) {
    encoder.mapHeader(6)
    encoder._$field("id", id)
    encoder._$field("note", note)
    encoder._$field("tags", tags)
    encoder._$field("title", title)
    encoder._$field("priority", priority)
    encoder._$field("isCompleted", isCompleted)
  }

  init(from decoder: inout CBORDecoder) throws(CodecError) {
    var fields = try _$FieldReader(&decoder)
    _ = try fields.find("id", Self._$fieldNames, &decoder)
    id = try fields.value(of: "id", &decoder)
    _ = try fields.find("note", Self._$fieldNames, &decoder)
    note = try fields.value(of: "note", &decoder)
    _ = try fields.find("tags", Self._$fieldNames, &decoder)
    tags = try fields.value(of: "tags", &decoder)
    _ = try fields.find("title", Self._$fieldNames, &decoder)
    title = try fields.value(of: "title", &decoder)
    _ = try fields.find("priority", Self._$fieldNames, &decoder)
    priority = try fields.value(of: "priority", &decoder)
    _ = try fields.find("isCompleted", Self._$fieldNames, &decoder)
    isCompleted = try fields.value(of: "isCompleted", &decoder)
    try fields.finish(Self._$fieldNames, &decoder)
  }

  private static var _$fieldNames: _$FieldReader.Names {
    _$FieldReader.Names(["id", "title", "isCompleted", "tags", "priority", "note"])
  }
}
