import Testing

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// Different builds read each other's values by names; PROTOCOL.md §2.1.
@Suite(.timeLimit(.minutes(3))) struct SchemaResolutionTests {
  /// A feature's state in an older build.
  private struct OldItem: ReplicatedRecord, Identifiable {
    var id = 0
    var name = ""
    var count: Int8 = 0
    var draft = "gone"
    var kind = OldKind.plain

    static let layout = RecordLayout<OldItem>(
      "Item",
      [
        .field("id", \.id), .field("name", \.name), .field("count", \.count),
        .field("draft", \.draft), .field("kind", \.kind),
      ],
    )
  }

  private enum OldKind: ReplicatedChoice {
    case plain
    case titled(String, size: Int)

    static let layout = ChoiceLayout<OldKind>(
      "Kind",
      [
        .case("plain", .plain) { if case .plain = $0 { true } else { false } },
        .case("titled", "title", "size", embed: { .titled($0, size: $1) }) {
          if case .titled(let title, let size) = $0 { (title, size) } else { nil }
        },
      ],
    )
  }

  /// The same state in a newer build: other order, a new name, more fields, more cases.
  private struct NewItem: ReplicatedRecord, Identifiable, Equatable {
    var stars = 3
    var kind = NewKind.plain
    var title = ""
    var note: String?
    var count: Int? = 7
    var id = 0

    static let layout = RecordLayout<NewItem>(
      "TodoItem",
      [
        .field("stars", \.stars), .field("kind", \.kind),
        .field("title", formerly: "label", "name", keyPath: \.title), .field("note", \.note),
        .field("count", \.count), .field("id", \.id),
      ],
    )
  }

  private enum NewKind: ReplicatedChoice, Equatable {
    case fancy
    case titled(color: String?, title: String)
    case plain

    static let layout = ChoiceLayout<NewKind>(
      "Kind",
      [
        .case("fancy", .fancy),
        .case("titled", "color", "title", embed: NewKind.titled(color:title:)) {
          if case .titled(let color, let title) = $0 { (color, title) } else { nil }
        },
        .case("plain", .plain),
      ],
    )
  }

  private typealias OldRows = IdentifiedArrayOf<OldItem>
  private typealias NewRows = IdentifiedArrayOf<NewItem>

  private let resolution = SchemaResolution(
    writer: SchemaRegistry.document(for: OldRows.self),
    reader: SchemaRegistry.readerSchema(for: NewRows.self),
  )

  private func item(_ id: Int, _ change: (inout OldItem) -> Void = { _ in }) -> OldItem {
    var item = OldItem()
    item.id = id
    change(&item)
    return item
  }

  @Test("A newer build reads an older one's state: fields by name, new ones by their defaults")
  func state() throws {
    #expect(resolution.differences == [])
    #expect(!resolution.isIdentity)
    let old: OldRows = [
      item(1) {
        $0.name = "Milk"
        $0.kind = .titled("T", size: 4)
      },
      item(2),
    ]
    let bytes = try resolution.translate(value: old.encoded())
    let new = try NewRows(encoded: bytes)
    #expect(new[0].title == "Milk" && new[0].stars == 3 && new[0].count == 0)
    #expect(new[0].note == nil && new[0].kind == .titled(color: nil, title: "T"))
    #expect(new[1].kind == .plain)
  }

  @Test("Its deltas yield the same state as its snapshots")
  func deltas() throws {
    let states: [OldRows] = [
      [], [item(1)], [item(1) { $0.draft = "only there" }],
      [item(2), item(1) { $0.name = "Milk" }],
      [item(1) { $0.kind = .titled("a", size: 1) }, item(2)],
      [item(1) { $0.kind = .titled("a", size: 2) }, item(2)],
      [item(1) { $0.kind = .titled("b", size: 2) }, item(2) { $0.count = -1 }],
    ]
    for old in states {
      for new in states {
        guard let delta = new.delta(from: old) else { continue }
        let before = try NewRows(encoded: resolution.translate(value: old.encoded()))
        let after = try NewRows(encoded: resolution.translate(value: new.encoded()))
        let translated = try resolution.translate(delta: delta)
        let result = try translated.map { try before.applying(delta: $0) } ?? before
        #expect(result.encoded() == after.encoded())
      }
    }
    let change = try #require(states[2].delta(from: states[1]))
    #expect(try resolution.translate(delta: change) == nil, "the field is gone")
  }

  @Test("A state has the writer's digest with the reader's form, and may be absent")
  func translatedState() throws {
    var state = try TranslatedState(resolution)
    #expect(state.digest == OldRows?.none._$digest)
    let old: OldRows? = [item(1)]
    var typed = try NewRows?(encoded: state.reset(to: old.encoded()[...]))
    #expect(typed?[0].id == 1)
    #expect(state.digest == old._$digest)
    let new: OldRows? = [item(1) { $0.name = "Milk" }, item(2)]
    let delta = try #require(new.delta(from: old))
    let translated = try #require(try state.apply(delta[...]))
    typed = try typed.applying(delta: translated)
    #expect(typed?[0].title == "Milk" && typed?.count == 2)
    #expect(state.digest == new._$digest)
    #expect(try state.apply(hex("f6")[...]) == hex("f6"))
    #expect(state.digest == OldRows?.none._$digest)
    #expect(throws: CodecError.self) { try state.reset(to: hex("8100")[...]) }
  }

  @Test("An older build does not read a state that may have an unknown case")
  func newCases() {
    let resolution = SchemaResolution(
      writer: SchemaRegistry.document(for: NewKind.self),
      reader: SchemaRegistry.readerSchema(for: OldKind.self),
    )
    #expect(
      resolution.differences == [
        "Kind.fancy: only there", "Kind.titled.size: only here, without a default",
      ]
    )
    let error = #expect(throws: CodecError.self) {
      try resolution.translate(value: NewKind.plain.encoded())
    }
    #expect(error?.message.hasPrefix("the schemas differ in 2 places") == true)
    #expect(throws: CodecError.self) { try TranslatedState(resolution) }
  }

  @Test("An action with a case that the daemon does not know is rejected when it is sent")
  func actions() throws {
    let mine = Definition.choice([
      .init("new"), .init("old", [.init("a", .text), .init("b", .bool)]),
    ])
    let theirs = Definition.choice([
      .init("old", [.init("a", .text), .init("c", .optional(.text))])
    ])
    let resolution = SchemaResolution(
      writer: try SchemaDocument(root: .named("A"), definitions: ["A": mine]),
      reader: ReaderSchema(try SchemaDocument(root: .named("B"), definitions: ["B": theirs])),
      here: .writer,
      allowsUnknownCases: true,
    )
    #expect(resolution.differences == [])
    // {"old": {"a": "x", "b": true}} becomes {"old": {"a": "x", "c": null}}.
    let sent = try resolution.translate(value: hex("a1 636f6c64 a2 6161 6178 6162 f5"))
    #expect(sent == hex("a1 636f6c64 a2 6161 6178 6163 f6"))
    let error = #expect(throws: CodecError.self) {
      try resolution.translate(value: hex("636e6577"))
    }
    #expect(error?.code == .unknownName)
    #expect(error?.message.contains("\"new\"") == true)
  }

  private func differences(
    _ writer: [String: Definition],
    _ reader: [String: Definition],
    here: SchemaResolution.Side = .reader,
  ) throws -> [String] {
    SchemaResolution(
      writer: try SchemaDocument(root: .named("A"), definitions: writer),
      reader: ReaderSchema(try SchemaDocument(root: .named("A"), definitions: reader)),
      here: here,
    )
    .differences
  }

  @Test("Unreadable parts are reported")
  func named() throws {
    func record(_ fields: [Definition.Field]) -> [String: Definition] {
      ["A": .record(fields), "R": .record([.init("id", .text)]), "C": .choice([.init("x")])]
    }
    func field(_ writer: Schema, _ reader: Schema) throws -> [String] {
      try differences(record([.init("f", writer)]), record([.init("f", reader)]))
    }
    #expect(try field(.text, .int64) == ["A.f: int64 here, text there"])
    #expect(try field(.int64, .int8) == ["A.f: int8 here, int64 there"])
    #expect(try field(.float64, .float32) == ["A.f: float32 here, float64 there"])
    #expect(try field(.optional(.text), .text) == ["A.f: text here, optional text there"])
    #expect(try field(.named("R"), .named("C")) == ["A.f: a record there, a choice here"])
    #expect(
      try field(.array(.text), .set(.text)) == ["A.f: set of text here, array of text there"]
    )
    #expect(
      try field(.array(.array(.text)), .array(.array(.bool))).first?.hasPrefix("A.f[][]") == true
    )
    #expect(
      try differences(record([]), record([.init("f", .text)]))
        == ["A.f: only here, without a default"]
    )
    #expect(
      try differences(record([.init("f", .int64)]), record([.init("f", .text)]), here: .writer)
        == ["A.f: int64 here, text there"]
    )
    for (writer, reader) in [
      (Schema.int8, Schema.int64), (.uint8, .int16), (.uint32, .uint64), (.float16, .float64),
      (.url, .text), (.uuid, .bytes), (.text, .optional(.text)), (.array(.uint8), .array(.uint64)),
      (.dictionary(key: .int8, value: .text), .dictionary(key: .int64, value: .optional(.text))),
      (.set(.uint8), .set(.optional(.uint64))),
    ] {
      #expect(try field(writer, reader) == [], "\(writer) \(reader)")
    }
  }

  @Test("Keys, ids and elements of sets must be equal on both sides")
  func keys() throws {
    let one: [String: Definition] = [
      "A": .record([.init("f", .set(.named("B")))]), "B": .record([.init("x", .text)]),
    ]
    let other: [String: Definition] = [
      "A": .record([.init("f", .set(.named("B")))]),
      "B": .record([.init("x", .text), .init("y", .optional(.text))]),
    ]
    let expected = ["A.f[]: keys, ids and elements of sets have to be the same on both sides"]
    #expect(try differences(one, other) == expected)
    #expect(try differences(other, one) == expected)
    #expect(try differences(other, other) == [])
    #expect(
      try differences(
        ["A": .record([.init("f", .set(.optional(.text)))])],
        ["A": .record([.init("f", .set(.optional(.optional(.text))))])],
      ) == expected
    )
  }

  @Test("A renamed id stays the id unless its own name is another field of the writer")
  func renamedID() throws {
    func rows(_ id: String, _ fields: [String]) throws -> SchemaDocument {
      try SchemaDocument(
        root: .identified(idField: id, id: .text, element: .named("R")),
        definitions: ["R": .record(fields.map { .init($0, .text) })],
      )
    }
    var hints = SchemaHints()
    let place = SchemaHints.Place(definition: "R", case: nil, name: "key")
    hints.add(place, formerly: ["id"], fallback: nil)
    let reader = ReaderSchema(try rows("key", ["key"]), hints: hints)
    #expect(SchemaResolution(writer: try rows("id", ["id"]), reader: reader).differences == [])
    // The reader's key is the writer's key, which several rows may share.
    #expect(
      SchemaResolution(writer: try rows("id", ["id", "key"]), reader: reader).differences
        == ["$: identified by id there, by key here"]
    )
  }

  @Test("Types that differ only in their names are the same schema")
  func names() throws {
    let here = try SchemaDocument(
      root: .named("A"),
      definitions: [
        "A": .record([.init("b", .named("Z")), .init("next", .optional(.named("A")))]),
        "Z": .choice([.init("c", [.init("_0", .optional(.named("A")))])]), "unused": .choice([]),
      ],
    )
    let there = try SchemaDocument(
      root: .named("X"),
      definitions: [
        "X": .record([.init("b", .named("B")), .init("next", .optional(.named("X")))]),
        "B": .choice([.init("c", [.init("_0", .optional(.named("X")))])]),
      ],
    )
    #expect(here.hash == there.hash)
    #expect(here != there)
    let resolution = SchemaResolution(writer: here, reader: ReaderSchema(there))
    #expect(resolution.isCompatible && resolution.isIdentity)
    let renumbered = try SchemaDocument(
      root: .named("A"),
      definitions: [
        "A": .record([.init("b", .named("Z")), .init("next", .optional(.named("B")))]),
        "B": .record([.init("b", .named("Z")), .init("next", .optional(.named("A")))]),
        "Z": .choice([.init("c", [.init("_0", .optional(.named("A")))])]),
      ],
    )
    #expect(renumbered.hash != here.hash)
    #expect(SchemaResolution(writer: renumbered, reader: ReaderSchema(here)).differences == [])
  }

  @Test(
    "After random compatible changes, values and deltas yield the same result",
    arguments: 0..<150 as Range<UInt64>,
  )
  func randomSchemas(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let writer = try RandomSchema(&random)
    let reader = try writer.evolved(&random)
    let resolution = SchemaResolution(
      writer: writer.document,
      reader: reader,
      allowsUnknownCases: true,
    )
    guard resolution.isCompatible else {
      // Sets and keys of records that changed.
      #expect(resolution.differences.allSatisfy { $0.contains("keys, ids and elements") })
      return
    }
    for _ in 0..<12 {
      let old = writer.value(&random)
      let new = writer.mutated(old, &random)
      let before = try resolution.translate(old)
      try before.validate(against: reader.document)
      let after = try resolution.translate(new)
      guard let delta = try new.delta(from: old, in: writer.document) else { continue }
      guard let translated = try resolution.translate(delta: delta) else {
        #expect(before == after)
        continue
      }
      #expect(decodingError(translated) == nil)
      #expect(try before.applying(delta: translated, in: reader.document) == after)
    }
  }
}

