import Testing

@testable import StoreDaemon

@Suite struct MetricsTests {
  @Test(arguments: [
    ("127.0.0.1:9464", "127.0.0.1:9464", true), ("9464", "127.0.0.1:9464", true),
    ("127.9.9.9:0", "127.9.9.9:0", true), ("0.0.0.0:65535", "0.0.0.0:65535", false),
    ("192.168.1.5:1", "192.168.1.5:1", false),
  ])
  func `An address is a host and a port, or a port of this machine`(
    text: String,
    address: String,
    isLoopback: Bool,
  ) throws {
    let parsed = try MetricsAddress(text)
    #expect(parsed.description == address && parsed.isLoopback == isLoopback)
  }

  @Test(arguments: [
    "", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:+80", "127.0.0.1:-1",
    "localhost:80", "::1:80", ":80", "127.0.0.1:80:80", "127.0.0.1: 80", "٣",
  ])
  func `An invalid request is refused`(text: String) {
    let error = #expect(throws: HostError.self) { try MetricsAddress(text) }
    #expect(error?.code == .usage)
  }

  /// The response to a request that arrives in one piece.
  private func answer(_ text: String) -> MetricsRequest.Answer? {
    var request = MetricsRequest()
    return request.take(text.utf8)
  }

  @Test(arguments: [
    "GET /metrics HTTP/1.1\r\nHost: localhost:9464\r\n\r\n", "GET /metrics HTTP/1.0\r\n\r\n",
    "GET /metrics?name=x HTTP/1.1\r\n\r\n", "GET /metrics HTTP/1.1\n\n",
  ])
  func `The numbers are asked for by GET`(text: String) {
    #expect(answer(text) == .metrics)
    // Byte by byte the response is the same, and it follows the last byte.
    var request = MetricsRequest()
    let answers = text.utf8.map { request.take(CollectionOfOne($0)) }
    #expect(answers.dropLast().allSatisfy { $0 == nil } && answers.last == .metrics)
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\n\r\n", MetricsRequest.Status.notFound),
    ("GET /metricsx HTTP/1.1\r\n\r\n", .notFound),
    ("POST /metrics HTTP/1.1\r\n\r\n", .otherMethod),
    ("get /metrics HTTP/1.1\r\n\r\n", .otherMethod), ("GET /metrics\r\n\r\n", .malformed),
    ("GET /metrics HTTP/2.0\r\n\r\n", .malformed), ("GET  /metrics HTTP/1.1\r\n\r\n", .malformed),
    ("\r\n\r\n", .malformed), ("\u{0}\u{1}\n\n", .malformed),
  ])
  func `Everything else is refused, with a reason`(
    text: String,
    status: MetricsRequest.Status,
  ) {
    #expect(answer(text) == .refusal(status))
  }

  private func status(ofHost line: String, _ hosts: [String] = ["Box.local"]) -> String {
    var request = MetricsRequest(hosts: MetricsHosts(hosts))
    return switch request.take("GET /metrics HTTP/1.1\r\n\(line)\r\nAccept: */*\r\n\r\n".utf8) {
    case .metrics?: "200"
    case .refusal(let status)?: String(status.rawValue.prefix(3))
    case nil: "none"
    }
  }

  @Test func `A page whose own name leads here reads no numbers`() {
    for host in [
      "", "127.0.0.1", "127.0.0.1:9464", "10.1.2.3:9464", "localhost", "LocalHost:1", "[::1]",
      "[::1]:9464", "box.local", "BOX.local:9464",
    ] {
      for line in ["Host: \(host)", "host:\(host)", "HOST: \t\(host) \t"] {
        #expect(status(ofHost: line) == "200", "\(line)")
      }
    }
    for host in [
      "evil.example", "evil.example:9464", "127.0.0.1.evil.example", "localhost.evil.example",
      "evil.example@127.0.0.1", "127.0.0.1:x", "[::1", "[::1]x", "[evil]", "127.1", "box", ":80",
      "localhost:80:80", "127.0.0.1, evil.example",
    ] {
      #expect(status(ofHost: "Host: \(host)") == "421", "\(host)")
    }
    #expect(status(ofHost: "Host: box.local", []) == "421")
    // Lines that other programs could read as another host.
    for line in [
      "Host: localhost\r\nHost: evil.example", "Host : evil.example", " Host: evil.example",
      "Host: localhost\r\n evil.example", ": x", "nonsense",
    ] {
      #expect(status(ofHost: line) == "400", "\(line)")
    }
  }

  @Test func `A request that does not end is refused`() {
    var request = MetricsRequest()
    let line = [UInt8](repeating: UInt8(ascii: "x"), count: MetricsRequest.mostBytes)
    #expect(request.take(line) == nil)
    #expect(request.take([UInt8(ascii: "x")]) == .refusal(.tooLong))
  }

  @Test func `An answer states its length`() throws {
    let text = String(decoding: MetricsResponse.bytes(["a 1", "b 2"]), as: UTF8.self)
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
    #expect(parts[0].hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(parts[0].contains("\r\nContent-Length: 8\r\n") && parts[1] == "a 1\nb 2\n")
    let refusal = String(decoding: MetricsResponse.bytes(.otherMethod), as: UTF8.self)
    #expect(refusal.hasPrefix("HTTP/1.1 405 ") && refusal.contains("\r\nAllow: GET\r\n"))
  }

  // MARK: - Eviction of connections

  private static let millisecond: Int64 = 1_000_000

  /// A peer that connected at a millisecond, and began its request at another one.
  private func peer(
    at start: Int64,
    askingFrom first: Int64? = nil,
    of holder: MetricsHolder = .machine,
  ) -> MetricsPeer {
    var peer = MetricsPeer(-1, of: holder, at: start * Self.millisecond)
    peer.hear(MetricsHosts(), at: start * Self.millisecond)
    peer.firstByteAt = first.map { $0 * Self.millisecond }
    return peer
  }

  private func expendable(_ peers: [MetricsPeer], at time: Int64) -> Int? {
    MetricsPeer.expendable(among: peers, peers.indices, at: time * Self.millisecond)
  }

  @Test func `Among silent peers a slow one that asks stays`() {
    let peers = [peer(at: 0, askingFrom: 90)] + (1...15).map { peer(at: $0) }
    #expect(expendable(peers, at: 100) == nil)
    #expect(expendable(peers, at: 101) == 1)
    #expect(expendable(peers, at: 1_089) == 1)
    // Also after its deadline, as long as another peer is silent.
    #expect(expendable(peers, at: 4_000) == 1)
  }

  @Test func `An endless request keeps no other peer out`() {
    let peers = (0..<16).map { peer(at: $0, askingFrom: $0 + 50) }
    #expect(expendable(peers, at: 1_049) == nil)
    #expect(expendable(peers, at: 1_050) == 0)
  }

  @Test func `An answered peer is evicted first, and one that is being answered stays`() {
    var peers = [peer(at: 0), peer(at: 10, askingFrom: 10), peer(at: 20, askingFrom: 20)]
    peers[1].phase = .waiting
    peers[2].phase = .leaving
    #expect(expendable(peers, at: 30) == 2)
    #expect(expendable(Array(peers[..<2]), at: 30) == nil)
    peers[0].phase = .taking([1])
    #expect(expendable(Array(peers[..<2]), at: 4_000) == nil)
  }

  @Test func `Each machine has its share of the places, and this one a reserve`() {
    func peers(_ counts: KeyValuePairs<MetricsHolder, Int>) -> [MetricsPeer] {
      counts.flatMap { holder, count in (0..<count).map { peer(at: Int64($0), of: holder) } }
    }
    func rivals(_ holder: MetricsHolder, _ peers: [MetricsPeer]) -> Int? {
      MetricsPeer.rivals(of: holder, among: peers)?.count
    }
    let (one, two, three) = (
      MetricsHolder.address(1), MetricsHolder.address(2), MetricsHolder.address(3),
    )
    // A holder that has its share replaces its own peers alone.
    let first = peers([one: 16])
    #expect(rivals(one, first) == 16 && rivals(two, first) == nil)
    // Other machines leave eight places to this one.
    let second = peers([one: 16, two: 8])
    #expect(rivals(two, second) == 24 && rivals(three, second) == 24)
    #expect(rivals(.machine, second) == nil)
    let full = second + peers([.machine: 8])
    #expect(rivals(.machine, full) == 32)
    // Peers that wait for a place, or end, have none.
    var leaving = first
    leaving[0].isGone = true
    #expect(rivals(one, leaving) == nil)
    #expect(rivals(one, leaving + [MetricsPeer(-1, of: one, at: 0)]) == nil)
    // Of several peers of the holder, the slowest is replaced; no peer of another holder is.
    let slow = peers([two: 4]) + first
    let places = MetricsPeer.rivals(of: one, among: slow) ?? []
    #expect(MetricsPeer.expendable(among: slow, places, at: 100 * Self.millisecond) == 4)
  }
}
