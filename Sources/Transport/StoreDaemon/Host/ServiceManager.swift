import Dispatch
import Logging

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Notifies the service manager that started the process, as sd_notify(3) does.
///
/// A process without a service manager has no ``ServiceManager``.
@MainActor
final class ServiceManager {
  private let address: sockaddr_un
  private let length: socklen_t
  private let descriptor: Int32
  /// The watchdog interval in microseconds; nil without a watchdog.
  private let watchdog: Int?
  private let logger: Logger
  private var timer: (any DispatchSourceTimer)?
  private var hasFailed = false

  /// Creates it from `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`; nil without the first.
  ///
  /// - Parameters:
  ///   - logger: The log for the operator.
  ///   - isSuccessor: Whether this process replaces the one that the service manager started.
  init?(logger: Logger, isSuccessor: Bool = false) {
    guard let name = Self.variable("NOTIFY_SOCKET") else { return nil }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var path = Array(name.utf8)
    let isAbstract = path.first == UInt8(ascii: "@")
    // A path ends with a zero byte; an abstract name begins with one.
    guard path.count < MemoryLayout.size(ofValue: address.sun_path),
      isAbstract || path.first == UInt8(ascii: "/")
    else {
      logger.warning("NOTIFY_SOCKET is no address of a service manager: no notification is sent.")
      return nil
    }
    if isAbstract { path[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let head = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path)
    self.address = address
    length = socklen_t(head + path.count + (isAbstract ? 0 : 1))
    #if canImport(Glibc)
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    #else
    descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
    #endif
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let isOurs =
      isSuccessor || Self.variable("WATCHDOG_PID").map { Int32($0) == getpid() } ?? true
    watchdog =
      isOurs
      ? Self.variable("WATCHDOG_USEC").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } : nil
    self.logger = logger
  }

  isolated deinit {
    timer?.cancel()
    if descriptor >= 0 { close(descriptor) }
  }

  /// Reports that the daemon is ready; from then on sends watchdog messages from the main thread,
  /// as long as that is not blocked.
  func ready(_ status: String) {
    tell("READY=1\nSTATUS=\(status)")
    guard timer == nil, let watchdog else { return }
    let timer = DispatchSource.makeTimerSource(queue: .main)
    let interval = DispatchTimeInterval.microseconds(watchdog / 2)
    timer.schedule(deadline: .now(), repeating: interval, leeway: .microseconds(watchdog / 20))
    timer.setEventHandler { [weak self] in
      MainActor.assumeIsolated { self?.tell("WATCHDOG=1") }
    }
    timer.resume()
    self.timer = timer
  }

  /// Reports that the daemon reloads its configuration; ``ready(_:)`` ends that.
  func reloading() {
    var time = timespec()
    // It fails only for a clock that the system does not have.
    clock_gettime(CLOCK_MONOTONIC, &time)
    tell("RELOADING=1\nMONOTONIC_USEC=\(time.tv_sec * 1_000_000 + time.tv_nsec / 1_000)")
  }

  /// Reports that another process has replaced this one.
  func replaced(by pid: Int32) { tell("MAINPID=\(pid)") }

  /// Whether this process is one of a service manager that cannot be notified of another one.
  static var isUnnotified: Bool {
    variable("INVOCATION_ID") != nil && variable("NOTIFY_SOCKET") == nil
  }

  /// Reports that the daemon is stopping.
  func stopping() { tell("STOPPING=1") }

  private func tell(_ state: String) {
    let bytes = Array(state.utf8)
    #if canImport(Glibc)
    let flags = Int32(MSG_NOSIGNAL)
    #else
    let flags: Int32 = 0
    #endif
    let count = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, bytes, bytes.count, flags, $0, length)
      }
    }
    guard count < 0, !hasFailed else { return }
    hasFailed = true
    logger.warning(
      "The service manager cannot be notified of the daemon's state.",
      metadata: ["reason": "\(StoreDirectory.systemMessage())"],
    )
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
