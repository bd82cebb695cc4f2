import GenericState
import StoreActor
import StoreState
import Testing

@ObservableState
private struct Marked: Equatable, ReplicatedState {
  struct Address: Codable, Hashable, Sendable {
    var street = ""
    var tags: Set<String> = []
    var rooms: [Floor: Int] = [:]
    var height: Double?
  }

  struct Floor: Codable, Hashable, Sendable {
    var number: Int
  }

  enum Filter: String, CaseIterable, ReplicatedState { case all, active }

  private var secret = 0
  @ReplicationIgnored private var cache: [Int: String] = [1: "default"]
  @Replicated(formerly: "name") var title = "none"
  @Replicated(formerly: "aaa") var zzz = 0
  @ReplicatedAsCodable var address = Address()
  @Presents var child: Generated.Child?
  var filter = Filter.all

  init() {}

  init(secret: Int, cached: String) {
    self.secret = secret
    cache[1] = cached
  }

  var visible: String { "\(secret) \(cache[1] ?? "nothing")" }
}

@ObservableState
private struct GenericState<Value: ReplicatedState & Equatable>: Equatable, ReplicatedState {
  var value: Value
  var values: [Value] = []
}

@ObservableState
private enum GenericChoice<Value: ReplicatedState & Equatable>: Equatable, ReplicatedState {
  case one(Value)
  case many([Value], String)
}

enum OtherFeature {
  @ObservableState
  struct State: Equatable, ReplicatedState, Identifiable {
    let id: Int
    var `default`: Bool = true
    var a, b: Int
  }
}

@Suite("Generated replication")
struct ReplicatedStateTests {
  @Test("A private property is encoded, an ignored one has its default in the copy")
  func privateAndIgnored() throws {
    let state = Marked(secret: 5, cached: "mine")
    #expect(state.visible == "5 mine")
    #expect(try Marked(encoded: state.encoded()).visible == "5 default")
    var other = state
    other.title = "x"
    let delta = try #require(other.delta(from: state))
    #expect(try state.applying(delta: delta).visible == "5 mine")
  }

  @Test("A change of an ignored property is not a change")
  func ignoredIsNoChange() {
    let one = Marked(secret: 5, cached: "one")
    let other = Marked(secret: 5, cached: "other")
    #expect(one._$isSame(as: other))
    #expect(one.delta(from: other) == nil)
    #expect(one._$digest == other._$digest)
  }

  @Test("Fields are found under their former names, in any position")
  func formerNames() throws {
    var state = Marked()
    state.title = "old"
    state.zzz = 7
    let bytes = Self.renamed(state.encoded(), ["title": "name", "zzz": "aaa"])
    #expect(bytes != state.encoded())
    #expect(try Marked(encoded: bytes) == state)
  }

  @Test("A field that occurs under both its names is refused")
  func bothNames() throws {
    var encoder = CBOREncoder()
    encoder.mapHeader(2)
    encoder.encode(name: "aaa")
    encoder.encode(unsigned: 1)
    encoder.encode(name: "zzz")
    encoder.encode(unsigned: 2)
    let error = ReplicatedRecordTests.failure { try Marked(encoded: encoder.bytes) }
    #expect(error?.code == .unknownName)
    #expect(error?.message == "the field \"aaa\" is there under its new name too")
  }

  @Test("A missing field has its default, or is an error with its name")
  func missing() throws {
    #expect(try Marked(encoded: [0xa0]) == Marked())
    let error = ReplicatedRecordTests.failure { try OtherFeature.State(encoded: [0xa0]) }
    #expect(error?.code == .missingField)
    #expect(error?.message == "the field \"a\" is missing")
  }

  @Test("A property of any Codable type is encoded as a whole")
  func codable() throws {
    var state = Marked()
    state.address = Marked.Address(
      street: "Long",
      tags: ["a", "b", "c", "d", "e"],
      rooms: [Marked.Floor(number: 3): 1, Marked.Floor(number: -1): 2],
    )
    #expect(try Marked(encoded: state.encoded()) == state)
    var other = state
    other.address.street = "Short"
    let delta = try #require(other.delta(from: state))
    #expect(try state.applying(delta: delta) == other)
    #expect(other._$digest != state._$digest)
    var again = Marked()
    again.address.street = "Long"
    again.address.rooms = [Marked.Floor(number: -1): 2, Marked.Floor(number: 3): 1]
    again.address.tags = ["e", "d", "c", "b", "a"]
    #expect(again.encoded() == state.encoded())
    #expect(again.delta(from: state) == nil)
  }

  @Test("A presented state is encoded under its own name")
  func presented() throws {
    var state = Marked()
    state.child = Generated.Child(id: 1, isOn: false)
    #expect(try Marked(encoded: state.encoded()) == state)
    var other = state
    other.child?.isOn = true
    let delta = try #require(other.delta(from: state))
    #expect(delta.count < 8)
    #expect(try state.applying(delta: delta) == other)
    let document = SchemaRegistry.document(for: Marked.self)
    guard case .record(let fields)? = document.definition(of: document.root) else {
      Issue.record("A struct is no record: \(document.root)")
      return
    }
    #expect(
      fields.map(\.name) == ["secret", "title", "zzz", "address", "child", "filter"]
    )
    #expect(fields[3].schema == .any)
    #expect(fields[4].schema == .optional(.named("Generated.Child")))
  }

  @Test("A generic state is replicated if its parameter is")
  func generics() throws {
    let state = GenericState(value: 3, values: [1, 2])
    #expect(try GenericState<Int>(encoded: state.encoded()) == state)
    let nested = GenericState(value: state, values: [])
    let delta = try #require(
      nested.delta(from: GenericState(value: GenericState(value: 4), values: []))
    )
    #expect(
      try GenericState(value: GenericState(value: 4), values: []).applying(delta: delta) == nested
    )
    let choice = GenericChoice.many(["a"], "b")
    #expect(try GenericChoice<String>(encoded: choice.encoded()) == choice)
  }

  @Test("Readers of other builds' values know defaults and former names")
  func hints() throws {
    let reader = SchemaRegistry.readerSchema(for: Marked.self)
    let old = try SchemaDocument(
      root: .named("Marked"),
      definitions: ["Marked": .record([Definition.Field("name", .text)])],
    )
    let resolution = SchemaResolution(writer: old, reader: reader)
    #expect(resolution.differences == [])
    var encoder = CBOREncoder()
    encoder.mapHeader(1)
    encoder.encode(name: "name")
    encoder.encode(text: "before")
    let bytes = try resolution.translate(value: encoder.bytes)
    var expected = Marked()
    expected.title = "before"
    #expect(try Marked(encoded: bytes) == expected)
  }

  /// The map with some of its keys renamed.
  static func renamed(_ bytes: [UInt8], _ names: [String: String]) -> [UInt8] {
    var decoder = CBORDecoder(bytes)
    var entries: [(key: [UInt8], value: [UInt8])] = []
    do throws(CodecError) {
      for _ in 0..<(try decoder.mapHeader()) {
        let name = try decoder.text()
        entries.append(((names[name] ?? name).encoded(), Array(try decoder.rawItem())))
      }
    } catch {
      Issue.record(error)
    }
    entries.sort { $0.key.lexicographicallyPrecedes($1.key) }
    var encoder = CBOREncoder()
    encoder.mapHeader(entries.count)
    for entry in entries {
      encoder.append(raw: entry.key)
      encoder.append(raw: entry.value)
    }
    return encoder.bytes
  }
}
