import Foundation

/// The persistence of a value with a key.
///
/// Sendable because all mutable state is accessed under the shared lock only, except for
/// `hasBegun`, which has a lock of its own.
final class KeyedValue<Value: Sendable>: SharedPersistence, @unchecked Sendable {
  private weak var cell: SharedCell<Value>?
  private let key: any SharedReaderKey<Value>
  private var saving: SavingValue<Value>?
  private let initialValue: Value
  /// Held during the first request to the key: other readers of the value wait for it.
  private let beginning = NSRecursiveLock()
  private var hasBegun = false
  private var subscription: SharedSubscription?
  private var lastLoadError: (any Error)?
  private var lastSaveError: (any Error)?
  private var loads = 0
  private var isLoadingOutside = false
  /// Whether the key is saving a value.
  private var isSaving = false
  /// The saves after that, and their waiters.
  private var saves: [(context: SaveContext, finish: Finish)] = []
  /// The version of this process's last change: stored values from before it are older.
  private var changed: UInt64 = 0
  /// Whether that change is not passed to the key yet.
  private var isUntold = false
  /// The reason why changes are not saved: the stored value is unreadable and must be kept.
  private var unread: (any Error)?
  private var lastSave = 0
  /// The saves that the key has not completed yet, which will replace the stored value.
  private var savesUnderWay: Set<Int> = []

  /// The key's description.
  private let name: @Sendable () -> String
  /// Whether errors are reported as issues: not in tests, which check them, and not if they are a
  /// daemon's answers.
  private let reportsErrors: Bool
  /// Whether a change does not replace an unreadable value.
  private let keepsUnread: Bool

  private typealias Finish = @Sendable (Result<Void, any Error>) -> Void

  init(
    _ cell: SharedCell<Value>,
    _ key: some SharedReaderKey<Value>,
    saving: SavingValue<Value>?,
    _ initialValue: Value,
  ) {
    self.cell = cell
    self.key = key
    self.saving = saving
    self.initialValue = initialValue
    name = { "\(key)" }
    keepsUnread = key is any UnreadKeepingKey
    reportsErrors =
      DependencyValues._current.context != .test && !(key is any SharedUpdatingKey<Value>)
  }

  func saves(by saving: @escaping SavingValue<Value>) { self.saving = self.saving ?? saving }

  var loadError: (any Error)? { SharedLock.withLock { lastLoadError } }
  var saveError: (any Error)? { SharedLock.withLock { lastSaveError } }
  var isLoading: Bool { SharedLock.withLock { loads > 0 || isLoadingOutside } }

  /// Sends the first request to the key, and then follows the value.
  ///
  /// Only the first call has an effect.
  func begin(_ question: FirstQuestion) {
    // The beginning thread may need the shared lock, and its holder must not wait for that thread.
    // Then the value is read twice, as a change of the initial value would replace the stored one.
    if SharedLock.isHeld {
      guard beginning.try() else { return ask(question) }
    } else {
      beginning.lock()
    }
    defer { beginning.unlock() }
    if hasBegun { return }
    hasBegun = true
    ask(question)
    let subscriber = SharedSubscriber<Value>(
      receive: { [weak self] in self?.receive($0, of: $1) ?? false },
      setLoading: { [weak self] isLoading in
        SharedLock.withLock { self?.isLoadingOutside = isLoading }
      },
    )
    let context: LoadContext<Value> =
      question == .valueOrInitial ? .initialValue(initialValue) : .userInitiated
    let subscription = key.subscribe(context: context, subscriber: subscriber)
    SharedLock.withLock { self.subscription = subscription }
  }

  private func ask(_ question: FirstQuestion) {
    switch question {
    case .valueOrInitial: load(.initialValue(initialValue)) { _ in }
    case .value: load(.userInitiated) { _ in }
    case .nothing: break
    }
  }

  private func load(
    _ context: LoadContext<Value>,
    _ finish: @escaping @Sendable (Result<Void, any Error>) -> Void,
  ) {
    let version = SharedLock.version
    SharedLock.withLock { loads += 1 }
    key.load(
      context: context,
      continuation: LoadContinuation(
        KeyAnswer(to: "load", of: name) { [weak self] result in
          SharedLock.withLock {
            self?.loads -= 1
            if self?.keepsUnread == true, let error = result?.failure { self?.unread = error }
          }
          // If the key forgot to answer, the value is unchanged.
          if let result { self?.receive(result, of: version) }
          finish(result.map { $0.map { _ in } } ?? .success(()))
        }
      ),
    )
  }

