import Dispatch
import Synchronization
package import Tracing
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes each finished span as a line to a file, which several programs may share.
///
/// No caller waits for the disk: a queue writes the lines, and drops some when too many wait. Spans
/// of other programs are linked by `traceparent` of W3C's Trace Context.
///
/// Isolation: only the queue writes to the descriptor; all other mutable state is atomic.
package final class TraceFile: Tracer {
  /// The reason for which spans cannot be written.
  package struct Problem: Error, Sendable, CustomStringConvertible {
    package let description: String
    /// Whether another user could have chosen the file.
    package var isUnsafe = false
  }

  /// The maximum number of lines that wait to be written.
  private static let mostWaiting = 8_192
  /// The name of a span's parent in a carrier.
  private static let key = "traceparent"

  private let service: String
  private let path: String
  private let descriptor: Int32
  private let queue = DispatchQueue(label: "storeactor.traces", qos: .utility)
  private let waiting = Atomic(0)
  /// Whether a loss of spans was reported and the writer has not recovered since.
  private let isFailing = Atomic(false)
  /// Whether the file ends with an incomplete line.
  private let isTorn = Atomic(false)
  private let onProblem: @Sendable (Problem) -> Void

  /// Opens a file, or makes it for this user alone.
  ///
  /// Another user cannot have chosen the file (`TrustedFile`).
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - service: The program's name in its spans.
  ///   - trusted: A user that may own the file and its directories, besides this user and root.
  ///   - onProblem: Called when spans are lost; once, until the writer has recovered.
  /// - Throws: The reason for which the file cannot be written.
  package init(
    _ path: String,
    service: String,
    trusting trusted: UInt32? = nil,
    onProblem: @escaping @Sendable (Problem) -> Void,
  ) throws(Problem) {
    let opened: Int32
    do throws(TrustedFile.Problem) {
      opened = try TrustedFile.openToAppend(path, trusting: trusted)
    } catch {
      throw Problem(
        description: "Traces cannot be written to \(path): \(error)",
        isUnsafe: error.isUnsafe,
      )
    }
    // The number of a closed standard stream is unsuitable: the program would print into the file.
    descriptor = opened > 2 ? opened : fcntl(opened, F_DUPFD_CLOEXEC, 3)
    if descriptor != opened { close(opened) }
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      throw Problem(description: "Traces cannot be written to \(path): \(reason).")
    }
    self.path = path
    self.service = service
    self.onProblem = onProblem
  }

  deinit { close(descriptor) }

  package func startSpan<Instant: TracerInstant>(
    _ operationName: String,
    context: @autoclosure () -> ServiceContext,
    ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant,
    function: String,
    file fileID: String,
    line: UInt,
  ) -> FileSpan {
    var context = context()
    let parent = context.traceIdentity
    let identity = TraceIdentity.child(of: parent)
    context.traceIdentity = identity
    let record = FileSpan.Record(
      name: operationName,
      kind: kind,
      identity: identity,
      parent: parent,
      start: instant().nanosecondsSinceEpoch,
    )
    return FileSpan(record, context: context) { [self] in ended($0) }
  }

  /// Waits until all finished spans are written.
  package func forceFlush() { queue.sync {} }

  private func ended(_ record: FileSpan.Record) {
    guard waiting.add(1, ordering: .relaxed).newValue <= Self.mostWaiting else {
      waiting.subtract(1, ordering: .relaxed)
      return report("spans end faster than they can be written; some are left out.")
    }
    queue.async { [self] in
      write(SpanLine(service: service, record: record).text)
      waiting.subtract(1, ordering: .relaxed)
    }
  }

  private func write(_ line: String) {
    // A line after an incomplete one begins on a new line, so that it can be read.
    let bytes = Array("\(isTorn.load(ordering: .relaxed) ? "\n" : "")\(line)\n".utf8)
    // One write, so that lines of other programs do not interleave.
    let count = systemWrite(descriptor, bytes, bytes.count)
    guard count == bytes.count else {
      if count > 0 { isTorn.store(true, ordering: .relaxed) }
      return report(count < 0 ? "\(String(cString: strerror(errno)))." : "the disk is full.")
    }
    isTorn.store(false, ordering: .relaxed)
    // At the limit every other span is lost: that is one problem, which is reported once.
    guard waiting.load(ordering: .relaxed) < Self.mostWaiting / 2 else { return }
    isFailing.store(false, ordering: .relaxed)
  }

  private func report(_ reason: String) {
    guard !isFailing.exchange(true, ordering: .relaxed) else { return }
    onProblem(Problem(description: "Spans for \(path) are lost: \(reason)"))
  }

  // MARK: - Other programs

  package func inject<Carrier, Inject: Injector>(
    _ context: ServiceContext,
    into carrier: inout Carrier,
    using injector: Inject,
  ) where Inject.Carrier == Carrier {
    guard let identity = context.traceIdentity else { return }
    injector.inject(identity.parent, forKey: Self.key, into: &carrier)
  }

  package func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier,
    into context: inout ServiceContext,
    using extractor: Extract,
  ) where Extract.Carrier == Carrier {
    guard let text = extractor.extract(key: Self.key, from: carrier),
      let identity = TraceIdentity(parent: text)
    else { return }
    context.traceIdentity = identity
  }
}

private func systemWrite(_ descriptor: Int32, _ bytes: [UInt8], _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
