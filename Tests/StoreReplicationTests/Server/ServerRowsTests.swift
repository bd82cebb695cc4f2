import Foundation
import StoreActor
import StoreSimulation
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

/// Questions for rows: docs/PROTOCOL.md §8.5.
@MainActor
@Suite struct ServerRowsTests {
  private func ask(
    _ bench: ServerBench,
    _ prefix: String,
    of scope: String = "cards/row",
    from start: UInt64 = 0,
    as peer: UInt8 = 1,
  ) throws -> RowAnswer? {
    _ = bench.take(peer)
    let query = RowQuery(scope: scope, prefix: prefix, start: start)
    bench.receive(.rows(request: 7, query), from: peer)
    try bench.endTurn()
    guard case .rows(request: 7, let item)? = bench.take(peer).first else { return nil }
    var decoder = CBORDecoder(item)
    let answer = try RowAnswer(from: &decoder)
    try decoder.finish()
    return answer
  }

  @Test func `A client gets the rows whose ids begin with a text`() throws {
    let bench = ServerBench()
    try bench.hello(1)
    #expect(try ask(bench, "") == RowAnswer(ids: ["1", "2"], next: nil))
    #expect(try ask(bench, "2") == RowAnswer(ids: ["2"], next: nil))
    #expect(try ask(bench, "", from: 1) == RowAnswer(ids: ["2"], next: nil))
    let nothing = RowAnswer(ids: [], next: nil)
    #expect(try ask(bench, "3") == nothing)
    for start in [2, .max] as [UInt64] { #expect(try ask(bench, "", from: start) == nothing) }
    for scope in ["cards", "counter", "cards/row/1", "", "nobody"] {
      #expect(try ask(bench, "", of: scope) == nothing)
    }
  }

  @Test func `A question examines a limited number of rows, and its answer is limited`() throws {
    var limits = Limits()
    limits.rowsPerQuestion = 1
    #expect(try parts(limits) == [["1"], ["2"]])
    limits = Limits()
    limits.rowBytesPerQuestion = 1
    #expect(try parts(limits) == [["1"], ["2"]])
    limits = Limits()
    limits.rowIDsPerAnswer = 1
    #expect(try parts(limits) == [["1"], ["2"]])
    limits = Limits()
    limits.rowIDBytes = 0
    #expect(try parts(limits) == [[]])
  }

  private func parts(_ limits: Limits) throws -> [[String]] {
    let bench = ServerBench(limits: limits)
    try bench.hello(1)
    var (parts, next): ([[String]], UInt64?) = ([], 0)
    while let start = next {
      let answer = try #require(try ask(bench, "", from: start))
      parts.append(answer.ids)
      next = answer.next
    }
    return parts
  }

  private static func line(_ scope: String, sees: Bool) throws -> Grants.Line {
    let scopes = [try #require(ScopePattern(scope))]
    return Grants.Line(
      grantee: .user(1000),
      scopes: scopes,
      sees: sees,
      sends: sees ? .nothing : .everything,
    )
  }

  @Test(arguments: [
    (scope: "counter", sees: true, isTold: false), ("cards/row/*", false, false),
    ("cards/row", true, false), ("cards/row/3", true, true),
    ("cards/*", true, true), ("*", true, true),
  ])
  func `A client without rights to rows does not learn that any exist`(
    scope: String,
    sees: Bool,
    isTold: Bool,
  ) throws {
    var limits = Limits()
    limits.rowsPerQuestion = 1
    let bench = ServerBench(limits: limits)
    bench.addresses[ServerBench.peer(2)] = "localhost:1000:100:2"
    bench.turn.apply(Grants(owner: 999, lines: [try Self.line(scope, sees: sees)]))
    try bench.hello(2, features: .known)
    #expect(try ask(bench, "", as: 2)?.next == (isTold ? 1 : nil))
  }

  @Test func `A client with rights to some rows gets those, at the rate of its actions`() throws {
    var limits = Limits()
    limits.actionsPerSecond = 128
    let bench = ServerBench(limits: limits)
    bench.addresses[ServerBench.peer(2)] = "localhost:1000:100:2"
    let lines = [
      try Self.line("cards/row/2", sees: true), try Self.line("cards/row/*", sees: false),
    ]
    bench.turn.apply(Grants(owner: 999, lines: lines))
    try bench.hello(2, features: .known)
    let seen = RowAnswer(ids: ["2"], next: nil)
    #expect(try ask(bench, "", as: 2) == seen)
    #expect(try ask(bench, "", as: 2) == seen)
    #expect(try ask(bench, "", as: 2) == RowAnswer(ids: [], next: nil))
    try bench.advance(by: .seconds(1))
    #expect(try ask(bench, "", as: 2) == seen)
    // The limit does not apply to the daemon's own user.
    try bench.hello(1)
    for _ in 0..<5 { #expect(try ask(bench, "") == RowAnswer(ids: ["1", "2"], next: nil)) }
  }

  @Test func `Without a session a peer gets no answer, and too many questions shut it down`() throws
  {
    var limits = Limits()
    limits.questionsPerSecond = 3
    let bench = ServerBench(limits: limits)
    #expect(try ask(bench, "") == nil)
    try bench.hello(1)
    for _ in 0..<3 { #expect(try ask(bench, "") != nil) }
    #expect(try ask(bench, "") == nil)
    #expect(bench.cuts.map(\.peer) == [ServerBench.peer(1)])
  }

  @Test func `Rows are found by the beginnings of their texts, for each kind of id`() {
    var random = SeededGenerator(seed: 1)
    let uuids = (0..<200).map { _ in
      UUID(
        uuid: withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { bytes in
          for place in 0..<16 { bytes[place] = .random(in: 0...255, using: &random) & 0x1F }
          return UnsafeRawBufferPointer(bytes).loadUnaligned(as: uuid_t.self)
        }
      )
    }
    check(uuids, &random)
    let texts = (0..<200).map { number in
      let count = number == 7 ? 70_000 : [0, 1, 3, 30, 300].randomElement(using: &random) ?? 0
      let parts = (0..<count).map { _ in ["a", "b", "\u{301}", "-"].randomElement(using: &random) }
      return parts.compactMap(\.self).joined()
    }
    check(texts, &random)
    check((0..<200).map { _ in Int.random(in: -200...200, using: &random) }, &random)
    check([[1], [1, 2]], &random)
  }

  /// Compares the answer with a scan of all texts.
  private func check<ID: Hashable & WireValue>(_ ids: [ID], _ random: inout SeededGenerator) {
    let document = SchemaRegistry.document(for: ID.self)
    var limits = Limits()
    limits.rowBytesPerQuestion = .max
    limits.rowIDsPerAnswer = .max
    let texts = ids.compactMap { ScopeDescription.text(of: $0, document) }
    #expect(texts.count == ids.count)
    var prefixes = ["", "-", "z", "1-", String(repeating: "0", count: 40)]
    for text in texts.prefix(50) {
      prefixes.append(String(text.prefix(.random(in: 0...40, using: &random))))
      prefixes.append(text)
      prefixes.append(text.lowercased())
      prefixes.append(text + "0")
    }
    for prefix in prefixes {
      let query = RowQuery(scope: "rows", prefix: prefix, start: 0)
      var search = RowSearch(query, document, .everything, limits)
      for id in ids { _ = search.look(at: id.encoded()) }
      let found = texts.filter { $0.utf8.count <= limits.rowIDBytes }
        .filter { $0.utf8.starts(with: prefix.utf8) }
      #expect(search.ids == found, "\(prefix)")
    }
  }
}
