import GenericState
import Logging
import StoreState
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Logs on standard error, a line for each event: for people, or as JSON for programs.
///
/// No line can control a terminal or forge another line.
struct DaemonLog: LogHandler {
  enum Format: String, CaseIterable, Sendable { case text, json }

  /// The lowest level that is logged, for the whole process; it may change while the process runs.
  private static let processLevel = Mutex(Logger.Level.notice)

  static var level: Logger.Level {
    get { processLevel.withLock { $0 } }
    set { processLevel.withLock { $0 = newValue } }
  }

  let label: String
  let format: Format
  var metadata: Logger.Metadata = [:]
  /// The level of this logger; nil if it uses the process's level.
  private var ownLevel: Logger.Level?

  init(label: String, format: Format) {
    self.label = label
    self.format = format
  }

  var logLevel: Logger.Level {
    get { ownLevel ?? Self.level }
    set { ownLevel = newValue }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var time = timespec()
    // Fails only for a clock that the system lacks.
    clock_gettime(CLOCK_REALTIME, &time)
    let milliseconds = UInt64(max(0, time.tv_sec)) * 1_000 + UInt64(time.tv_nsec / 1_000_000)
    let bytes = Array("\(line(event, at: UTCTime.text(milliseconds: milliseconds)))\n".utf8)
    // One write, so that lines of other threads do not interleave. A failed write cannot be
    // reported anywhere.
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }

  /// The line of an event.
  func line(_ event: LogEvent, at time: String) -> String {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
    switch format {
    case .text:
      let details = all.map { " \($0.key)=\($0.value)" }.joined()
      return Printable.text("\(time) \(event.level) \(label): \(event.message)\(details)")
    case .json:
      let members: [JSONValue.Member] = [
        .init("time", .string(time)), .init("level", .string("\(event.level)")),
        .init("logger", .string(label)), .init("message", .string("\(event.message)")),
      ]
      let details = all.map { JSONValue.Member($0.key, Self.tree($0.value)) }
      return JSONValue.object(
        details.isEmpty ? members : members + [.init("metadata", .object(details))]
      )
      .text()
    }
  }

  private static func tree(_ value: Logger.MetadataValue) -> JSONValue {
    switch value {
    case .array(let values): .array(values.map(tree))
    case .dictionary(let values):
      .object(values.sorted { $0.key < $1.key }.map { .init($0.key, tree($0.value)) })
    default: .string("\(value)")
    }
  }
}
