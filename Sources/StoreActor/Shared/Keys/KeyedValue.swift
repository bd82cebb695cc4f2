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
  private var lastSave = 0
  /// What the key was told and has not saved yet, which will replace what is outside.
  private var savesUnderWay: Set<Int> = []

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
  }

  func saves(by saving: @escaping SavingValue<Value>) { self.saving = self.saving ?? saving }

  var loadError: (any Error)? { SharedLock.withLock { lastLoadError } }
  var saveError: (any Error)? { SharedLock.withLock { lastSaveError } }
  var isLoading: Bool { SharedLock.withLock { loads > 0 || isLoadingOutside } }

  /// Reads the value for the first time, and hears of it from then on; once.
  func begin() {
    // Whoever begins may need the shared lock, and who holds that must not wait for them: then the
    // value is read twice, for what is made of the initial one would replace what there is.
    if SharedLock.isHeld {
      guard beginning.try() else { return load(.initialValue(initialValue)) { _ in } }
    } else {
      beginning.lock()
    }
    defer { beginning.unlock() }
    if hasBegun { return }
    hasBegun = true
    load(.initialValue(initialValue)) { _ in }
    let subscriber = SharedSubscriber<Value>(
      receive: { [weak self] in self?.receive($0, of: $1) ?? false },
      setLoading: { [weak self] isLoading in
        SharedLock.withLock { self?.isLoadingOutside = isLoading }
      },
    )
    let subscription = key.subscribe(context: .initialValue(initialValue), subscriber: subscriber)
    SharedLock.withLock { self.subscription = subscription }
  }

  private func load(
    _ context: LoadContext<Value>,
    _ finish: @escaping @Sendable (Result<Void, any Error>) -> Void,
  ) {
    let version = SharedLock.version
    SharedLock.withLock { loads += 1 }
    key.load(
      context: context,
      continuation: LoadContinuation { [weak self] result in
        SharedLock.withLock { self?.loads -= 1 }
        self?.receive(result, of: version)
        finish(result.map { _ in })
      },
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
        lastLoadError = nil
        guard !isUntold, savesUnderWay.isEmpty, version >= changed else { return false }
        cell?.receive(value ?? initialValue)
        return true
      case .failure(let error):
        lastLoadError = error
        return false
      }
    }
  }

  func load() async throws {
    try await untilCancelled { finish in load(.userInitiated, finish) }
  }

  func noteChange() {
    guard saving != nil else { return }
    changed = SharedLock.version
    isUntold = true
  }

  func save() { save(.didSet) { _ in } }

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
      let completion = SaveContinuation { [weak self] result in
        SharedLock.withLock {
          self?.savesUnderWay.remove(save.number)
          self?.lastSaveError = result.failure
        }
        save.finish(result)
      }
      save.saving(save.value, save.context, completion)
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
