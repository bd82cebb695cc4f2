import Testing

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// Random pairs of builds, compared with a simple twin: PROTOCOL.md §2.1.
@Suite("Random builds", .timeLimit(.minutes(3)))
struct EvolutionPropertyTests {
  /// Two builds and the results of both ways of reading.
  private struct Builds {
    let writer: RandomSchema
    let reader: ReaderSchema
    let resolution: SchemaResolution
    let twin: ResolutionTwin

    init(_ random: inout SeededRandom) throws {
      var first = try RandomSchema(&random)
      if random.chance(2) { first = try first.identified() }
      let isHarsh = random.chance(2)
      let old = try RandomEvolution.evolved(first.document, isHarsh: true, &random).document
      let new = try RandomEvolution.evolved(old, isHarsh: isHarsh, &random)
      let allowsUnknownCases = random.chance(2)
      writer = RandomSchema(document: old)
      reader = new
      resolution = SchemaResolution(
        writer: old,
        reader: new,
        allowsUnknownCases: allowsUnknownCases,
        limit: 10_000,
      )
      twin = ResolutionTwin(
        writer: old,
        reader: new,
        allowsUnknownCases: allowsUnknownCases,
      )
    }

    /// The reported differences, by the last steps of the paths.
    var named: Set<String> {
      Set(resolution.differences.map { ResolutionTwin.step($0.prefix { $0 != ":" }) })
    }
  }

  /// Statistics of the runs, which show that they covered the cases.
  private struct Tally {
    var readable = 0
    var refused = 0
    var unknownCases = 0
    var deltas = 0
    var invisible = 0
  }

  @Test("They are rejected with the differing fields, or read as a simple twin reads them")
  func builds() throws {
    var tally = Tally()
    for seed: UInt64 in 0..<1_500 {
      var random = SeededRandom(seed)
      let builds = try Builds(&random)
      #expect(builds.named == builds.twin.problems, "seed \(seed)")
      #expect(builds.resolution.isCompatible == builds.twin.canRead, "seed \(seed)")
      guard builds.resolution.isCompatible, builds.twin.canRead else {
        tally.refused += 1
        continue
      }
      tally.readable += 1
      try follow(builds, seed, &random, &tally)
    }
    #expect(tally.readable > 700 && tally.refused > 200, "\(tally)")
    #expect(tally.deltas > 3_000 && tally.unknownCases > 50 && tally.invisible > 100, "\(tally)")
  }

  /// Applies changes to a value: each snapshot and each delta must yield the twin's result for the
  /// whole, in canonical bytes, with the digest of the writer's form.
  private func follow(
    _ builds: Builds,
    _ seed: UInt64,
    _ random: inout SeededRandom,
    _ tally: inout Tally,
  ) throws {
    let document = try Self.optional(builds.writer.document)
    let readers = try Self.optional(builds.reader.document)
    var state = try TranslatedState(builds.resolution)
    var value = builds.writer.value(&random)
    // This program's value; nil if it needs a snapshot.
    var own: GenericValue?
    for step in 0..<10 {
      let old = own == nil ? nil : Self.present(value, builds.writer.document)
      if step > 0 { value = builds.writer.mutated(value, &random) }
      let now = Self.present(value, builds.writer.document)
      let expected = builds.twin.translate(value).map { Self.present($0, builds.reader.document) }
      let place: Comment = "seed \(seed), step \(step)"
      do throws(CodecError) {
        own = try take(now, old, own, &state, (document, readers), &tally)
        if expected == nil, let strange = own {
          // Encodings in sets and of keys stay unchanged: the reader rejects an unknown case there.
          #expect(!Self.isValid(strange, readers), place)
          own = nil
          continue
        }
        #expect(own == expected, place)
        #expect(state.digest == now._$digest, place)
        try own?.validate(against: readers)
      } catch {
        #expect(error.code == .unknownName && expected == nil, "\(place): \(error)")
        tally.unknownCases += 1
        own = nil
      }
    }
  }

  /// Takes the next state, as a delta if there is a previous one.
  private func take(
    _ now: GenericValue,
    _ old: GenericValue?,
    _ own: GenericValue?,
    _ state: inout TranslatedState,
    _ documents: (writer: SchemaDocument, reader: SchemaDocument),
    _ tally: inout Tally,
  ) throws(CodecError) -> GenericValue {
    guard let old, let own else {
      let bytes = try state.reset(to: now.encoded()[...])
      #expect(decodingError(bytes) == nil)
      return try GenericValue(encoded: bytes)
    }
    guard let delta = try now.delta(from: old, in: documents.writer) else { return own }
    guard let translated = try state.apply(delta[...]) else {
      tally.invisible += 1
      return own
    }
    tally.deltas += 1
    #expect(decodingError(translated) == nil)
    return try own.applying(delta: translated, in: documents.reader)
  }

  private static func isValid(_ value: GenericValue, _ document: SchemaDocument) -> Bool {
    do throws(CodecError) {
      try value.validate(against: document)
      return true
    } catch {
      return false
    }
  }

  private static func optional(_ document: SchemaDocument) throws -> SchemaDocument {
    try SchemaDocument(root: .optional(document.root), definitions: document.definitions)
  }

  /// The value as a scope's optional state.
  private static func present(_ value: GenericValue, _ document: SchemaDocument) -> GenericValue {
    document.root.admitsNull ? .array([value]) : value
  }
}
