import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("The expansion of @ObservableState on a replicated struct")
struct ReplicatedRecordExpansionTests {
  @Test("A feature's state is a record with the feature's name")
  func record() {
    expectExpansion(
      """
      public struct Counter {
        @ObservableState
        public struct State: Equatable, StoreState.ReplicatedState {
          public let id: UUID
          public var count = 0
          @Presents public var alert: Alert?
          let limit = 5
          var double: Int { count * 2 }
          @ReplicationIgnored var cache: [Int: String] = [:]
          @Replicated(formerly: "name") var title = ""
          @ReplicatedAsCodable var url: URLComponents
        }
      }
      """,
      recordExpansion,
      macros: stateMacros,
    )
  }

  @Test("An empty record says so")
  func empty() {
    expectExpansion(
      """
      @ObservableState
      struct State: Equatable & ReplicatedState {
      }
      """,
      """
      struct State: Equatable & ReplicatedState {
      }

      extension State: StoreActor::ObservableState {
        static func schema(in registry: inout StoreActor::SchemaRegistry) -> StoreActor::Schema {
          registry.define(Self.self, name: "State") { registry in
            .record([])
          }
        }

        func encode(to encoder: inout StoreActor::CBOREncoder) {
          encoder.mapHeader(0)
        }

        init(from decoder: inout StoreActor::CBORDecoder) throws(StoreActor::CodecError) {
          var fields = try StoreActor::_$FieldReader(&decoder)
          try fields.finish(StoreActor::_$FieldReader.Names([]), &decoder)
        }

        static var _$isPlain: Swift.Bool {
          true
        }

        init(_$plain reader: inout StoreActor::_$PlainReader) throws(StoreActor::_$NotPlain) {
          try reader.record(0)
          reader.leave()
        }

        func encodeDelta(from old: Self, to encoder: inout StoreActor::CBOREncoder) -> Swift.Bool {
          false
        }

        mutating func applyDelta(from decoder: inout StoreActor::CBORDecoder) \
      throws(StoreActor::CodecError) {
          for _ in 0 ..< (try decoder.mapHeader()) {
            _ = try decoder._$fieldPlace(below: 0)
          }
        }

        func _$isSame(as other: Self) -> Swift.Bool {
          return true
        }

        var _$digest: StoreActor::Digest {
          StoreActor::_$DigestWriter().finish()
        }
      }
      """,
      macros: stateMacros,
    )
  }
}

