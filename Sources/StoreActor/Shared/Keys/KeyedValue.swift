import Foundation

/// The outside of a value with a key.
///
/// Sendable because everything that changes is only touched under the shared lock, but for
/// `hasBegun`, which has a lock of its own.
final class KeyedValue<Value: Sendable>: SharedPersistence, @unchecked Sendable {
  private weak var cell: SharedCell<Value>?
  private let key: any SharedReaderKey<Value>
  private var saving: SavingValue<Value>?
  private let initialValue: Value
  /// Held while the key is asked for the first time: whoever wants the value waits for that.
  private let beginning = NSRecursiveLock()
  private var hasBegun = false
  private var subscription: SharedSubscription?
  private var lastLoadError: (any Error)?
  private var lastSaveError: (any Error)?
  private var loads = 0
  private var isLoadingOutside = false
  /// Whether the key is being told a value.
  private var isSaving = false
  /// What has to be saved when that is done, and who waits for it.
  private var saves: [(context: SaveContext, finish: Finish)] = []
  /// The version of this process's last change: what was outside before that is older.
  private var changed: UInt64 = 0
  /// Whether the key was not told of that change yet.
  private var isUntold = false
  /// Why changes are not saved: what is outside could not be read, and is not to be replaced.
  private var unread: (any Error)?
  private var lastSave = 0
  /// What the key was told and has not saved yet, which will replace what is outside.
  private var savesUnderWay: Set<Int> = []

  /// How the key is described.
  private let name: @Sendable () -> String
  /// Whether errors are reported as issues: not in tests, which look at them, and not where they
  /// are a daemon's answers.
  private let reportsErrors: Bool
  /// Whether what could not be read is not replaced by a change.
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

  /// Asks the key for the first time, and follows the value from then on; once.
  func begin(_ question: FirstQuestion) {
    // Whoever begins may need the shared lock, and who holds that must not wait for them: then the
    // value is read twice, for what is made of the initial one would replace what there is.
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
          // A key that forgot to answer says nothing of the value.
          if let result { self?.receive(result, of: version) }
          finish(result.map { $0.map { _ in } } ?? .success(()))
        }
      ),
    )
  }

  /// Takes what was outside at a version, unless this process has changed it since.
  ///
  /// - Returns: Whether it was taken.
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

  /// Takes what somebody else has read outside, beginning at a version.
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

  /// Reports an error, once this thread lets go of the shared lock, which it has.
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
    // One after the other, and each the newest: so the last one to be saved is the last one.
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
        // What is outside now is what this process has.
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

  /// What is to be saved now, for whom and how.
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

/// A key of which changes do not replace what is outside where that could not be read.
protocol UnreadKeepingKey: SharedKey {}

/// A change that was not saved, because it would have replaced what could not be read.
struct UnreadSharedValue: Error, CustomStringConvertible {
  let key: String
  let reason: any Error

  var description: String {
    "\(key) could not be read, so that changes stay in memory: \(reason). Mend it and call "
      + "\"load()\", or call \"save()\" to replace it."
  }
}
