import Foundation
import StoreConcurrency

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
  private var entries: [EntryKey: Entry] = [:]

  /// The default of a key, made where there is none, as those see the values who read them.
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
      // What is made here is not wanted, but what it has to say.
      case .theirs: _ = make(key, for: values, access: access)
      case nil: break
      }
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
        // A preview may be run again in the process in which it ran before.
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

  /// Reports that a key has no value of its own for a context.
  private func report<Key: TestDependencyKey>(_ key: Key.Type, in context: DependencyContext) {
    if context == .live {
      DependencyAccess.current.reportMissingLiveValue(of: key)
    } else {
      DependencyAccess.current.reportMissingTestValue(of: key)
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

  private struct Entry {
    let value: any Sendable
    /// Whether anybody has read the value but in order to change it.
    var isUsed: Bool
    /// What nobody was told, since the value was looked at to be changed.
    let omission: DependencyAccess.Omission?

    /// Tells the default that is being made of this one that something was left out: it reads this
    /// one again when it is made once more.
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
