import GenericState
import StoreState
import Testing

@testable import StoreReplication

/// A daemon's status as numbers: docs/PROTOCOL.md §8.2.
@MainActor
@Suite struct StatusMetricsTests {
  @Test func `A client reads the numbers from an answer that the daemon tells itself`() throws {
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
      "storeactor_lag_revisions 1", "storeactor_effects 0", "storeactor_actions_applied_total 1",
      "# TYPE storeactor_effects_total counter",
      "storeactor_effects_total{action=\"Deck.a \\\"b\\\" \\\\ \u{FFFD}\"} 3",
      "# TYPE took_seconds summary", "took_seconds_count 2", "took_seconds_sum 0.5",
      "# TYPE _3_d gauge", #"_3_d{_="x"} -Inf"#,
    ] {
      #expect(own.contains(line), "\(line)")
    }
    // Time goes on without a turn.
    let later = bench.now.instant.advanced(by: .seconds(60))
    #expect(bench.server.metrics(at: later).lines.contains("storeactor_uptime_seconds 63"))
  }

  @Test func `Who has everything that he follows is behind by nothing`() throws {
    let bench = ServerBench()
    let first = try bench.hello(1)
    try bench.join(1, first, nonce: 1, [.follow("counter")])
    for sequence: UInt64 in 1...3 {
      _ = try bench.act(1, sequence: sequence, .incrementButtonTapped)
    }
    // Nothing that the second one follows has changed since it came; the third one has it all.
    let second = try bench.hello(2)
    try bench.join(2, second, nonce: 1, [.follow("cards")])
    let third = try bench.hello(3)
    try bench.join(3, third, nonce: 1, [.follow("counter")])
    bench.receive(.ping(number: 1, revision: 2), from: 1)
    try bench.endTurn()
    #expect(try lags(bench) == [1, 0, 0])
    _ = try bench.act(1, sequence: 4, .incrementButtonTapped)
    bench.receive(.ping(number: 2, revision: 4), from: 1)
    try bench.endTurn()
    #expect(try lags(bench) == [0, 0, 1])
    #expect(bench.server.metrics(at: bench.now.instant).lag == 1)
  }

  private func lags(_ bench: ServerBench) throws -> [UInt64] {
    bench.receive(.status(request: 6), from: 1)
    try bench.endTurn()
    guard case .status(request: 6, let item)? = bench.take(1).last,
      case .array(let sessions)? = try GenericValue(encoded: item)[field: "sessions"]
    else { return [] }
    return sessions.compactMap { session in
      guard case .unsigned(let lag)? = session[field: "lag"] else { return nil }
      return lag
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

  @Test func `What a program counts forges none of the daemon's numbers`() {
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

  @Test func `What makes no sense in an answer is left out`() {
    let counters: [GenericValue.Entry] = [
      .init(.text("good"), .unsigned(7)), .init(.text("käse"), .unsigned(1)),
      .init(.text("a b"), .unsigned(1)), .init(.text("x\n# y"), .unsigned(1)),
      .init(.text(""), .unsigned(1)), .init(.text("negative"), .negative(0)),
      .init(.unsigned(1), .unsigned(1)),
    ]
    let sessions: [GenericValue] = [
      .map([.init(.text("lag"), .unsigned(.max)), .init(.text("effects"), .unsigned(.max))]),
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
        "storeactor_lag_revisions 18446744073709551615", "storeactor_effects 1",
        "storeactor_good_total 7",
      ]
    )
  }
}
