import GenericState
import StoreActor
import StoreState
import Testing

@testable import StoreProtocol
@testable import StoreServer

/// A daemon's status as numbers: docs/PROTOCOL.md §8.2.
@MainActor
@Suite struct StatusMetricsTests {
  @Test func `A client reads the numbers from an answer about the daemon itself`() throws {
    let bench = ServerBench()
    bench.server.counters.ofProgram = { Self.samples }
    for client: UInt8 in 1...2 {
      let hello = try bench.hello(client)
      try bench.join(client, hello, nonce: 1, [.follow("counter")])
    }
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    try bench.advance(by: .seconds(3))
    bench.receive(.ping(number: 1, revision: 1), from: 1)
    bench.receive(.status(request: 6), from: 1)
    try bench.endTurn()
    guard case .status(request: 6, let item)? = bench.take(1).last else {
      Issue.record("No status")
      return
    }
    let answer = StatusMetrics(try GenericValue(encoded: item)).lines
    let own = bench.server.metrics(at: bench.now.instant).lines
    #expect(answer == own)
    for line in [
      "storeactor_revision 1", "storeactor_uptime_seconds 3", "storeactor_sessions 2",
      "storeactor_unread_bytes 0", "storeactor_unread_seconds 0.0", "storeactor_effects 0",
      "storeactor_actions_applied_total 1",
      "# TYPE storeactor_effects_total counter",
      "storeactor_effects_total{action=\"Deck.a \\\"b\\\" \\\\ \u{FFFD}\"} 3",
      "# TYPE took_seconds summary", "took_seconds_count 2", "took_seconds_sum 0.5",
      "# TYPE _3_d gauge", #"_3_d{_="x"} -Inf"#,
    ] {
      #expect(own.contains(line), "\(line)")
    }
    // Time passes without a turn.
    let later = bench.now.instant.advanced(by: .seconds(60))
    #expect(bench.server.metrics(at: later).lines.contains("storeactor_uptime_seconds 63"))
  }

  @Test func `A client with all its updates has no unread bytes`() throws {
    let bench = ServerBench()
    for (peer, scope) in [(1, "counter"), (2, "cards"), (3, "counter")] as [(UInt8, String)] {
      try bench.join(peer, try bench.hello(peer), nonce: 1, [.follow(scope)])
    }
    for sequence: UInt64 in 1...3 {
      _ = try bench.act(1, sequence: sequence, .incrementButtonTapped)
    }
    #expect(try unread(bench) == [0, 0, 0], "It is on its way")
    try bench.advance(by: .seconds(3))
    // The second client's scopes have not changed since it connected.
    for (peer, revision) in [(1, 3), (2, 0), (3, 1)] as [(UInt8, UInt64)] {
      bench.receive(.ping(number: 1, revision: revision), from: peer)
    }
    try bench.endTurn()
    let bytes = try unread(bench)
    #expect(bytes[0] == 0 && bytes[1] == 0 && bytes[2] > 0)
    #expect(try unread(bench, "unreadMs") == [0, 0, 3_000])
    let metrics = bench.server.metrics(at: bench.now.instant)
    #expect(metrics.unreadBytes == bytes[2] && metrics.unreadMilliseconds == 3_000)
    bench.receive(.ping(number: 2, revision: 3), from: 3)
    #expect(try unread(bench) == [0, 0, 0])
  }

