import Synchronization
package import Tracing

/// A span that is written to a file when it ends.
///
/// Isolation: a span may be changed from any isolation, so a mutex guards `state`.
package final class FileSpan: Span {
  /// The content of a span.
  struct Record: Sendable {
    var name: String
    var kind: SpanKind
    var identity: TraceIdentity
    var parent: TraceIdentity?
    /// Nanoseconds since 1970.
    var start: UInt64
    /// Nanoseconds since 1970; nil until the span ends.
    var end: UInt64?
    var attributes: SpanAttributes = [:]
    var events: [SpanEvent] = []
    var links: [TraceIdentity] = []
    var status: SpanStatus?
  }

  package let context: ServiceContext
  private let state: Mutex<Record>
  private let onEnd: @Sendable (Record) -> Void

  init(_ record: Record, context: ServiceContext, onEnd: @escaping @Sendable (Record) -> Void) {
    self.context = context
    self.onEnd = onEnd
    state = Mutex(record)
  }

  package var isRecording: Bool { state.withLock { $0.end == nil } }

  package var operationName: String {
    get { state.withLock { $0.name } }
    set { change { $0.name = newValue } }
  }

  package var attributes: SpanAttributes {
    get { state.withLock { $0.attributes } }
    set { change { $0.attributes = newValue } }
  }

  package func setStatus(_ status: SpanStatus) { change { $0.status = status } }

  package func addEvent(_ event: SpanEvent) { change { $0.events.append(event) } }

  package func recordError<Instant: TracerInstant>(
    _ error: any Error,
    attributes: SpanAttributes,
    at instant: @autoclosure () -> Instant,
  ) {
    var all: SpanAttributes = [
      "exception.type": .string("\(type(of: error))"), "exception.message": .string("\(error)"),
    ]
    all.merge(attributes)
    addEvent(SpanEvent(name: "exception", at: instant(), attributes: all))
  }

  package func addLink(_ link: SpanLink) {
    guard let identity = link.context.traceIdentity else { return }
    change { $0.links.append(identity) }
  }

  package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
    let end = instant().nanosecondsSinceEpoch
    let record = state.withLock { record -> Record? in
      guard record.end == nil else { return nil }
      record.end = end
      return record
    }
    if let record { onEnd(record) }
  }

  /// Changes the record, unless the span has ended.
  private func change(_ body: (inout Record) -> Void) {
    state.withLock { record in
      if record.end == nil { body(&record) }
    }
  }
}
