import Foundation
import Testing

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// A delta may contain several edits that apply in order, though this library writes one
/// (PROTOCOL.md §3): all readers of deltas accept such a list.
@Suite("Several edits in one delta", .timeLimit(.minutes(1)))
struct SeveralEditsTests {
  /// Checks the deltas between consecutive values as the edits of one delta.
  private func check<State: ReplicatedState>(_ values: [State]) throws {
    let edits = zip(values, values.dropFirst()).compactMap { $1.delta(from: $0) }
    var encoder = CBOREncoder()
    encoder.arrayHeader(edits.count)
    for edit in edits { encoder.append(raw: edit) }
    let (first, last) = (values[0], values[values.count - 1])
    guard edits.count > 1 else { return }

    let delta = encoder.bytes
    #expect(try first.applying(delta: delta).encoded() == last.encoded(), "\(hexText(delta))")

    let document = SchemaRegistry.document(for: State.self)
    let (old, new) = try (
      GenericValue(encoded: first.encoded()), GenericValue(encoded: last.encoded()),
    )
    #expect(try old.applying(delta: delta, in: document) == new, "\(hexText(delta))")

    var planned = old
    var decoder = CBORDecoder(delta)
    let plan = DeltaPlan(document.root, in: document)
    try plan.apply(&decoder, to: &planned)
    try decoder.finish()
    #expect(planned == new, "\(hexText(delta))")

    let resolution = SchemaResolution(writer: document, reader: ReaderSchema(document))
    let translated = try #require(try resolution.translate(delta: delta[...]))
    #expect(try old.applying(delta: translated, in: document) == new, "\(hexText(delta))")
    #expect(
      try !JSONProjection.json(delta: delta[...], schema: document.root, in: document).isEmpty
    )
  }

  @Test("Splices of texts and bytes", arguments: 0..<40 as Range<UInt64>)
  func splices(seed: UInt64) throws {
    var random = SeededRandom(seed)
    // Long enough that no edit replaces the whole.
    var texts = [String(repeating: "0123456789é𝄞", count: 12)]
    for _ in 0..<4 {
      var text = texts[texts.count - 1]
      let start = text.indices.randomElement(using: &random) ?? text.startIndex
      let end = text.index(start, offsetBy: 3, limitedBy: text.endIndex) ?? text.endIndex
      text.replaceSubrange(start..<end, with: ["", "a", "水"].randomElement(using: &random) ?? "")
      texts.append(text)
    }
    try check(texts)
    try check(texts.map { Data($0.utf8) })
  }

  @Test("Edits of arrays, also inside of their elements", arguments: 0..<40 as Range<UInt64>)
  func arrays(seed: UInt64) throws {
    var random = SeededRandom(seed)
    var lists = [[[1], [2], [3, 4]]]
    for _ in 0..<5 {
      var list = lists[lists.count - 1]
      let place = Int.random(in: 0...list.count, using: &random)
      switch random.next() % 3 {
      case 0 where place < list.count: list[place].append(7)
      case 1 where place < list.count: list.remove(at: place)
      default: list.insert([5, 6], at: place)
      }
      lists.append(list)
    }
    try check(lists)
  }

  @Test("Steps of identified arrays", arguments: 0..<40 as Range<UInt64>)
  func rows(seed: UInt64) throws {
    var random = SeededRandom(seed)
    var twin = IdentifiedTwin()
    var states = [twin.rows]
    for _ in 0..<6 {
      for _ in 0..<3 { twin.doSomething(&random) }
      states.append(twin.rows)
    }
    try check(states)
  }
}
