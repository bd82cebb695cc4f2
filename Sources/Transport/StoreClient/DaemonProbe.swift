import StoreState

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Finds out whether a daemon that has not answered yet exists in a directory.
struct DaemonProbe {
  let directory: String

  /// Whether the control socket's file is absent.
  var isAbsent: Bool { access("\(directory)/ctl", F_OK) != 0 && errno == ENOENT }

  /// Whether no process accepts connections there.
  var isRefused: Bool { [ENOENT, ECONNREFUSED, ENOTDIR].contains(connectionError) }

  /// Whether this user may not connect to the sockets.
  ///
  /// The daemon opens them to other users when one of them has a grant.
  var isForbidden: Bool { [EACCES, EPERM].contains(connectionError) }

  /// Whether the queue of connections is full: the daemon works, but accepts too slowly.
  var isCrowded: Bool { connectionError == EAGAIN }

  /// The error of an attempt to connect; 0 if it succeeded or the error is unknown.
  private var connectionError: Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array("\(directory)/ctl".utf8)
    // A longer path was refused before.
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return ENOENT }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    #if canImport(Glibc)
    let kind = Int32(SOCK_STREAM.rawValue)
    #else
    let kind = SOCK_STREAM
    #endif
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { return 0 }
    defer { close(descriptor) }
    // A connection to a full queue would otherwise block.
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return status == 0 ? 0 : errno
  }

  /// The text of the directory's lock, and whether its process still holds it; nil if there is no
  /// lock that this user may read.
  var lock: (text: LockText, isHeld: Bool)? {
    let descriptor = open("\(directory)/lock", O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    // Closing the descriptor also releases a lock that the check below takes.
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: LockText.limit)
    let count = read(descriptor, &buffer, buffer.count)
    guard let text = LockText(buffer.prefix(max(0, count))) else { return nil }
    return (text, flock(descriptor, LOCK_SH | LOCK_NB) != 0)
  }

  /// The command that starts the directory's last daemon; empty if that daemon is unknown.
  var remedy: String {
    switch lock?.text.program {
    case nil: ""
    case "stored": "Start it with: stored --dir \(ShellWord.quoted(directory))"
    case let program?: "Start \(program), which served the directory last."
    }
  }
}

extension StoreConnection {
  /// The usual time in which a running daemon answers.
  private static let glance: Duration = .milliseconds(50)

  /// Waits until a session is open; without a daemon, only until its absence is certain.
  ///
  /// - Parameter time: The time limit.
  /// - Throws: As ``connected(within:)``, and ``ConnectionError/Code/silent`` if a process accepts
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
    // A lock that is no longer held names a process that has ended.
    let holder = probe.lock.flatMap { $0.isHeld ? $0.text : nil }
    let process = holder.map { "\($0.program ?? "The daemon") with pid \($0.pid)" } ?? "A process"
    if probe.isCrowded {
      self.init(
        .silent,
        "\(process) takes connections in \(probe.directory), but so many come at once that there "
          + "was no place for this one within \(time).",
        remedy: "Try again; its log names the refused connections.",
      )
      return
    }
    self.init(
      .silent,
      "\(process) takes connections in \(probe.directory), but did not answer within \(time).",
      remedy: holder.map {
        "Look at its load; if it hangs, end it with: kill -9 \($0.pid)"
      } ?? "",
    )
  }
}
