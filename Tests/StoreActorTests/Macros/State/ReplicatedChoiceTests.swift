import StoreActor
import StoreState
import Testing

@ObservableState
enum GeneratedChoice: Equatable, ReplicatedState {
  case none
  case edit(id: Int, title: String)
  case unordered(zebra: Int, a: [String], _: Bool)
  case child(Generated.Child)
  case other(Int?, Int)
  indirect case nested(GeneratedChoice)
}

enum WrittenChoice: Equatable {
  case none
  case edit(id: Int, title: String)
  case unordered(zebra: Int, a: [String], _: Bool)
  case child(Generated.Child)
  case other(Int?, Int)
  indirect case nested(WrittenChoice)
}

extension WrittenChoice: ReplicatedChoice {
  static let layout = ChoiceLayout<Self>(
    "GeneratedChoice",
    [
      .case("none", .none),
      .case("edit", "id", "title", embed: Self.edit) {
        if case .edit(let id, let title) = $0 { (id, title) } else { nil }
      },
      .case("unordered", "zebra", "a", "_2", embed: Self.unordered) {
        if case .unordered(let zebra, let a, let flag) = $0 { (zebra, a, flag) } else { nil }
      },
      .case("child", embed: Self.child) {
        if case .child(let child) = $0 { child } else { nil }
      },
      .case("other", embed: Self.other) {
        if case .other(let one, let other) = $0 { (one, other) } else { nil }
      },
      .case("nested", embed: Self.nested) {
        if case .nested(let nested) = $0 { nested } else { nil }
      },
    ],
  )

  var twin: GeneratedChoice {
    switch self {
    case .none: .none
    case .edit(let id, let title): .edit(id: id, title: title)
    case .unordered(let zebra, let a, let flag): .unordered(zebra: zebra, a: a, flag)
    case .child(let child): .child(child)
    case .other(let one, let other): .other(one, other)
    case .nested(let nested): .nested(nested.twin)
    }
  }
}

@Suite("Generated choices")
struct ReplicatedChoiceTests {
  static let values: [WrittenChoice] = [
    .none, .edit(id: 1, title: "a"), .edit(id: 1, title: "b"), .edit(id: 2, title: "b"),
    .unordered(zebra: 1, a: [], true), .unordered(zebra: 1, a: ["x"], false),
    .unordered(zebra: 2, a: ["x", "y"], false), .child(Generated.Child(id: 1, isOn: true)),
    .child(Generated.Child(id: 1, isOn: false)), .other(nil, 3), .other(4, 3), .other(4, 5),
    .nested(.none), .nested(.edit(id: 1, title: "a")), .nested(.edit(id: 7, title: "a")),
  ]

  @Test("The schema is that of a layout")
  func schema() {
    #expect(
      SchemaRegistry.document(for: GeneratedChoice.self)
        == SchemaRegistry.document(for: WrittenChoice.self)
    )
  }

  @Test("Encodings, digests and deltas are those of a layout", arguments: values)
  func equality(one: WrittenChoice) throws {
    let generated = one.twin
    #expect(generated.encoded() == one.encoded())
    #expect(generated._$digest == one._$digest)
    #expect(try GeneratedChoice(encoded: one.encoded()) == generated)
    for other in Self.values {
      #expect(generated._$isSame(as: other.twin) == one._$isSame(as: other))
      let delta = generated.delta(from: other.twin)
      #expect(delta == one.delta(from: other))
      guard let delta else { continue }
      #expect(try other.twin.applying(delta: delta) == generated)
    }
  }

  @Test("Malformed bytes give the same error as a layout", arguments: values)
  func malformed(one: WrittenChoice) throws {
    for bytes in ReplicatedRecordTests.damaged(one.encoded()) {
      #expect(
        ReplicatedRecordTests.failure { try GeneratedChoice(encoded: bytes) }
          == ReplicatedRecordTests.failure { try WrittenChoice(encoded: bytes) }
      )
    }
    for other in Self.values {
      guard let delta = other.delta(from: one) else { continue }
      for bytes in ReplicatedRecordTests.damaged(delta) {
        #expect(
          ReplicatedRecordTests.failure { try one.twin.applying(delta: bytes) }
            == ReplicatedRecordTests.failure { try one.applying(delta: bytes) }
        )
      }
    }
  }

  @Test("A case keeps its identity while its payload changes, and cases differ")
  func identity() {
    #expect(GeneratedChoice.none._$id == GeneratedChoice.none._$id)
    #expect(GeneratedChoice.none._$id != GeneratedChoice.edit(id: 1, title: "")._$id)
    let child = GeneratedChoice.child(Generated.Child(id: 1, isOn: true))
    #expect(child._$id == GeneratedChoice.child(Generated.Child(id: 1, isOn: false))._$id)
    #expect(child._$id != GeneratedChoice.child(Generated.Child(id: 2, isOn: true))._$id)
  }
}