extension RandomSchema {
  /// A later build's schema, which can read values of this one.
  func evolved(_ random: inout SeededRandom) throws -> ReaderSchema {
    var definitions: [String: Definition] = [:]
    for (name, definition) in document.definitions.sorted(by: { $0.key < $1.key }) {
      switch definition {
      case .record(let fields):
        definitions["New\(name)"] = .record(Self.evolved(fields, &random))
      case .choice(let cases):
        var cases = cases.map {
          Definition.Case($0.name, Self.evolved($0.payload, &random))
        }
        if random.chance(2) { cases.append(.init("added")) }
        cases.shuffle(using: &random)
        definitions["New\(name)"] = .choice(cases)
      }
    }
    let root = Self.evolved(document.root, &random)
    return ReaderSchema(try SchemaDocument(root: root, definitions: definitions))
  }

  private static func evolved(
    _ fields: [Definition.Field],
    _ random: inout SeededRandom,
  ) -> [Definition.Field] {
    var fields = fields.filter { _ in !random.chance(4) }.map { field in
      Definition.Field(field.name, evolved(field.schema, &random))
    }
    if random.chance(3) { fields.append(.init("added", .optional(.int64))) }
    fields.shuffle(using: &random)
    return fields
  }

  private static func evolved(_ schema: Schema, _ random: inout SeededRandom) -> Schema {
    if !schema.admitsNull, random.chance(5) { return .optional(evolved(schema, &random)) }
    switch schema {
    case .int8: return random.pick([.int8, .int64])
    case .float32: return random.pick([.float32, .float64])
    case .uuid: return random.pick([.uuid, .bytes])
    case .url: return random.pick([.url, .text])
    case .optional(let part): return .optional(evolved(part, &random))
    case .array(let part): return .array(evolved(part, &random))
    case .set(let part): return .set(renamed(part))
    case .dictionary(let key, let value):
      return .dictionary(key: renamed(key), value: evolved(value, &random))
    case .named(let name): return .named("New\(name)")
    default: return schema
    }
  }

  private static func renamed(_ schema: Schema) -> Schema {
    switch schema {
    case .optional(let part): .optional(renamed(part))
    case .array(let part): .array(renamed(part))
    case .set(let part): .set(renamed(part))
    case .dictionary(let key, let value): .dictionary(key: renamed(key), value: renamed(value))
    case .named(let name): .named("New\(name)")
    default: schema
    }
  }
}