  @Test func `A client that reads all the time has no unread bytes, at any time between pings`()
    throws
  {
    let bench = ServerBench()
    try bench.join(1, try bench.hello(1), nonce: 1, [.follow("counter")])
    var revision: UInt64 = 0
    for tenth in 1...100 as ClosedRange<UInt64> {
      revision = tenth
      _ = try bench.act(1, sequence: tenth, .incrementButtonTapped)
      // Messages of the last tenth of a second have not arrived yet.
      if tenth.isMultiple(of: 30) {
        bench.receive(.ping(number: tenth, revision: tenth - 1), from: 1)
      }
      try bench.advance(by: .milliseconds(100))
      if tenth.isMultiple(of: 4) { #expect(try unread(bench) == [0]) }
    }
    #expect(revision == 100)
  }

  @Test func `A client that has stopped leaves more and more unread until its session ends`() throws
  {
    let bench = ServerBench()
    for peer in 1...2 as ClosedRange<UInt8> {
      try bench.join(peer, try bench.hello(peer), nonce: 1, [.follow("counter")])
    }
    var (bytes, times): ([UInt64], [UInt64]) = ([], [])
    for second in 1...9 as ClosedRange<UInt64> {
      _ = try bench.act(1, sequence: second, .incrementButtonTapped)
      bench.receive(.ping(number: second, revision: second), from: 1)
      try bench.advance(by: .seconds(1))
      let both = (try unread(bench), try unread(bench, "unreadMs"))
      #expect(both.0[0] == 0 && both.1[0] == 0)
      bytes.append(both.0[1])
      times.append(both.1[1])
    }
    // Its ping is due within half a lease; then all bytes without a report of reading count.
    #expect(times == [0, 0, 0, 0, 5_000, 6_000, 7_000, 8_000, 9_000])
    #expect(bytes[3] == 0 && bytes[4] > 0 && bytes[8] > bytes[4])
    // A silent follower of an unchanged view has read all of it.
    try bench.join(3, try bench.hello(3), nonce: 1, [.follow("cards")])
    try bench.advance(by: .seconds(6))
    #expect(try unread(bench).last == 0)
  }

  @Test func `Outputs alone leave no unread bytes, because they make no revision`() throws {
    let yard = BenchOf<Yard.State, Yard.Action>()
    try yard.join(1, try yard.hello(1), nonce: 1, [.follow("bell")])
    yard.root.send(.bell(.touched))
    try yard.advance(by: .seconds(3))
    yard.receive(.ping(number: 1, revision: 0), from: 1)
    try yard.advance(by: .seconds(3))
    yard.root.send(.bell(.touched))
    try yard.advance(by: .seconds(4))
    #expect(try unread(yard) == [0])
  }

  private func unread(_ bench: Bench, _ field: String = "unreadBytes") throws -> [UInt64] {
    bench.receive(.status(request: 6), from: 1)
    try bench.endTurn()
    let answers = bench.take(1).compactMap { message in
      if case .status(request: 6, let item) = message { item } else { nil }
    }
    guard let item = answers.last,
      case .array(let sessions)? = try GenericValue(encoded: item)[field: "sessions"]
    else { return [] }
    return sessions.compactMap { session in
      guard case .unsigned(let number)? = session[field: field] else { return nil }
      return number
    }
  }

  private static let samples = [
    MetricSample(
      name: "storeactor.effects",
      kind: .counter,
      labels: [
        MetricSample.Label(name: "prefix", value: ""),
        MetricSample.Label(name: "action", value: "Deck.a \"b\" \\ \n"),
        MetricSample.Label(name: "action", value: "again"),
      ],
      count: 3,
    ),
    MetricSample(name: "took.seconds", kind: .summary, labels: [], count: 2, value: 0.5),
    MetricSample(
      name: "3 d",
      kind: .gauge,
      labels: [MetricSample.Label(name: "ä", value: "x")],
      value: -.infinity,
    ),
  ]

  @Test func `A program's counters cannot forge the daemon's numbers`() {
    var metrics = StatusMetrics(.map([]))
    let own = metrics.lines
    metrics.samples = [
      MetricSample(name: "storeactor.revision", kind: .gauge, labels: [], value: 9),
      MetricSample(name: "two", kind: .gauge, labels: [], value: 9),
      MetricSample(name: "two", kind: .summary, labels: [], count: 9),
    ]
    #expect(metrics.lines == own)
  }

  private static let nonsense: [GenericValue] = [
    .null, .array([]), .array([.text("x"), .unsigned(9), .array([]), .unsigned(1), .float(0)]),
    .array([.text("x"), .unsigned(0), .array([.text("odd")]), .unsigned(1), .float(0)]),
    .array([.text("x"), .unsigned(0), .array([.null, .null]), .unsigned(1), .float(0)]),
    .array([.text("x"), .unsigned(0), .array([]), .negative(1), .float(0)]),
    .array([.text("x"), .unsigned(0), .array([]), .unsigned(1), .unsigned(0)]),
  ]

  @Test func `Invalid numbers in an answer are omitted`() {
    let counters: [GenericValue.Entry] = [
      .init(.text("good"), .unsigned(7)), .init(.text("käse"), .unsigned(1)),
      .init(.text("a b"), .unsigned(1)), .init(.text("x\n# y"), .unsigned(1)),
      .init(.text(""), .unsigned(1)), .init(.text("negative"), .negative(0)),
      .init(.unsigned(1), .unsigned(1)),
    ]
    let sessions: [GenericValue] = [
      .map([
        .init(.text("effects"), .unsigned(.max)), .init(.text("unreadMs"), .unsigned(1_500)),
        .init(.text("unreadBytes"), .unsigned(.max)),
      ]),
      .map([.init(.text("effects"), .unsigned(2))]), .null,
    ]
    let lines = StatusMetrics(
      .map([
        .init(.text("samples"), .array(Self.nonsense)), .init(.text("counters"), .map(counters)),
        .init(.text("sessions"), .array(sessions)),
      ])
    )
    .lines.filter { !$0.hasPrefix("#") }
    #expect(
      lines == [
        "storeactor_revision 0", "storeactor_uptime_seconds 0", "storeactor_sessions 3",
        "storeactor_unread_bytes 18446744073709551615", "storeactor_unread_seconds 1.5",
        "storeactor_effects 1",
        "storeactor_good_total 7",
      ]
    )
  }
}
