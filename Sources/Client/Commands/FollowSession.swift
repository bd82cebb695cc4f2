import ArgumentParser
import StoreJournal
import StoreState

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A running `backup --follow`: it passes over the source again and again.
///
/// It may be killed at any moment: each command leaves the copy whole.
struct FollowSession {
  /// The bytes of history that a copy keeps beyond the part that a restart needs.
  static let retainedBytes = 1 << 30
  /// The time between two passes, and the first and the longest one before another attempt.
  private static let pause: Int32 = 1_000
  private static let longestPause: Int32 = 30_000

  let data: String
  /// An address of ssh, or an absolute path.
  let target: String
  let retention: Retention
  let isJSON: Bool

  /// Follows until a signal ends the process.
  ///
  /// - Throws: An error that another attempt does not change.
  func run() throws -> Never {
    for number in [SIGINT, SIGTERM] { signal(number) { _ in _exit(0) } }
    let address = SecureShellAddress(target)
    if address == nil {
      guard !target.hasPrefix(SecureShellAddress.prefix) else {
        throw CommandError(
          .usage,
          "\"\(target)\" is no address of ssh. Expected ssh://[USER@]HOST[:PORT]/DIRECTORY, "
            + "without a colon in the directory.",
        )
      }
      try Copying.check(target, isNotInside: data)
    }
    let progress = ProgressLine()
    var shell = try address.map { try SecureShell($0, for: .commands) }
    let follower = try JournalFollower(
      data,
      to: shell?.place ?? CopyPlace(directory: target),
      retention,
    ) { event in
      progress.end()
      Note.print("\(event)")
    }
    var (attempts, wasComplete) = (0, false)
    while true {
      do {
        let found = try follower.pass { progress.tell("revision \($0)") }
        progress.end()
        if found.isComplete, !wasComplete {
          try Copying.report(target, follower.root, found.revision, isJSON: isJSON)
        }
        (attempts, wasComplete) = (0, found.isComplete)
        if found.isComplete { Self.wait(Self.pause) }
      } catch let error as JournalError where error.isForNow {
        progress.end()
        wasComplete = false
        if attempts == 0 { Note.print("\(error) It is tried again.") }
        Self.wait(min(Self.pause << min(attempts, 5), Self.longestPause))
        attempts += 1
        if let address { shell = reconnected(address, after: shell, follower) }
      }
    }
  }

  /// Connects again; a failure is reported by `ssh`, and by the next pass.
  private func reconnected(
    _ address: SecureShellAddress,
    after former: SecureShell?,
    _ follower: JournalFollower,
  ) -> SecureShell? {
    former?.end()
    guard let shell = try? SecureShell(address, for: .commands) else { return nil }
    follower.place = shell.place
    return shell
  }

  private static func wait(_ milliseconds: Int32) { _ = poll(nil, 0, milliseconds) }
}

extension JournalError {
  fileprivate var isForNow: Bool { code.isForNow }
}
