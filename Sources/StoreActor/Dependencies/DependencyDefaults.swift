import Foundation

/// The default values that were made so far, for each context and each test.
///
/// Tests run beside each other in one process: a test's defaults are kept under the test's
/// identity, so that no test sees what another has left in a value with reference semantics.
///
/// Sendable because `entries` is only touched while `lock` is held.
final class DependencyDefaults: @unchecked Sendable {
  static let shared = DependencyDefaults()

  // Recursive, because making a default may use other dependencies; held meanwhile, so that no
  // default is made twice.
  private let lock = NSRecursiveLock()
  private var entries: [EntryKey: any Sendable] = [:]

  func value<Key: TestDependencyKey>(
    of key: Key.Type,
    in context: DependencyContext,
    access: DependencyAccess,
  ) -> Key.Value {
    let entryKey = EntryKey(key: ObjectIdentifier(key), context: context)
    return lock.withLock {
      if let value = entries[entryKey] as? Key.Value { return value }
      let value = DependencyAccess.$inner.withValue(access) { make(key, in: context) }
      // What is looked at in order to be changed has not been used: its use is still to be
      // reported.
      if !DependencyValues.isSetting { entries[entryKey] = value }
      return value
    }
  }

  /// Makes values defaults, and returns how many of them had been used or prepared before.
  func prepare(
    _ values: [ObjectIdentifier: any Sendable],
    in context: DependencyContext,
  ) -> Int {
    lock.withLock {
      var late = 0
      for (key, value) in values {
        let entryKey = EntryKey(key: key, context: context)
        if entries[entryKey] == nil {
          entries[entryKey] = value
        } else {
          late += 1
        }
      }
      return late
    }
  }

  private func make<Key: TestDependencyKey>(
    _ key: Key.Type,
    in context: DependencyContext,
  ) -> Key.Value {
    switch context {
    case .preview:
      return Key.previewValue
    case .test:
      return Key.testValue
    case .live:
      if let live = Key.self as? any DependencyKey.Type,
        let value = live.anyLiveValue as? Key.Value
      {
        return value
      }
      DependencyAccess.current.reportMissingLiveValue(of: Key.self)
      return Key.testValue
    }
  }
}

extension DependencyDefaults {
  /// Forgets what was made in tests that have no identity, as those of XCTest have none.
  func removeUnidentified() {
    lock.withLock { entries = entries.filter { $0.key.test != nil } }
  }

  /// Forgets what was made in a test.
  func removeAll(of test: TestIdentity) {
    lock.withLock { entries = entries.filter { $0.key.test != test } }
  }

  private struct EntryKey: Hashable {
    let key: ObjectIdentifier
    let context: DependencyContext
    let test = TestIdentity.current
  }
}

extension DependencyKey {
  fileprivate static var anyLiveValue: any Sendable { liveValue }
}
