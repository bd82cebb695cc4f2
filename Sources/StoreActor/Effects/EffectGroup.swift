import Synchronization

/// All the work that follows from one action: its effects, the effects of the actions that those
/// send, and so on.
///
/// `state` is guarded by its mutex, as a ``StoreTask`` may be cancelled and awaited from any
/// isolation. Members come and go on the main actor only, where the group's end is noticed too.
@usableFromInline
package final class EffectGroup: StoreTaskHandle {
  fileprivate struct State {
    var members: [ObjectIdentifier: EffectActivity] = [:]
    var isCancelled = false
    var waiters: [CheckedContinuation<Void, Never>] = []
    var callbacks: [@MainActor @Sendable () -> Void] = []
  }

  private let state = Mutex(State())

  package init() {}

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
      return state.members
    }
    for member in members.values { member.cancel() }
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
  func insert(_ activity: EffectActivity) {
    let isCancelled = state.withLock { state in
      state.members[ObjectIdentifier(activity)] = activity
      return state.isCancelled
    }
    if isCancelled { activity.cancel() }
  }

  @MainActor
  func remove(_ activity: EffectActivity) {
    let (waiters, callbacks) = state.withLock { state in
      state.members[ObjectIdentifier(activity)] = nil
      return state.members.isEmpty ? state.takeWaiting() : ([], [])
    }
    for waiter in waiters { waiter.resume() }
    for callback in callbacks { callback() }
  }
}

extension EffectGroup.State {
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
