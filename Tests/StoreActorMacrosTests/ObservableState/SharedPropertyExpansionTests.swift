import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("The expansion of @ObservableState on a struct with shared properties")
struct SharedPropertyExpansionTests {
  @Test("What is shared travels as its value, and keeps its key where it has one")
  func record() {
    expectExpansion(
      """
      @ObservableState
      struct State: ReplicatedState {
        @Shared var count: Int
        @Shared(.name) var name = ""
      }
      """,
      expansion,
      macros: stateMacros,
    )
  }

  private let expansion = """
    struct State: ReplicatedState {
      @Shared var count: Int
      @Shared(.name) var name = ""

      static func _$noteHints(in registry: inout StoreActor::SchemaRegistry) {
        registry._$note("name", \\Self.name, default: "")
      }
    }

    extension State: StoreActor::ObservableState {
      static func schema(in registry: inout StoreActor::SchemaRegistry) -> StoreActor::Schema {
        registry.define(Self.self, name: "State") { registry in
          Self._$noteHints(in: &registry)
          registry._$noteForgetful("State.count")
          var schema = StoreActor::_$SchemaWriter()
          #sourceLocation(file: "test.swift", line: 3)
          schema.property("count", \\Self._count, in: &registry)
          #sourceLocation()
          #sourceLocation(file: "test.swift", line: 4)
          schema.property("name", \\Self._name, in: &registry)
          #sourceLocation()
          return .record(schema.fields)
        }
      }

      func encode(to encoder: inout StoreActor::CBOREncoder) {
        encoder.mapHeader(2)
        encoder._$field("name", self._name)
        encoder._$field("count", self._count)
      }

      init(from decoder: inout StoreActor::CBORDecoder) throws(StoreActor::CodecError) {
        var fields = try StoreActor::_$FieldReader(&decoder)
        if try fields.find("name", hasDefault: true, Self._$fieldNames, &decoder) {
          self._name._$take(try fields.value(of: "name", &decoder), isKept: decoder._$isDurable)
        }
        _ = try fields.find("count", Self._$fieldNames, &decoder)
        self._count = try fields.value(of: "count", &decoder)
        try fields.finish(Self._$fieldNames, &decoder)
      }

      static var _$isPlain: Swift.Bool {
        true
      }

      init(_$plain reader: inout StoreActor::_$PlainReader) throws(StoreActor::_$NotPlain) {
        try reader.record(2)
        self._name._$take(try reader.field("name"), isKept: reader._$isDurable)
        self._count = try reader.field("count")
        reader.leave()
      }

      func encodeDelta(from old: Self, to encoder: inout StoreActor::CBOREncoder) -> Swift.Bool {
        var delta = StoreActor::_$DeltaWriter(record: &encoder)
        delta.field(0, self._count, old._count, &encoder)
        delta.field(1, self._name, old._name, &encoder)
        return delta.finish(&encoder)
      }

      mutating func applyDelta(from decoder: inout StoreActor::CBORDecoder) \
    throws(StoreActor::CodecError) {
        for _ in 0 ..< (try decoder.mapHeader()) {
          switch try decoder._$fieldPlace(below: 2) {
          case 0:
            try decoder._$apply(to: &self._count, of: "count")
          default:
            try decoder._$apply(to: &self._name, of: "name")
          }
        }
      }

      func _$isSame(as other: Self) -> Swift.Bool {
        guard StoreActor::_$areSame(self._count, other._count) else {
          return false
        }
        guard StoreActor::_$areSame(self._name, other._name) else {
          return false
        }
        return true
      }

      var _$digest: StoreActor::Digest {
        var digest = StoreActor::_$DigestWriter()
        digest.field(0xacc8_f8b2_070b_5629, self._count)
        digest.field(0x6a7c_4762_3aff_ab77, self._name)
        return digest.finish()
      }

      private static var _$fieldNames: StoreActor::_$FieldReader.Names {
        StoreActor::_$FieldReader.Names(["count", "name"])
      }
    }
    """
}
