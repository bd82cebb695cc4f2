/// An HTTP request, as far as it was received.
struct MetricsRequest {
  /// How it is to be answered.
  enum Answer: Hashable {
    /// The metrics.
    case metrics
    /// A refusal, by its status.
    case refusal(Status)
  }

  /// Why the request is refused.
  enum Status: String {
    case malformed = "400 Bad Request"
    case notFound = "404 Not Found"
    case otherMethod = "405 Method Not Allowed"
    case tooLate = "408 Request Timeout"
    case tooLong = "431 Request Header Fields Too Large"
    case busy = "503 Service Unavailable"
  }

  /// The most bytes of a request: a browser with all of its cookies sends no more.
  static let mostBytes = 8 << 10

  private var bytes: [UInt8] = []
  /// Whether nothing stands in the line that has begun; the first is never empty.
  private var isLineEmpty = false

  /// Receives more of it.
  ///
  /// - Parameter more: What has come.
  /// - Returns: What is to be said; nil where it is not all there yet.
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
    let line = bytes.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
    let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard words.count == 3, words[2].starts(with: "HTTP/1.".utf8) else {
      return .refusal(.malformed)
    }
    guard words[0].elementsEqual("GET".utf8) else { return .refusal(.otherMethod) }
    let path = words[1].prefix { $0 != UInt8(ascii: "?") }
    return path.elementsEqual("/metrics".utf8) ? .metrics : .refusal(.notFound)
  }
}

/// An HTTP response; the connection ends with it.
enum MetricsResponse {
  /// The metrics.
  static func bytes(_ lines: [String]) -> [UInt8] {
    let body = lines.map { "\($0)\n" }.joined()
    return bytes("200 OK", "text/plain; version=0.0.4; charset=utf-8", body)
  }

  /// A refusal.
  static func bytes(_ status: MetricsRequest.Status) -> [UInt8] {
    bytes(status.rawValue, "text/plain; charset=utf-8", "\(status.rawValue): GET /metrics\n")
  }

  private static func bytes(_ status: String, _ type: String, _ body: String) -> [UInt8] {
    let head = [
      "HTTP/1.1 \(status)", "Content-Type: \(type)", "Content-Length: \(body.utf8.count)",
      status.hasPrefix("405") ? "Allow: GET" : nil, "Connection: close", "", "",
    ]
    return Array((head.compactMap { $0 }.joined(separator: "\r\n") + body).utf8)
  }
}
