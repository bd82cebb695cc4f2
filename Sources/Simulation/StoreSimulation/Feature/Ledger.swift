import Synchronization

/// Numbers what a reducer puts out.
package final class Ledger: Sendable {
  // Guarded by its mutex: reducers may run anywhere as far as the compiler knows.
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
}
