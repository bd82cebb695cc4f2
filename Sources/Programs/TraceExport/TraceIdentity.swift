import Tracing

/// The identity of a span and its trace, as in `traceparent` of W3C's Trace Context.
package struct TraceIdentity: Hashable, Sendable {
  /// The trace's id: 32 hexadecimal digits.
  package let trace: String
  /// The span's id: 16 hexadecimal digits.
  package let span: String

  /// Creates the identity of a new span; without a parent it begins a new trace.
  static func child(of parent: TraceIdentity?) -> TraceIdentity {
    TraceIdentity(
      trace: parent?.trace ?? digits() + digits(),
      span: digits(),
    )
  }

  private init(trace: String, span: String) {
    self.trace = trace
    self.span = span
  }

  /// Parses a `traceparent`; nil if it is invalid.
  package init?(parent text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    // Later versions may append fields.
    guard parts.count >= 4, Self.isHexadecimal(parts[0], 2), parts[0] != "ff",
      parts[0] != "00" || parts.count == 4, Self.isHexadecimal(parts[1], 32),
      Self.isHexadecimal(parts[2], 16), Self.isHexadecimal(parts[3], 2),
      parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" })
    else { return nil }
    self.init(trace: String(parts[1]), span: String(parts[2]))
  }

  /// The `traceparent` for the span's children; its flags state that every span is recorded.
  package var parent: String { "00-\(trace)-\(span)-01" }

  private static func isHexadecimal(_ text: Substring, _ count: Int) -> Bool {
    text.utf8.count == count
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// 16 random digits, not all of them 0.
  private static func digits() -> String {
    let text = String(UInt64.random(in: 1 ... .max), radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }
}

private enum TraceIdentityKey: ServiceContextKey {
  typealias Value = TraceIdentity
}

extension ServiceContext {
  /// The span of this context.
  var traceIdentity: TraceIdentity? {
    get { self[TraceIdentityKey.self] }
    set { self[TraceIdentityKey.self] = newValue }
  }
}