  /// Takes the stored value as of a version, unless this process has changed it since.
  ///
  /// - Returns: Whether the value was taken.
  @discardableResult
  private func receive(_ result: Result<Value?, any Error>, of version: UInt64) -> Bool {
    SharedLock.withLock {
      switch result {
      case .success(let value):
        (lastLoadError, unread) = (nil, nil)
        guard !isUntold, savesUnderWay.isEmpty, version >= changed else { return false }
        cell?.receive(value ?? initialValue)
        return true
      case .failure(let error):
        lastLoadError = error
        report("could not be read", error)
        return false
      }
    }
  }

  /// Takes a value that another caller has read, in a read that began at a version.
  func take(_ value: Value, of version: UInt64) { receive(.success(value), of: version) }

  func load() async throws {
    try await untilCancelled { finish in load(.userInitiated, finish) }
  }

  func noteChange() {
    guard saving != nil else { return }
    changed = SharedLock.version
    isUntold = true
  }

  func save() {
    let isRefused = SharedLock.withLock {
      guard let unread, saving != nil else { return false }
      isUntold = false
      if lastSaveError is UnreadSharedValue { return true }
      let error = UnreadSharedValue(key: name(), reason: unread)
      lastSaveError = error
      report("was not saved", error)
      return true
    }
    if !isRefused { save(.didSet) { _ in } }
  }

  /// Reports an error after this thread, which holds the shared lock, has released it.
  private func report(_ fault: String, _ error: any Error) {
    guard reportsErrors else { return }
    let name = name
    SharedLock.afterUnlock { reportIssue("The shared value \(name()) \(fault): \(error)") }
  }

  func saveNow() async throws {
    try await untilCancelled { finish in save(.userInitiated, finish) }
  }

  private func save(_ context: SaveContext, _ finish: @escaping Finish) {
    let isFirst = SharedLock.withLock {
      saves.append((context, finish))
      defer { isSaving = true }
      return !isSaving
    }
    guard isFirst else { return }
    // In sequence, and each with the newest value: so the last save has the last value.
    while let save = next() {
      let answer = KeyAnswer<Void>(to: "save", of: name) { [weak self] result in
        self?.end(save.number, result)
        save.finish(result ?? .success(()))
      }
      save.saving(save.value, save.context, SaveContinuation(answer))
    }
  }

  private func end(_ number: Int, _ result: Result<Void, any Error>?) {
    SharedLock.withLock {
      savesUnderWay.remove(number)
      lastSaveError = result?.failure
      if let error = result?.failure {
        report("could not be saved", error)
      } else {
        // The stored value now equals this process's value.
        (lastLoadError, unread) = (nil, nil)
      }
    }
  }

  private struct Save {
    let number: Int
    let value: Value
    let context: SaveContext
    let saving: SavingValue<Value>
    let finish: Finish
  }

  /// The next save, with its value and its waiters.
  private func next() -> Save? {
    SharedLock.withLock {
      guard let saving, let cell, !saves.isEmpty else {
        isSaving = false
        for save in saves { save.finish(.success(())) }
        saves = []
        return nil
      }
      let (contexts, finishes) = (saves.map(\.context), saves.map(\.finish))
      saves = []
      isUntold = false
      lastSave += 1
      savesUnderWay.insert(lastSave)
      return Save(
        number: lastSave,
        value: cell.value,
        context: contexts.contains(.userInitiated) ? .userInitiated : .didSet,
        saving: saving,
        finish: { result in for finish in finishes { finish(result) } },
      )
    }
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}

/// A key whose unreadable stored value is not replaced by a change.
protocol UnreadKeepingKey: SharedKey {}

/// A change that was not saved, because it would have replaced an unreadable value.
struct UnreadSharedValue: Error, CustomStringConvertible {
  let key: String
  let reason: any Error

  var description: String {
    "\(key) could not be read, so that changes stay in memory: \(reason). Mend it and call "
      + "\"load()\", or call \"save()\" to replace it."
  }
}
