import StoreState
import Synchronization

/// The macro's output for a record that contains itself, in an array and in a type that only a
/// decoder can read.
struct Node: Equatable, Identifiable, ReplicatedState {
  var id: Int
  var name: String?
  var children: [Node]
  var byKey: [String: Node]

  init(id: Int = 0, name: String? = nil, children: [Node] = [], byKey: [String: Node] = [:]) {
    self.id = id
    self.name = name
    self.children = children
    self.byKey = byKey
  }

  /// A chain of `levels` nodes, each of which contains the next one under a key.
  static func chain(_ levels: Int) -> Node {
    (0..<levels).reduce(Node(id: -1)) { node, level in Node(id: level, byKey: ["a": node]) }
  }

  static func schema(in registry: inout SchemaRegistry) -> Schema {
    registry.define(Self.self, name: "Node") { registry in
      var schema = _$SchemaWriter()
      schema.property("id", \Self.id, in: &registry)
      schema.property("name", \Self.name, in: &registry)
      schema.property("children", \Self.children, in: &registry)
      schema.property("byKey", \Self.byKey, in: &registry)
      return .record(schema.fields)
    }
  }

  func encode(to encoder: inout CBOREncoder) {
    encoder.mapHeader(4)
    encoder._$field("id", id)
    encoder._$field("name", name)
    encoder._$field("byKey", byKey)
    encoder._$field("children", children)
  }

  init(from decoder: inout CBORDecoder) throws(CodecError) {
    Self.begun.withLock { $0 += 1 }
    var fields = try _$FieldReader(&decoder)
    _ = try fields.find("id", Self._$fieldNames, &decoder)
    id = try fields.value(of: "id", &decoder)
    if try fields.find("name", hasDefault: true, Self._$fieldNames, &decoder) {
      name = try fields.value(of: "name", &decoder)
    }
    _ = try fields.find("byKey", Self._$fieldNames, &decoder)
    byKey = try fields.value(of: "byKey", &decoder)
    _ = try fields.find("children", Self._$fieldNames, &decoder)
    children = try fields.value(of: "children", &decoder)
    try fields.finish(Self._$fieldNames, &decoder)
  }

  static var _$isPlain: Bool { true }

  init(_$plain reader: inout _$PlainReader) throws(_$NotPlain) {
    Self.begun.withLock { $0 += 1 }
    try reader.record(4)
    id = try reader.field("id")
    name = try reader.field("name")
    byKey = try reader.field("byKey")
    children = try reader.field("children")
    reader.leave()
  }

  private static var _$fieldNames: _$FieldReader.Names {
    _$FieldReader.Names(["id", "name", "children", "byKey"], formerly: ["children": "rows"])
  }

  /// The number of nodes that readers and decoders have begun to read.
  static let begun = Mutex(0)
}

/// The macro's output for an enumeration.
enum Step: Equatable, ReplicatedState {
  case done
  case move(from: Int, to: Int?)

  static func schema(in registry: inout SchemaRegistry) -> Schema {
    registry.define(Self.self, name: "Step") { registry in
      var schema = _$SchemaWriter()
      schema.case("done")
      schema.case("move", ["from", "to"], Self.move, in: &registry)
      return .choice(schema.cases)
    }
  }

  func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .done:
      encoder.encode(name: "done")
    case .move(let from, let to):
      encoder._$payload(of: "move", 2)
      encoder._$field("to", to)
      encoder._$field("from", from)
    }
  }

  init(from decoder: inout CBORDecoder) throws(CodecError) {
    let choice = try _$ChoiceReader(&decoder)
    if try choice.finds("done", hasPayload: false, &decoder) {
      self = .done
    } else if try choice.finds("move", hasPayload: true, &decoder) {
      var parts = try _$ShuffledReader(["from", "to"], order: [1, 0], &decoder)
      self = .move(from: try parts.value(0, of: "from"), to: try parts.value(1, of: "to"))
    } else {
      throw choice.unknown(["done", "move"], &decoder)
    }
  }

  static var _$isPlain: Bool { true }

  init(_$plain reader: inout _$PlainReader) throws(_$NotPlain) {
    let hasPayload = try reader.choice()
    if !hasPayload, reader.finds("done") {
      self = .done
    } else if hasPayload, reader.finds("move") {
      try reader.record(2)
      let to: Int? = try reader.field("to")
      self = .move(from: try reader.field("from"), to: to)
      reader.leave()
      reader.leave()
    } else {
      throw _$NotPlain()
    }
  }
}
