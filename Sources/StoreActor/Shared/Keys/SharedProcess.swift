import Synchronization

/// What this process does besides sharing values, as far as that decides how they are shared.
package enum SharedProcess {
  private static let hosts = Atomic<Bool>(false)
  private static let connects = Atomic<Bool>(false)
  /// What a test assumes of ``isClient``; nil for what is so.
  @TaskLocal package static var assumedClient: Bool?

  /// The process hosts a daemon, from now on.
  package static func beginHosting() { hosts.store(true, ordering: .relaxed) }

  /// The process has a connection to a daemon, or had one.
  package static func beginConnecting() { connects.store(true, ordering: .relaxed) }

  /// Whether the process hosts a daemon.
  static var isHost: Bool { hosts.load(ordering: .relaxed) }

  /// Whether the process is a daemon's client, and hosts none.
  static var isClient: Bool {
    assumedClient ?? (connects.load(ordering: .relaxed) && !isHost)
  }

  /// Waits until what was changed is in the files of `.fileStorage`, for 5 seconds at most.
  ///
  /// - Returns: The paths of files that are not written yet.
  package static func drainFiles() -> [String] { FileWrites.shared.drain(within: .seconds(5)) }
}
