import Tracing

/// The span of an action, for another process: the `traceparent` of W3C's Trace Context, as the
/// program's instrument writes and reads it.
package enum TraceParent {
  /// The maximum number of bytes that are forwarded; version 0 has 55.
  package static let mostBytes = 64

  /// The text of the current span; nil without a span or an instrument for it.
  package static var current: String? {
    guard let context = ServiceContext.current else { return nil }
    var carrier = Carrier()
    InstrumentationSystem.instrument.inject(context, into: &carrier, using: Way())
    guard let text = carrier.text, text.utf8.count <= mostBytes else { return nil }
    return text
  }

  /// Runs `body` as a part of another process's span; without a span if the text is invalid.
  package static func with<Result, Failure: Error>(
    _ text: String,
    _ body: () throws(Failure) -> Result,
  ) throws(Failure) -> Result {
    var context = ServiceContext.topLevel
    let carrier = Carrier(text: text)
    InstrumentationSystem.instrument.extract(carrier, into: &context, using: Way())
    let result = ServiceContext.withValue(context) {
      Swift.Result { () throws(Failure) in try body() }
    }
    return try result.get()
  }

  private struct Carrier: Sendable {
    var text: String?
  }

  private struct Way: Injector, Extractor {
    private static let key = "traceparent"

    func inject(_ value: String, forKey key: String, into carrier: inout Carrier) {
      if key == Self.key { carrier.text = value }
    }

    func extract(key: String, from carrier: Carrier) -> String? {
      key == Self.key ? carrier.text : nil
    }
  }
}
