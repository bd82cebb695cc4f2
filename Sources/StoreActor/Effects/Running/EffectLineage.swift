import Synchronization

/// All work that follows from one cause, with its waiters and its cancellation.
///
/// The lineage of an action contains its effects, the effects of the actions that those send, and
/// so on. A lineage can have parts: one step of a chain, or the work that a test watches. Work is a
/// member of the innermost lineage and of all lineages around it.
///
/// `state` is guarded by its mutex, as a ``StoreTask`` may be cancelled and awaited from any
/// isolation. Members are added and removed on the main actor only. The end is detected there too.
@usableFromInline
package final class EffectLineage: StoreTaskHandle {
  fileprivate struct State {
    var members: [Int: EffectWork] = [:]
    var isCancelled = false
    var waiters: [CheckedContinuation<Void, Never>] = []
    var callbacks: [@MainActor @Sendable () -> Void] = []
  }

  private let state = Mutex(State())
  /// The lineage that this is a part of; nil for that of an action.
  @MainActor private(set) var parent: EffectLineage?
  /// The origin of the lineage; nil for the process.
  let origin: ActionOrigin?

  package init(origin: ActionOrigin? = nil) { self.origin = origin }

  /// Makes this a part of another lineage.
  @MainActor
  func within(_ parent: EffectLineage) -> EffectLineage {
    self.parent = parent
    return self
  }

  /// The lineage of the action that the work is for.
  @MainActor var ofAction: EffectLineage { parent?.ofAction ?? self }

  package var isCancelled: Bool {
    state.withLock { $0.isCancelled }
  }

  /// Whether no work is running; cancelled work counts until it has ended.
  package var isFinished: Bool {
    state.withLock { $0.members.isEmpty }
  }

  /// Whether any work is running that was not cancelled.
  package var isActive: Bool {
    state.withLock { $0.members.values.contains { !$0.isCancelled } }
  }

  package func cancel() {
    let members = state.withLock { state in
      state.isCancelled = true
      return Array(state.members.values)
    }
    EffectWork.cancel(members)
  }

  package func finish() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isFinished = state.withLock { state in
          if !state.members.isEmpty { state.waiters.append(continuation) }
          return state.members.isEmpty
        }
        if isFinished { continuation.resume() }
      }
    } onCancel: {
      cancel()
    }
  }

  @MainActor
  package func whenFinished(_ body: @escaping @MainActor @Sendable () -> Void) {
    let isFinished = state.withLock { state in
      if !state.members.isEmpty { state.callbacks.append(body) }
      return state.members.isEmpty
    }
    if isFinished { body() }
  }

  @MainActor
  func insert(_ work: EffectWork) {
    let isCancelled = state.withLock { state in
      state.members[work.serial] = work
      return state.isCancelled
    }
    if isCancelled { work.cancel() }
    parent?.insert(work)
  }

  /// Removes work that has ended.
  ///
  /// Waiters of the innermost lineage are notified first.
  @MainActor
  func remove(_ work: EffectWork) {
    let (waiters, callbacks) = state.withLock { state in
      state.members[work.serial] = nil
      return state.members.isEmpty ? state.takeWaiting() : ([], [])
    }
    for waiter in waiters { waiter.resume() }
    for callback in callbacks { callback() }
    parent?.remove(work)
  }
}

extension EffectLineage.State {
  fileprivate mutating func takeWaiting() -> (
    [CheckedContinuation<Void, Never>], [@MainActor @Sendable () -> Void]
  ) {
    defer {
      waiters = []
      callbacks = []
    }
    return (waiters, callbacks)
  }
}
