import Foundation
import StoreJournal

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Replaces a running daemon by another process of its program, without an outage.
///
/// ```swift
/// let pid = try DaemonUpgrade.request(in: "/run/app")
/// ```
///
/// The daemon starts the file by which it was started, which may be another build by now, with the
/// same arguments and environment. It hands over when the new process has read the history. If the
/// new process cannot start, the daemon goes on.
public enum DaemonUpgrade {
  /// Requests the replacement, and waits until the new process serves.
  ///
  /// Call it as the daemon's user. It blocks.
  ///
  /// - Parameters:
  ///   - directory: The daemon's directory: ``HostConfiguration/directory``.
  ///   - time: The longest wait. The daemon may be replaced later.
  /// - Returns: The new process.
  /// - Throws: ``HostError``. Its code is `tryAgain` if the daemon was not replaced.
  @discardableResult
  public static func request(
    in directory: String,
    within time: Duration = .seconds(60),
  ) throws(HostError) -> Int32 {
    guard let former = DirectoryLock.holder(of: directory).flatMap({ Int32($0) }) else {
      throw HostError(
        .tryAgain,
        "No daemon runs in \(directory).",
        remedy: "Start it, or name the directory of one.",
      )
    }
    guard takesRequests(former) else {
      throw HostError(
        .tryAgain,
        "Process \(former), which uses \(directory), is of a build that cannot be replaced.",
        remedy: "Stop it, and start the installed build.",
      )
    }
    let contents = DirectoryLock.contents(of: directory)
    guard kill(former, SIGUSR2) == 0 else {
      throw HostError(
        .notAllowed,
        "Process \(former), which uses \(directory), could not be notified: "
          + "\(StoreDirectory.systemMessage()).",
        remedy: "Run the command as the daemon's user, and in its container.",
      )
    }
    let end = ContinuousClock.now + time
    while ContinuousClock.now < end {
      _ = poll(nil, 0, 20)
      let holder = DirectoryLock.holder(of: directory).flatMap { Int32($0) }
      guard let holder, DirectoryLock.contents(of: directory) != contents else { continue }
      guard holder != former else {
        throw HostError(
          .tryAgain,
          "The new process did not serve, and process \(former) has started again as it was.",
          remedy: "See the daemon's log.",
        )
      }
      // It ends when the new process serves.
      guard hasEnded(former) else { continue }
      return holder
    }
    throw HostError(
      .tryAgain,
      "Process \(former) was not replaced within \(time): the new process could not start, or is "
        + "reading the history.",
      remedy: "See the daemon's log.",
    )
  }

  /// Whether a process has ended; its parent may not have noticed it.
  private static func hasEnded(_ pid: Int32) -> Bool {
    if kill(pid, 0) != 0, errno == ESRCH { return true }
    guard let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else {
      return false
    }
    // The state follows the name, which is in parentheses.
    let text = String(decoding: bytes, as: UTF8.self)
    guard let name = text.lastIndex(of: ")") else { return false }
    return text[name...].dropFirst(2).hasPrefix("Z")
  }

  /// Whether a process handles the signal, which would end it otherwise.
  ///
  /// - Returns: True if the system does not report that.
  private static func takesRequests(_ pid: Int32) -> Bool {
    #if os(Linux)
    guard let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/status") else {
      return true
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix("SigCgt:") }),
      let mask = UInt64(line.dropFirst(7).trimmingPrefix(while: \.isWhitespace), radix: 16)
    else { return true }
    return mask & 1 << UInt64(SIGUSR2 - 1) != 0
    #else
    return true
    #endif
  }
}
