#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Finds out whether a daemon that has not answered yet exists in a directory.
struct DaemonProbe {
  let directory: String

  /// Whether there is no socket.
  var isAbsent: Bool { access("\(directory)/ctl", F_OK) != 0 && errno == ENOENT }

  /// Whether nobody accepts connections there.
  var isRefused: Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array("\(directory)/ctl".utf8)
    // A longer one was refused before.
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return true }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    #if canImport(Glibc)
    let kind = Int32(SOCK_STREAM.rawValue)
    #else
    let kind = SOCK_STREAM
    #endif
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // One whose queue of connections is full would keep us waiting.
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return status != 0 && [ENOENT, ECONNREFUSED, ENOTDIR].contains(errno)
  }

  /// The process named in the directory's lock; nil if there is none.
  var pid: Int32? {
    let descriptor = open("\(directory)/lock", O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 32)
    let count = read(descriptor, &buffer, buffer.count)
    let digits = buffer.prefix(max(0, count)).prefix { (0x30...0x39).contains($0) }
    return Int32(String(decoding: digits, as: UTF8.self))
  }
}

extension StoreConnection {
  /// How long a running daemon usually takes to answer.
  private static let glance: Duration = .milliseconds(50)

  /// Waits until a session is open, but if there is no daemon only as long as it takes to
  /// see that.
  ///
  /// - Parameter time: How long to wait at most.
  /// - Throws: As ``connected(within:)``, and ``ConnectionError/Code/silent`` when somebody takes
  ///   connections, but does not answer.
  package func reached(within time: Duration) async throws(ConnectionError) {
    let probe = location.directory.map { DaemonProbe(directory: $0) }
    let glance = min(time, Self.glance)
    do throws(ConnectionError) {
      return try await connected(within: probe?.isAbsent == true ? .zero : glance)
    } catch {
      guard error.code == .noDaemon else { throw error }
      guard let probe else { return try await connected(within: time - glance) }
      if probe.isRefused { throw error }
      do throws(ConnectionError) {
        try await connected(within: time - glance)
      } catch {
        guard error.code == .noDaemon else { throw error }
        throw ConnectionError(silentWithin: time, probe)
      }
    }
  }
}

extension ConnectionError {
  fileprivate init(silentWithin time: Duration, _ probe: DaemonProbe) {
    let process = probe.pid.map { "The daemon with pid \($0)" } ?? "A process"
    self.init(
      .silent,
      "\(process) takes connections in \(probe.directory), but did not answer within \(time).",
      remedy: probe.pid.map { "See what keeps it busy; if it hangs, end it with: kill -9 \($0)" }
        ?? "See what keeps it busy.",
    )
  }
}
