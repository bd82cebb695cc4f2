import Synchronization

/// All the work that follows from something: who waits for the work, and who cancels it.
///
/// That of an action has its effects, the effects of the actions that those send, and so on. Within
/// it there are lineages of parts: of one part of a chain, of what a test watches. Work is a member
/// of the innermost one and of all around that.
///
/// `state` is guarded by its mutex, as a ``StoreTask`` may be cancelled and awaited from any
/// isolation. Members come and go on the main actor only, where the end is noticed too.
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
  /// Who began it; nil for the process.
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

  /// Whether nothing is under way; work that was cancelled counts until it has really ended.
  package var isFinished: Bool {
    state.withLock { $0.members.isEmpty }
  }

  /// Whether anything is under way that was not cancelled.
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

  /// Takes out work that has ended; what that is the end of is told innermost first.
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
