import Foundation
import StoreConcurrency

/// The default values that exist, for each context and each test.
///
/// Tests run concurrently in one process. A test's defaults are stored under the test's identity,
/// so that values with reference semantics are not shared between tests.
///
/// Sendable because `entries` is accessed only while `lock` is held.
final class DependencyDefaults: @unchecked Sendable {
  static let shared = DependencyDefaults()

  // Recursive, because creating a default may use other dependencies; held meanwhile, so that each
  // default is created once.
  private let lock = NSRecursiveLock()
  private var entries: [EntryKey: Entry] = [:]

  /// Returns the default of a key, and creates it at first use with the dependencies of `values`.
  func value<Key: TestDependencyKey>(
    of key: Key.Type,
    for values: DependencyValues,
    access: DependencyAccess,
  ) -> Key.Value {
    let context = values.context
    let entryKey = EntryKey(key: ObjectIdentifier(key), context: context)
    return lock.withLock {
      guard let entry = entries[entryKey], let value = entry.value as? Key.Value else {
        let omission = LockIsolated<DependencyAccess.Omission?>(nil)
        let value = DependencyAccess.$omission.withValue(omission) {
          make(key, for: values, access: access)
        }
        let entry = Entry(
          value: value,
          isUsed: !DependencyValues.isSetting,
          omission: omission.value,
        )
        entries[entryKey] = entry
        if !entry.isUsed { entry.tellReader() }
        return value
      }
      guard !entry.isUsed else { return value }
      guard !DependencyValues.isSetting else {
        entry.tellReader()
        return value
      }
      entries[entryKey]?.isUsed = true
      switch entry.omission {
      case .ours: DependencyAccess.$inner.withValue(access) { report(key, in: context) }
      // Created only for its report; the value is discarded.
      case .theirs: _ = make(key, for: values, access: access)
      case nil: break
      }
      return value
    }
  }

  /// Makes values defaults, and returns how many of them were used or prepared before.
  func prepare(
    _ values: [ObjectIdentifier: any Sendable],
    in context: DependencyContext,
  ) -> Int {
    lock.withLock {
      var late = 0
      for (key, value) in values {
        let entryKey = EntryKey(key: key, context: context)
        // A preview may run again in the same process.
        if context != .preview, let entry = entries[entryKey], entry.isUsed {
          late += 1
        } else {
          entries[entryKey] = Entry(value: value, isUsed: true, omission: nil)
        }
      }
      return late
    }
  }

  private func make<Key: TestDependencyKey>(
    _ key: Key.Type,
    for values: DependencyValues,
    access: DependencyAccess,
  ) -> Key.Value {
    DependencyAccess.$inner.withValue(access) {
      DependencyValues.$_current.withValue(values) { make(key, in: values.context) }
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
      report(key, in: context)
      return Key.testValue
    }
  }

  /// Reports that a key has no own value for a context.
  private func report<Key: TestDependencyKey>(_ key: Key.Type, in context: DependencyContext) {
    if context == .live {
      DependencyAccess.current.reportMissingLiveValue(of: key)
    } else {
      DependencyAccess.current.reportMissingTestValue(of: key)
    }
  }
}

extension DependencyDefaults {
  /// Removes the defaults of tests without an identity, such as those of XCTest.
  func removeUnidentified() {
    lock.withLock { entries = entries.filter { $0.key.test != nil } }
  }

  /// Removes the defaults of a test.
  func removeAll(of test: TestIdentity) {
    lock.withLock { entries = entries.filter { $0.key.test != test } }
  }

  private struct Entry {
    let value: any Sendable
    /// Whether the value was read for another purpose than changing it.
    var isUsed: Bool
    /// The report that was omitted, because the value was read in order to change it.
    let omission: DependencyAccess.Omission?

    /// Notes the omitted report for the default whose creation has read this one.
    ///
    /// If that default is created again, it reads this one again.
    func tellReader() {
      guard omission != nil else { return }
      DependencyAccess.omission?.withValue { $0 = $0 ?? .theirs }
    }
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
