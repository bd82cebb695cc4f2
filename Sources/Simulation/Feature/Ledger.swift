import Synchronization

/// Collects the tags of the actions that a reducer reduces, until the commit takes them.
package final class Ledger: Sendable {
  // Guarded by its mutex: reducers may run anywhere as far as the compiler knows.
  private let tags = Mutex<[UInt64]>([])

  package init() {}

  func reduced(_ tag: UInt64) { tags.withLock { $0.append(tag) } }

  /// The tags since the last call, oldest first.
  func take() -> [UInt64] {
    tags.withLock { tags in
      defer { tags = [] }
      return tags
    }
  }
}
