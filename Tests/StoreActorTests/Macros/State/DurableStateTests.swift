import StoreActor
import Testing

@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// A part with hidden fields that declares whether each is kept.
@ObservableState
private struct Round: DurableState, Equatable, Identifiable, Sendable {
  let id: Int
  var guess = 0
  @ReplicationIgnored var secret = 0
  @ReplicationIgnored @DurableIgnored var cache: [Int: String] = [:]
}

private struct Settings: Codable, Equatable, Sendable { var volume = 1 }

@ObservableState
private struct Match: DurableState, Equatable, Sendable {
  var title = ""
  var current: Round? = nil
  var rounds: IdentifiedArrayOf<Round> = []
  var plain: [Round] = []
  var named: [String: Round] = [:]
  @Presents var shown: Round?
  @ReplicationIgnored var hidden: [Round] = []
  @ReplicationIgnored @DurableAsCodable var settings = Settings()
}

/// A part with the same wire form that does not declare whether its hidden field is kept.
@ObservableState
private struct Shown: Equatable, ReplicatedState, Sendable {
  let id: Int
  var guess = 0
  @ReplicationIgnored var secret = 0
}

@ObservableState
private struct Row: Equatable, Identifiable, ReplicatedState, Sendable {
  let id: Int
  @DurableIgnored var isOpen = false
}

@ObservableState
private struct Busy: DurableState, Equatable, Sendable {
  var name = ""
  @DurableIgnored var isSaving = false
  var rows: IdentifiedArrayOf<Row> = []
}

@ObservableState
private struct HolderOfHidden: DurableState, Equatable, Sendable { var shown = Shown(id: 1) }

/// A state's durable form, which includes the hidden fields.
@Suite struct DurableStateTests {
  private var match: Match {
    let round = Round(id: 1, guess: 2, secret: 3)
    return Match(
      title: "one",
      current: round,
      rounds: [round, Round(id: 2, secret: 5)],
      plain: [round, Round(id: 2, secret: 5), Round(id: 3, secret: 6)],
      named: ["a": round],
      shown: Round(id: 9, secret: 10),
      hidden: [Round(id: 4, secret: 8)],
      settings: Settings(volume: 7),
    )
  }

  private func durable(_ match: Match) -> [UInt8] {
    var encoder = CBOREncoder.durable
    match.encode(to: &encoder)
    return encoder.bytes
  }

  private func read(_ bytes: [UInt8]) throws -> Match {
    var decoder = CBORDecoder(durable: bytes[...])
    let match = try decoder.value(Match.self)
    try decoder.finish()
    return match
  }

  @Test func `The durable form has the hidden parts at all depths`() throws {
    #expect(try read(durable(match)) == match)
  }

  @Test func `The replicated form is unchanged, and hides the same parts`() throws {
    let copy = try Match(encoded: match.encoded())
    #expect(copy != match)
    #expect(copy.current?.secret == 0)
    #expect(copy.hidden.isEmpty)
    #expect(copy.encoded() == match.encoded())
    #expect(copy._$digest == match._$digest)
  }

  @Test func `A replicated ephemeral property is kept, and has its default after a restart`() throws
  {
    let busy = Busy(name: "a", isSaving: true, rows: [Row(id: 1, isOpen: true)])
    var encoder = CBOREncoder.durable
    busy.encode(to: &encoder)
    var decoder = CBORDecoder(durable: encoder.bytes[...])
    #expect(try decoder.value(Busy.self) == busy)
    decoder = CBORDecoder(restarting: encoder.bytes[...])
    let restarted = try decoder.value(Busy.self)
    try decoder.finish()
    #expect(restarted == Busy(name: "a", rows: [Row(id: 1)]))
    #expect(SchemaRegistry.durableSchema(for: Busy.self).hasEphemeralParts)
    #expect(!SchemaRegistry.durableSchema(for: Match.self).hasEphemeralParts)
  }

  @Test func `Ephemeral properties are not kept`() throws {
    var match = match
    match.current?.cache = [1: "one"]
    #expect(try read(durable(match)).current?.cache == [:])
  }

  /// Changes of hidden parts, each in a different place.
  private static let changes: [@Sendable (inout Match) -> Void] = [
    { $0.current?.secret += 1 }, { $0.rounds[id: 2]?.secret += 1 }, { $0.plain[1].secret += 1 },
    { $0.named["a"]?.secret += 1 }, { $0.shown?.secret += 1 }, { $0.hidden[0].secret += 1 },
    { $0.hidden.append(Round(id: 7, secret: 1)) }, { $0.settings.volume += 1 },
    { $0.rounds.append(Round(id: 7, secret: 4)) }, { $0.rounds.remove(id: 1) },
    { $0.plain[0].guess += 1 }, { $0.current = nil },
    {
      $0.plain[0].secret += 1
      $0.plain[2].secret += 1
    },
  ]

  @Test(arguments: changes.indices)
  func `A durable delta leads to the same value, with the hidden parts`(_ index: Int) throws {
    var new = match
    Self.changes[index](&new)
    var encoder = CBOREncoder.durable
    #expect(new.encodeDelta(from: match, to: &encoder))
    var copy = match
    var decoder = CBORDecoder(durable: encoder.bytes[...])
    try copy.applyDelta(from: &decoder)
    try decoder.finish()
    #expect(copy == new)
  }

  @Test(arguments: 0..<8)
  func `A change of a hidden part makes no replicated delta`(_ index: Int) {
    var new = match
    Self.changes[index](&new)
    #expect(new.delta(from: match) == nil)
  }

  @Test func `A field that is new to the program that reads has its default`() throws {
    var decoder = CBORDecoder(durable: Match(title: "old").encoded()[...])
    let read = try Match(from: &decoder)
    #expect(read == Match(title: "old"))
  }

  @Test func `The schema of the durable form has the hidden fields after the others`() {
    let (schema, forgetful, _, unkept) = SchemaRegistry.durableSchema(for: Match.self)
    #expect(forgetful == [])
    #expect(unkept == ["Round.cache"])
    let durable = "\(schema.document)"
    #expect(durable.contains("secret") && durable.contains("settings"))
    #expect(!durable.contains("cache"))
    let wire = "\(SchemaRegistry.document(for: Match.self))"
    #expect(!wire.contains("secret"))
  }

  @Test func `A type that hides something without saying whether it is kept is found`() {
    #expect(SchemaRegistry.durableSchema(for: HolderOfHidden.self).forgetful == ["Shown"])
  }
}
