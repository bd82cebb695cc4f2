import Synchronization

/// Collects the tags of the actions that a reducer reduces, until the commit takes them, and counts
/// what it puts out.
package final class Ledger: Sendable {
  // Guarded by its mutex: reducers may run anywhere as far as the compiler knows.
  private let tags = Mutex<[UInt64]>([])
  private let lastOutput: Mutex<UInt64>

  /// - Parameter daemon: How many daemons there were before.
  package init(daemon: Int = 0) { lastOutput = Mutex(UInt64(daemon) << 32) }

  /// The number of the next output.
  func nextOutput() -> UInt64 {
    lastOutput.withLock { last in
      last += 1
      return last
    }
  }

  func reduced(_ tag: UInt64) { tags.withLock { $0.append(tag) } }

  /// The tags since the last call, oldest first.
  func take() -> [UInt64] {
    tags.withLock { tags in
      defer { tags = [] }
      return tags
    }
  }
}
