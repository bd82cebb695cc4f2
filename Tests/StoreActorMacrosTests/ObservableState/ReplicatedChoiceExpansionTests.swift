import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("The expansion of @ObservableState on a replicated enum")
struct ReplicatedChoiceExpansionTests {
  @Test("An enum is a choice of its cases")
  func choice() {
    expectExpansion(
      """
      extension Feature {
        @ObservableState
        package enum Destination: ReplicatedState {
          case none
          @Replicated(formerly: "change") case edit(id: Int, title: String)
          case unordered(zebra: Int, a: Int)
        }
      }
      """,
      choiceExpansion,
      macros: stateMacros,
    )
  }

  @Test("An enum with raw values needs no members")
  func rawValues() {
    expectExpansion(
      """
      @ObservableState
      enum Filter: String, CaseIterable, ReplicatedState {
        case all
      }
      """,
      """
      enum Filter: String, CaseIterable, ReplicatedState {
        case all
      }

      extension Filter: StoreActor::ObservableState {
        var _$id: StoreActor::ObservableStateID {
          switch self {
          case .all:
            StoreActor::ObservableStateID()._$tag(0)
          }
        }
      }
      """,
      macros: stateMacros,
    )
  }
}

private let choiceExpansion = """
  extension Feature {
    package enum Destination: ReplicatedState {
      case none
      case edit(id: Int, title: String)
      case unordered(zebra: Int, a: Int)

      static func _$noteHints(in registry: inout StoreActor::SchemaRegistry) {
        registry.note(Self.self, "edit", formerly: ["change"])
      }
    }
  }

  extension Feature.Destination: StoreActor::ObservableState {
    package var _$id: StoreActor::ObservableStateID {
      switch self {
      case .none:
        StoreActor::ObservableStateID()._$tag(0)
      case .edit:
        StoreActor::ObservableStateID()._$tag(1)
      case .unordered:
        StoreActor::ObservableStateID()._$tag(2)
      }
    }

    package static func schema(in registry: inout StoreActor::SchemaRegistry) -> StoreActor::Schema {
      registry.define(Self.self, name: "Feature.Destination") { registry in
        Self._$noteHints(in: &registry)
        var schema = StoreActor::_$SchemaWriter()
        schema.case("none")
        #sourceLocation(file: "test.swift", line: 5)
        schema.case("edit", ["id", "title"], Self.edit, in: &registry)
        #sourceLocation()
        #sourceLocation(file: "test.swift", line: 6)
        schema.case("unordered", ["zebra", "a"], Self.unordered, in: &registry)
        #sourceLocation()
        return .choice(schema.cases)
      }
    }

    package func encode(to encoder: inout StoreActor::CBOREncoder) {
      switch self {
      case .none:
        encoder.encode(name: "none")
      case .edit(let part0, let part1):
        encoder._$payload(of: "edit", 2)
        encoder._$field("id", part0)
        encoder._$field("title", part1)
      case .unordered(let part0, let part1):
        encoder._$payload(of: "unordered", 2)
        encoder._$field("a", part1)
        encoder._$field("zebra", part0)
      }
    }

    package init(from decoder: inout StoreActor::CBORDecoder) throws(StoreActor::CodecError) {
      let choice = try StoreActor::_$ChoiceReader(&decoder)
      if try choice.finds("none", hasPayload: false, &decoder) {
        self = .none
      } else if try choice.finds("edit", formerly: "change", hasPayload: true, &decoder) {
        do throws(StoreActor::CodecError) {
          var fields = try StoreActor::_$FieldReader(&decoder)
          self = .edit(id: try fields.nextValue(of: "id", StoreActor::_$FieldReader.Names(["id", \
  "title"]), &decoder), title: try fields.nextValue(of: "title", \
  StoreActor::_$FieldReader.Names(["id", "title"]), &decoder))
          try fields.finish(StoreActor::_$FieldReader.Names(["id", "title"]), &decoder)
        } catch {
          throw error.inside(.name("edit"))
        }
      } else if try choice.finds("unordered", hasPayload: true, &decoder) {
        do throws(StoreActor::CodecError) {
          var parts = try StoreActor::_$ShuffledReader(["zebra", "a"], order: [1, 0], &decoder)
          self = .unordered(zebra: try parts.value(0, of: "zebra"), a: try parts.value(1, of: "a"))
        } catch {
          throw error.inside(.name("unordered"))
        }
      } else {
        throw choice.unknown(Self._$caseNames, &decoder)
      }
    }

    private static var _$caseNames: [Swift.String] {
      ["none", "edit", "unordered"]
    }

    package func encodeDelta(from old: Self, to encoder: inout StoreActor::CBOREncoder) -> \
  Swift.Bool {
      switch self {
      case .none:
        if case .none = old {
          return false
        }
      case .edit(let part0, let part1):
        if case .edit(let old0, let old1) = old {
          var delta = StoreActor::_$DeltaWriter(case: 1, &encoder)
          delta.field(0, part0, old0, &encoder)
          delta.field(1, part1, old1, &encoder)
          return delta.finish(&encoder)
        }
      case .unordered(let part0, let part1):
        if case .unordered(let old0, let old1) = old {
          var delta = StoreActor::_$DeltaWriter(case: 2, &encoder)
          delta.field(0, part0, old0, &encoder)
          delta.field(1, part1, old1, &encoder)
          return delta.finish(&encoder)
        }
      }
      return encoder._$replacement(self)
    }

    package mutating func applyDelta(from decoder: inout StoreActor::CBORDecoder) \
  throws(StoreActor::CodecError) {
      guard let changed = try decoder._$changedCase(of: 3) else {
        self = try Self(from: &decoder)
        return
      }
      switch self {
      case .none:
        try decoder._$expect(changed, toBe: 0, Self._$caseNames)
        throw decoder._$noPayload(in: "none")
      case .edit(var part0, var part1):
        try decoder._$expect(changed, toBe: 1, Self._$caseNames)
        do throws(StoreActor::CodecError) {
          var changes = try StoreActor::_$PayloadChanges(&decoder)
          while let place = try changes.next(below: 2, &decoder) {
            switch place {
            case 0:
              try decoder._$apply(to: &part0, of: "id")
            default:
              try decoder._$apply(to: &part1, of: "title")
            }
          }
          self = .edit(id: part0, title: part1)
        } catch {
          throw error.inside(.name("edit"))
        }
      case .unordered(var part0, var part1):
        try decoder._$expect(changed, toBe: 2, Self._$caseNames)
        do throws(StoreActor::CodecError) {
          var changes = try StoreActor::_$PayloadChanges(&decoder)
          while let place = try changes.next(below: 2, &decoder) {
            switch place {
            case 0:
              try decoder._$apply(to: &part0, of: "zebra")
            default:
              try decoder._$apply(to: &part1, of: "a")
            }
          }
          self = .unordered(zebra: part0, a: part1)
        } catch {
          throw error.inside(.name("unordered"))
        }
      }
    }

    package func _$isSame(as other: Self) -> Swift.Bool {
      switch self {
      case .none:
        if case .none = other {
          return true
        }
      case .edit(let part0, let part1):
        if case .edit(let other0, let other1) = other {
          guard StoreActor::_$areSame(part0, other0) else {
            return false
          }
          guard StoreActor::_$areSame(part1, other1) else {
            return false
          }
          return true
        }
      case .unordered(let part0, let part1):
        if case .unordered(let other0, let other1) = other {
          guard StoreActor::_$areSame(part0, other0) else {
            return false
          }
          guard StoreActor::_$areSame(part1, other1) else {
            return false
          }
          return true
        }
      }
      return false
    }

    package var _$digest: StoreActor::Digest {
      switch self {
      case .none:
        return StoreActor::Digest(rawValue: 0xe27c_191b_4d19_48cc)
      case .edit(let part0, let part1):
        var digest = StoreActor::_$DigestWriter()
        digest.field(0x7f77_931e_2005_eb7c, part0)
        digest.field(0x3463_3c51_7121_938c, part1)
        return digest.finish(case: 0x7c38_84d4_e709_52df)
      case .unordered(let part0, let part1):
        var digest = StoreActor::_$DigestWriter()
        digest.field(0xe91a_3369_5c28_d4e5, part0)
        digest.field(0x2084_1991_dfbd_7110, part1)
        return digest.finish(case: 0x432c_7ce0_0fbb_24f1)
      }
    }
  }
  """
