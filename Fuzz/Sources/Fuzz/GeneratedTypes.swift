import Foundation
import StoreState

/// What the macros write for a structure, by hand: instrumented code has no macros.
///
///     @ObservableState
///     struct FuzzGenerated: Hashable, ReplicatedState {
///       @Replicated(formerly: "zz") var a = 0
///       var letters: [FuzzLetter: String] = [:]
///       @ReplicatedAsCodable var codable: [String: Set<Int>] = [:]
///       @ReplicationIgnored var hidden = 0
///     }
struct FuzzGenerated: Hashable, ReplicatedState {
  var a = 0
  var letters: [FuzzLetter: String] = [.bb: "x", .pair(zz: 1, a: "é"): "y"]
  var codable: [String: Set<Int>] = ["x": [1, 2]]
  var hidden = 0

  private static var names: _$FieldReader.Names {
    _$FieldReader.Names(["a", "letters", "codable"], formerly: ["a": "zz"])
  }

  static let document = SchemaRegistry.document(for: FuzzGenerated.self)

  init() {}

  static func schema(in registry: inout SchemaRegistry) -> Schema {
    registry.define(Self.self, name: "FuzzGenerated") { registry in
      registry._$noteHiddenParts()
      var schema = _$SchemaWriter()
      schema.property("a", \Self.a, in: &registry)
      schema.property("letters", \Self.letters, in: &registry)
      schema.codableProperty("codable", \Self.codable, in: &registry)
      return .record(schema.fields)
    }
  }

  func encode(to encoder: inout CBOREncoder) {
    encoder.mapHeader(3)
    encoder._$field("a", a)
    encoder._$field("codable", _$CodableItem(codable))
    encoder._$field("letters", letters)
  }

  init(from decoder: inout CBORDecoder) throws(CodecError) {
    var fields = try _$FieldReader(&decoder)
    if try fields.find("a", hasDefault: true, Self.names, &decoder) {
      a = try fields.value(of: "a", &decoder)
    }
    if try fields.find("codable", hasDefault: true, Self.names, &decoder) {
      codable = try fields.codableValue(of: "codable", &decoder)
    }
    _ = try fields.find("letters", Self.names, &decoder)
    letters = try fields.value(of: "letters", &decoder)
    try fields.finish(Self.names, &decoder)
  }

  func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool {
    var delta = _$DeltaWriter(record: &encoder)
    delta.field(0, a, old.a, &encoder)
    delta.field(1, letters, old.letters, &encoder)
    delta.field(2, _$CodableItem(codable), _$CodableItem(old.codable), &encoder)
    return delta.finish(&encoder)
  }

  mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    for _ in 0..<(try decoder.mapHeader()) {
      switch try decoder._$fieldPlace(below: 3) {
      case 0: try decoder._$apply(to: &a, of: "a")
      case 1: try decoder._$apply(to: &letters, of: "letters")
      default: try decoder._$applyCodable(to: &codable, of: "codable")
      }
    }
  }
}

/// What the macros write for an enumeration whose labels stand in another order than their bytes.
enum FuzzLetter: Hashable, ReplicatedState {
  case bb
  case a
  case pair(zz: Int, a: String)

  private static let names = ["bb", "a", "pair"]

  static func schema(in registry: inout SchemaRegistry) -> Schema {
    registry.define(Self.self, name: "FuzzLetter") { registry in
      var schema = _$SchemaWriter()
      schema.case("bb")
      schema.case("a")
      schema.case("pair", ["zz", "a"], Self.pair, in: &registry)
      return .choice(schema.cases)
    }
  }

  func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .bb: encoder.encode(name: "bb")
    case .a: encoder.encode(name: "a")
    case .pair(let zz, let a):
      encoder._$payload(of: "pair", 2)
      encoder._$field("a", a)
      encoder._$field("zz", zz)
    }
  }

  init(from decoder: inout CBORDecoder) throws(CodecError) {
    let choice = try _$ChoiceReader(&decoder)
    if try choice.finds("bb", hasPayload: false, &decoder) {
      self = .bb
    } else if try choice.finds("a", hasPayload: false, &decoder) {
      self = .a
    } else if try choice.finds("pair", hasPayload: true, &decoder) {
      var parts = try _$ShuffledReader(["zz", "a"], order: [1, 0], &decoder)
      self = .pair(zz: try parts.value(0, of: "zz"), a: try parts.value(1, of: "a"))
    } else {
      throw choice.unknown(Self.names, &decoder)
    }
  }

  func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool {
    if case .pair(let zz, let a) = self, case .pair(let oldZz, let oldA) = old {
      var delta = _$DeltaWriter(case: 2, &encoder)
      delta.field(0, zz, oldZz, &encoder)
      delta.field(1, a, oldA, &encoder)
      return delta.finish(&encoder)
    }
    return self == old ? false : encoder._$replacement(self)
  }

  mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    guard let changed = try decoder._$changedCase(of: 3) else {
      self = try Self(from: &decoder)
      return
    }
    guard case .pair(var zz, var a) = self else {
      throw decoder._$noPayload(in: "a")
    }
    try decoder._$expect(changed, toBe: 2, Self.names)
    var changes = try _$PayloadChanges(&decoder)
    while let place = try changes.next(below: 2, &decoder) {
      if place == 0 {
        try decoder._$apply(to: &zz, of: "zz")
      } else {
        try decoder._$apply(to: &a, of: "a")
      }
    }
    self = .pair(zz: zz, a: a)
  }
}
