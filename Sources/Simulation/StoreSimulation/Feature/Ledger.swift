import Synchronization

/// Numbers a reducer's outputs.
package final class Ledger: Sendable {
  // Guarded by a mutex, because the compiler allows reducers on any thread.
  private let lastOutput: Mutex<UInt64>

  /// - Parameter daemon: The number of earlier daemons.
  package init(daemon: Int = 0) { lastOutput = Mutex(UInt64(daemon) << 32) }

  /// Returns the number of the next output.
  func nextOutput() -> UInt64 {
    lastOutput.withLock { last in
      last += 1
      return last
    }
  }
}
