#if FAILPOINTS
import StoreHistory
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Settings of a daemon under test, from the environment.
enum Failpoints {
  /// Ends the process at the place that `STOREACTOR_FAILPOINT` names, such as `beforeCommit:7`: at
  /// the seventh time that this place is reached.
  ///
  /// The place's name is then appended to the file `STOREACTOR_FAILPOINT_NOTES`.
  static func install() {
    guard let parts = value("STOREACTOR_FAILPOINT")?.split(separator: ":") else { return }
    guard parts.count == 2, let point = Failpoint(rawValue: String(parts[0])),
      let count = Int(parts[1])
    else { preconditionFailure("STOREACTOR_FAILPOINT is \(parts), not a place and a count") }
    let countdown = Countdown(point, count)
    Failpoint.action.withLock { $0 = countdown.reach }
  }

  /// The number of bytes of records after which a snapshot is made; nil for the default.
  static var recordBytesPerSnapshot: Int? { value("STOREACTOR_SNAPSHOT_BYTES").flatMap { Int($0) } }

  /// The number of bytes of a segment of the log; nil for the default.
  static var segmentBytes: Int? { value("STOREACTOR_SEGMENT_BYTES").flatMap { Int($0) } }

  private static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  private final class Countdown: Sendable {
    private let point: Failpoint
    private let left: Mutex<Int>

    init(_ point: Failpoint, _ count: Int) {
      self.point = point
      left = Mutex(count)
    }

    private func note() {
      guard let path = Failpoints.value("STOREACTOR_FAILPOINT_NOTES") else { return }
      let line = Array("\(point.rawValue)\n".utf8)
      let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
      precondition(
        descriptor >= 0 && write(descriptor, line, line.count) == line.count,
        "\(path) could not be written: \(errno)",
      )
      close(descriptor)
    }

    @Sendable
    func reach(_ point: Failpoint) {
      guard point == self.point else { return }
      left.withLock { left in
        left -= 1
        guard left == 0 else { return }
        note()
        kill(getpid(), SIGKILL)
      }
    }
  }
}
#endif
