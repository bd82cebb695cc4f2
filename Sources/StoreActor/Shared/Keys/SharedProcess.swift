import Synchronization

/// The roles of this process that determine how values are shared.
package enum SharedProcess {
  private static let hosts = Atomic<Bool>(false)
  private static let connects = Atomic<Bool>(false)
  /// The value of ``isClient`` that a test assumes; nil for the real one.
  @TaskLocal package static var assumedClient: Bool?

  /// Records that the process hosts a daemon.
  package static func beginHosting() { hosts.store(true, ordering: .relaxed) }

  /// Records that the process has, or had, a connection to a daemon.
  package static func beginConnecting() { connects.store(true, ordering: .relaxed) }

  /// Whether the process hosts a daemon.
  static var isHost: Bool { hosts.load(ordering: .relaxed) }

  /// Whether the process is a daemon's client and hosts no daemon.
  static var isClient: Bool {
    assumedClient ?? (connects.load(ordering: .relaxed) && !isHost)
  }

  /// Waits until changes are written to the files of `.fileStorage`, for 5 seconds at most.
  ///
  /// - Returns: The paths of files that are not written yet.
  package static func drainFiles() -> [String] { FileWrites.shared.drain(within: .seconds(5)) }
}