private let recordExpansion = """
  public struct Counter {
    public struct State: Equatable, StoreState.ReplicatedState {
      public let id: UUID
      public var count = 0
      public var alert: Alert? {
        @storageRestrictions(initializes: _alert)
        init(initialValue) {
          _alert = StoreActor::PresentationState<Alert>(wrappedValue: initialValue)
        }
        get {
          _alert.wrappedValue
        }
        set {
          _alert.wrappedValue = newValue
        }
        _modify {
          yield &_alert.wrappedValue
        }
      }

      private var _alert = StoreActor::PresentationState<Alert>(wrappedValue: nil)

      public var $alert: StoreActor::PresentationState<Alert> {
        get {
          _alert.projectedValue
        }
        set {
          _alert.projectedValue = newValue
        }
      }
      let limit = 5
      var double: Int { count * 2 }
      var cache: [Int: String] = [:]
      var title = ""
      var url: URLComponents

      static func _$noteHints(in registry: inout StoreActor::SchemaRegistry) {
        registry._$note("count", \\Self.count, default: 0)
        registry._$note("title", \\Self.title, formerly: ["name"], default: "")
      }
    }
  }

  extension Counter.State: StoreActor::ObservableState {
    public static func schema(in registry: inout StoreActor::SchemaRegistry) -> StoreActor::Schema {
      registry.define(Self.self, name: "Counter") { registry in
        registry._$noteHiddenParts(of: "Counter")
        Self._$noteHints(in: &registry)
        var schema = StoreActor::_$SchemaWriter()
        #sourceLocation(file: "test.swift", line: 4)
        schema.property("id", \\Self.id, in: &registry)
        #sourceLocation()
        #sourceLocation(file: "test.swift", line: 5)
        schema.property("count", \\Self.count, in: &registry)
        #sourceLocation()
        #sourceLocation(file: "test.swift", line: 6)
        schema.property("alert", \\Self._alert, in: &registry)
        #sourceLocation()
        #sourceLocation(file: "test.swift", line: 10)
        schema.property("title", \\Self.title, in: &registry)
        #sourceLocation()
        #sourceLocation(file: "test.swift", line: 11)
        schema.codableProperty("url", \\Self.url, in: &registry)
        #sourceLocation()
        return .record(schema.fields)
      }
    }

    public func encode(to encoder: inout StoreActor::CBOREncoder) {
      encoder.mapHeader(5)
      encoder._$field("id", self.id)
      encoder._$field("url", StoreActor::_$codable(self.url))
      encoder._$field("alert", self._alert)
      encoder._$field("count", self.count)
      encoder._$field("title", self.title)
    }

    public init(from decoder: inout StoreActor::CBORDecoder) throws(StoreActor::CodecError) {
      var fields = try StoreActor::_$FieldReader(&decoder)
      _ = try fields.find("id", Self._$fieldNames, &decoder)
      self.id = try fields.value(of: "id", &decoder)
      _ = try fields.find("url", Self._$fieldNames, &decoder)
      self.url = try fields.codableValue(of: "url", &decoder)
      if try fields.find("alert", hasDefault: true, Self._$fieldNames, &decoder) {
        self._alert = try fields.value(of: "alert", &decoder)
      }
      if try fields.find("count", hasDefault: true, Self._$fieldNames, &decoder) {
        self.count = try fields.value(of: "count", &decoder)
      }
      if try fields.find("title", hasDefault: true, Self._$fieldNames, &decoder) {
        self.title = try fields.value(of: "title", &decoder)
      }
      try fields.finish(Self._$fieldNames, &decoder)
    }

    public static var _$isPlain: Swift.Bool {
      true
    }

    public init(_$plain reader: inout StoreActor::_$PlainReader) throws(StoreActor::_$NotPlain) {
      try reader.record(5)
      self.id = try reader.field("id")
      self.url = try reader.codableField("url")
      self._alert = try reader.field("alert")
      self.count = try reader.field("count")
      self.title = try reader.field("title")
      reader.leave()
    }

    public func encodeDelta(from old: Self, to encoder: inout StoreActor::CBOREncoder) -> \
  Swift.Bool {
      var delta = StoreActor::_$DeltaWriter(record: &encoder)
      delta.field(0, self.id, old.id, &encoder)
      delta.field(1, self.count, old.count, &encoder)
      delta.field(2, self._alert, old._alert, &encoder)
      delta.field(3, self.title, old.title, &encoder)
      delta.field(4, StoreActor::_$codable(self.url), StoreActor::_$codable(old.url), &encoder)
      return delta.finish(&encoder)
    }

    public mutating func applyDelta(from decoder: inout StoreActor::CBORDecoder) \
  throws(StoreActor::CodecError) {
      for _ in 0 ..< (try decoder.mapHeader()) {
        switch try decoder._$fieldPlace(below: 5) {
        case 0:
          self = try Self(_$changing: 0, of: self, from: &decoder)
        case 1:
          try decoder._$apply(to: &self.count, of: "count")
        case 2:
          try decoder._$apply(to: &self._alert, of: "alert")
        case 3:
          try decoder._$apply(to: &self.title, of: "title")
        default:
          try decoder._$applyCodable(to: &self.url, of: "url")
        }
      }
    }

    private init(_$changing place: Swift.Int, of old: Self, from decoder: inout \
  StoreActor::CBORDecoder) throws(StoreActor::CodecError) {
      var new0 = old.id
      if place == 0 {
        try decoder._$apply(to: &new0, of: "id")
      }
      self.id = new0
      self.count = old.count
      self._alert = old._alert
      self.cache = old.cache
      self.title = old.title
      self.url = old.url
    }

    public func _$isSame(as other: Self) -> Swift.Bool {
      guard StoreActor::_$areSame(self.id, other.id) else {
        return false
      }
      guard StoreActor::_$areSame(self.count, other.count) else {
        return false
      }
      guard StoreActor::_$areSame(self._alert, other._alert) else {
        return false
      }
      guard StoreActor::_$areSame(self.title, other.title) else {
        return false
      }
      guard StoreActor::_$areSame(StoreActor::_$codable(self.url), \
  StoreActor::_$codable(other.url)) else {
        return false
      }
      return true
    }

    public var _$digest: StoreActor::Digest {
      var digest = StoreActor::_$DigestWriter()
      digest.field(0x7f77_931e_2005_eb7c, self.id)
      digest.field(0xacc8_f8b2_070b_5629, self.count)
      digest.field(0xb666_ebc5_b73f_5288, self._alert)
      digest.field(0x3463_3c51_7121_938c, self.title)
      digest.field(0x6050_185d_1df7_b906, StoreActor::_$codable(self.url))
      return digest.finish()
    }

    private static var _$fieldNames: StoreActor::_$FieldReader.Names {
      StoreActor::_$FieldReader.Names(["id", "count", "alert", "title", "url"], formerly: \
  ["title": "name"])
    }
  }
  """
