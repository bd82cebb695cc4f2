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
  package let origin: ActionOrigin?
  /// The lineage of the actions that an effect sends if it outlives the sender of its own action;
  /// nil for the lineages of other work.
  ///
  /// It counts the effect's work, too.
  private let root: EffectLineage?
  /// The lineage of the actions that the current task sends if it dismisses its feature; nil for
  /// that of the action that presents the feature.
  @TaskLocal static var dismissing: EffectLineage?

  /// Whether it is a step of a chain, which does not wait for schedules.
  private let isStep: Bool

  package init(origin: ActionOrigin? = nil, isStep: Bool = false) {
    self.origin = origin
    self.isStep = isStep
    root = nil
  }

  private init(of root: EffectLineage) {
    self.root = root
    origin = root.origin
    isStep = false
  }

  /// The innermost lineage that is no step of a chain.
  @MainActor var besidesSteps: EffectLineage {
    if isStep, let parent { return parent.besidesSteps }
    return self
  }

  /// Makes this a part of another lineage.
  @MainActor
  func within(_ parent: EffectLineage) -> EffectLineage {
    self.parent = parent
    return self
  }

  /// The lineage of the action that the work is for, or of the actions that an effect sends if it
  /// outlives the sender.
  @MainActor var ofAction: EffectLineage { root ?? parent?.ofAction ?? self }

  /// A lineage for an effect that outlives the sender of this lineage's action.
  ///
  /// Parts of the action, such as a step of a chain, count its work; the action itself does not.
  ///
  /// - Parameter origin: The origin of the effect; nil for that of this lineage.
  /// - Returns: The lineage.
  @MainActor
  func outliving(as origin: ActionOrigin? = nil) -> EffectLineage {
    let action = ofAction
    let lineage = EffectLineage(of: EffectLineage(origin: origin ?? action.origin))
    return action === self ? lineage : lineage.within(self)
  }

  /// The lineage around this one that counts some work, too.
  ///
  /// - Parameter outlives: Whether the work outlives the sender of the action.
  /// - Returns: The lineage; nil if no other one counts the work.
  @MainActor
  private func outer(outlives: Bool) -> EffectLineage? {
    guard let parent, !outlives || parent.ofAction !== parent else { return nil }
    return parent
  }

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
  func insert(_ work: EffectWork, outlives: Bool = false) {
    let isCancelled = state.withLock { state in
      state.members[work.serial] = work
      return state.isCancelled
    }
    if isCancelled { work.cancel() }
    root?.insert(work)
    let outlives = outlives || root != nil
    outer(outlives: outlives)?.insert(work, outlives: outlives)
  }

  /// Removes work that has ended.
  ///
  /// Waiters of the innermost lineage are notified first.
  @MainActor
  func remove(_ work: EffectWork, outlives: Bool = false) {
    let (waiters, callbacks) = state.withLock { state in
      state.members[work.serial] = nil
      return state.members.isEmpty ? state.takeWaiting() : ([], [])
    }
    for waiter in waiters { waiter.resume() }
    for callback in callbacks { callback() }
    root?.remove(work)
    let outlives = outlives || root != nil
    outer(outlives: outlives)?.remove(work, outlives: outlives)
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
