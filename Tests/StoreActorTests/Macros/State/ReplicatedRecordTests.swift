import StoreActor
import StoreState
import Testing

/// A state with a generated conformance, and its twin with a manual layout.
enum Generated {
  @ObservableState
  struct State: Equatable, ReplicatedState {
    let id: UUID
    var title: String
    var count: Int
    private(set) var tags: [String]
    fileprivate var child: Child
    let maybe: Child?
    var children: IdentifiedArrayOf<Child>
    var byName: [String: Double]
    let limit = 5
    var double: Int { count * 2 }
    static let shared = 3
  }

  @ObservableState
  struct Child: Equatable, Identifiable, ReplicatedState {
    var id: Int
    var isOn: Bool
  }
}

enum Written {
  struct State: Equatable, Sendable {
    var id = UUID(0)
    var title = ""
    var count = 0
    var tags: [String] = []
    var child = Child()
    var maybe: Child?
    var children: IdentifiedArrayOf<Child> = []
    var byName: [String: Double] = [:]
  }

  struct Child: Equatable, Identifiable, Sendable {
    var id = 0
    var isOn = false
  }
}

extension Written.State: ReplicatedRecord {
  static let layout = RecordLayout<Self>(
    "Generated",
    [
      .field("id", \.id), .field("title", \.title), .field("count", \.count),
      .field("tags", \.tags), .field("child", \.child), .field("maybe", \.maybe),
      .field("children", \.children), .field("byName", \.byName),
    ],
  )
}

extension Written.Child: ReplicatedRecord {
  static let layout = RecordLayout<Self>(
    "Generated.Child",
    [.field("id", \.id), .field("isOn", \.isOn)],
  )
}

extension Generated.State {
  init(_ twin: Written.State) {
    self.init(
      id: twin.id,
      title: twin.title,
      count: twin.count,
      tags: twin.tags,
      child: Generated.Child(twin.child),
      maybe: twin.maybe.map(Generated.Child.init),
      children: IdentifiedArray(uniqueElements: twin.children.map(Generated.Child.init)),
      byName: twin.byName,
    )
  }
}

extension Generated.Child {
  init(_ twin: Written.Child) { self.init(id: twin.id, isOn: twin.isOn) }
}

@Suite("Generated records")
struct ReplicatedRecordTests {
  @Test("The schema is that of a layout")
  func schema() {
    #expect(
      SchemaRegistry.document(for: Generated.State.self)
        == SchemaRegistry.document(for: Written.State.self)
    )
  }

  @Test("Encodings, digests and deltas are those of a layout")
  func values() throws {
    var random = SystemRandomNumberGenerator()
    var states = [Written.State(), .random(&random)]
    for _ in 0..<60 {
      var changed = states.randomElement(using: &random) ?? Written.State()
      changed.change(&random)
      states.append(changed)
    }
    for one in states {
      let generated = Generated.State(one)
      #expect(generated.encoded() == one.encoded())
      #expect(generated._$digest == one._$digest)
      #expect(try Generated.State(encoded: one.encoded())._$isSame(as: generated))
      for other in states {
        let other = (written: other, generated: Generated.State(other))
        #expect(generated._$isSame(as: other.generated) == one._$isSame(as: other.written))
        let delta = generated.delta(from: other.generated)
        #expect(delta == one.delta(from: other.written))
        guard let delta else { continue }
        #expect(try other.generated.applying(delta: delta)._$isSame(as: generated))
      }
    }
  }

  @Test("Malformed bytes give the same error as a layout")
  func malformed() throws {
    var random = SystemRandomNumberGenerator()
    let state = Written.State.random(&random)
    var changed = state
    changed.change(&random)
    changed.title += "x"
    let delta = try #require(changed.delta(from: state))
    for bytes in Self.damaged(state.encoded()) {
      #expect(
        Self.failure { try Generated.State(encoded: bytes) }
          == Self.failure { try Written.State(encoded: bytes) }
      )
    }
    for bytes in Self.damaged(delta) {
      #expect(
        Self.failure { try Generated.State(state).applying(delta: bytes) }
          == Self.failure { try state.applying(delta: bytes) }
      )
    }
  }

  static func damaged(_ bytes: [UInt8]) -> [[UInt8]] {
    var result = (0..<bytes.count).map { Array(bytes[..<$0]) }
    for place in bytes.indices {
      for value in [0x00, 0x01, 0x17, 0x60, 0x81, 0xa0, 0xa1, 0xf6, bytes[place] ^ 1] {
        var copy = bytes
        copy[place] = UInt8(value)
        result.append(copy)
      }
    }
    result.append(bytes + [0])
    return result
  }

  static func failure(_ body: () throws -> some Any) -> CodecError? {
    do {
      _ = try body()
      return nil
    } catch {
      return error as? CodecError
    }
  }

  @Test("A constant changes with its value")
  func constants() throws {
    let old = Generated.State(Written.State(id: UUID(1), title: "a"))
    let new = Generated.State(Written.State(id: UUID(2), title: "b"))
    let delta = try #require(new.delta(from: old))
    let applied = try old.applying(delta: delta)
    #expect(applied == new)
    #expect(applied.id == UUID(2))
  }
}

extension Written.State {
  static func random(_ random: inout some RandomNumberGenerator) -> Self {
    var state = Self()
    for _ in 0..<20 { state.change(&random) }
    return state
  }

  mutating func change(_ random: inout some RandomNumberGenerator) {
    let number = Int.random(in: -2...300, using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0: id = UUID(abs(number))
    case 1:
      title = ["", "a", "é", "e\u{301}", "long \(number)"].randomElement(using: &random) ?? ""
    case 2: count = number
    case 3: tags.append("\(number)")
    case 4: child.isOn.toggle()
    case 5: maybe = number.isMultiple(of: 2) ? nil : Written.Child(id: number)
    case 6: maybe?.isOn.toggle()
    case 7:
      children.updateOrAppend(Written.Child(id: number & 7, isOn: Bool.random(using: &random)))
    case 8: byName["\(number & 7)"] = [0, -0.0, .nan, 1.5].randomElement(using: &random)
    default: break
    }
  }
}
