/// An HTTP request, as far as it was received.
struct MetricsRequest {
  /// The kind of its response.
  enum Answer: Hashable {
    /// A response with the metrics.
    case metrics
    /// A refusal, by its status.
    case refusal(Status)
  }

  /// The reason of a refusal.
  enum Status: String {
    case malformed = "400 Bad Request"
    case notFound = "404 Not Found"
    case otherMethod = "405 Method Not Allowed"
    case tooLate = "408 Request Timeout"
    case otherHost = "421 Misdirected Request"
    case tooLong = "431 Request Header Fields Too Large"
    case busy = "503 Service Unavailable"
  }

  /// The most bytes of a request: a browser with all of its cookies sends no more.
  static let mostBytes = 8 << 10

  private let hosts: MetricsHosts
  /// Bounded by ``mostBytes``.
  private var bytes: [UInt8] = []
  /// Whether the current line is empty so far; false at first, because the first line is
  /// never empty.
  private var isLineEmpty = false

  /// Creates an empty request.
  ///
  /// - Parameter hosts: The hosts that it may name.
  init(hosts: MetricsHosts = MetricsHosts()) { self.hosts = hosts }

  /// Receives a part of it.
  ///
  /// - Parameter more: The received bytes.
  /// - Returns: The kind of response; nil while the request is incomplete.
  mutating func take(_ more: some Sequence<UInt8>) -> Answer? {
    for byte in more {
      if byte == UInt8(ascii: "\n") {
        if isLineEmpty { return answer }
        isLineEmpty = true
      } else if byte != UInt8(ascii: "\r") {
        isLineEmpty = false
      }
      bytes.append(byte)
      if bytes.count > Self.mostBytes { return .refusal(.tooLong) }
    }
    return nil
  }

  private var answer: Answer {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      line -> Substring in
      Substring(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
    }
    let words = lines.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
    guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return .refusal(.malformed) }
    guard let host = Self.host(in: lines.dropFirst().filter { !$0.isEmpty }) else {
      return .refusal(.malformed)
    }
    guard hosts.contain(host) else { return .refusal(.otherHost) }
    guard words[0] == "GET" else { return .refusal(.otherMethod) }
    return words[1].prefix { $0 != "?" } == "/metrics" ? .metrics : .refusal(.notFound)
  }

  /// The host that a request's lines name, empty if they name no host; nil if they are ambiguous.
  private static func host(in lines: some Sequence<Substring>) -> String? {
    var host: String?
    for line in lines {
      // Programs differ about a line that continues the one before it, or has a space before
      // its colon.
      guard let colon = line.firstIndex(of: ":"),
        line[..<colon].allSatisfy({ !$0.isWhitespace }), !line.hasPrefix(":")
      else { return nil }
      guard line[..<colon].lowercased() == "host" else { continue }
      guard host == nil else { return nil }
      host = line[line.index(after: colon)...].drop(while: \.isWhitespace).lowercased()
      while host?.last?.isWhitespace == true { host?.removeLast() }
    }
    return host ?? ""
  }
}

/// An HTTP response; the connection ends with it.
enum MetricsResponse {
  /// A response with the metrics.
  static func bytes(_ lines: [String]) -> [UInt8] {
    let body = lines.map { "\($0)\n" }.joined()
    return bytes("200 OK", "text/plain; version=0.0.4; charset=utf-8", body)
  }

  /// A refusal.
  static func bytes(_ status: MetricsRequest.Status) -> [UInt8] {
    let remedy =
      status == .otherHost
      ? "use an address in digits or localhost, or start the daemon with --metrics-host NAME"
      : "GET /metrics"
    return bytes(status.rawValue, "text/plain; charset=utf-8", "\(status.rawValue): \(remedy)\n")
  }

  private static func bytes(_ status: String, _ type: String, _ body: String) -> [UInt8] {
    let head = [
      "HTTP/1.1 \(status)", "Content-Type: \(type)", "Content-Length: \(body.utf8.count)",
      status.hasPrefix("405") ? "Allow: GET" : nil, "Connection: close", "", "",
    ]
    return Array((head.compactMap { $0 }.joined(separator: "\r\n") + body).utf8)
  }
}
