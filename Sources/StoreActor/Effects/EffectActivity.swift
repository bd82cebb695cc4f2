import Synchronization

/// One piece of work that is under way for an effect: a task, or a chain of effects that waits for
/// its next part.
///
/// `state` is guarded by its mutex, as cancellation may come from any isolation; everything else is
/// constant or belongs to the main actor.
final class EffectActivity: EffectCancellable {
  private struct State {
    var isCancelled = false
    var stop: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  private let context: EffectContext
  private let registry: EffectRegistry
  /// Whether the operation has returned, so that nothing may be sent any more.
  @MainActor private(set) var isEnded = false
  @MainActor private var hasBegun = false

  /// Enters the work everywhere it is to be found: under its ids and in its groups.
  @MainActor
  init(context: EffectContext, registry: EffectRegistry) {
    self.context = context
    self.registry = registry
    registry.insert(self, for: context.ids)
    context.join?.enter()
    for group in context.groups { group.insert(self) }
  }

  var isCancelled: Bool {
    state.withLock { $0.isCancelled }
  }

  /// The group of the action that the work is for.
  var group: EffectGroup? { context.groups.first }

  /// The action that the work is for.
  var origin: (any Sendable & AnyObject)? { context.origin }

  func cancel() {
    let stop = state.withLock { state in
      state.isCancelled = true
      return state.stop
    }
    stop?()
  }

  /// Is called before the work begins; false, and the end of it, when it was cancelled already.
  @MainActor
  func begin() -> Bool {
    guard !isEnded, !isCancelled else {
      end()
      return false
    }
    hasBegun = true
    return true
  }

  /// Lets nobody wait any more for work that is cancelled before it begins.
  @MainActor
  func endIfCancelledBeforeStart() {
    attach {
      // Not now, as whoever cancels may be about to cancel what would follow from the end.
      Task { @MainActor [self] in
        if !hasBegun { end() }
      }
    }
  }

  /// Tells the work how to stop, once it has begun; it is stopped at once when it was cancelled
  /// before.
  func attach(_ stop: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      state.stop = stop
      return state.isCancelled
    }
    if isCancelled { stop() }
  }

  /// The work is over, whether it was cancelled or not.
  @MainActor
  func end() {
    guard !isEnded else { return }
    isEnded = true
    // Let go of outside of the lock, as anything may end with it.
    let stop = state.withLock { state in
      defer { state.stop = nil }
      return state.stop
    }
    _ = stop
    registry.remove(self, for: context.ids)
    for group in context.groups { group.remove(self) }
    context.join?.leave()
  }
}

/// What a piece of work belongs to.
///
/// The first group is that of the action it is for.
struct EffectContext: Sendable {
  var ids: [CancelID] = []
  var groups: [EffectGroup] = []
  var join: EffectJoin?
  /// The action that the work is for: an `ActionOrigin` of the store's actions.
  var origin: (any Sendable & AnyObject)?

  func adding(_ id: CancelID) -> EffectContext {
    var context = self
    context.ids.append(id)
    return context
  }

  func adding(_ group: EffectGroup) -> EffectContext {
    var context = self
    context.groups.append(group)
    return context
  }

  func replacing(_ join: EffectJoin) -> EffectContext {
    var context = self
    context.join = join
    return context
  }
}

/// An action that effects were returned for.
// Sound: the action is constant, and is looked at on the main actor only.
final class ActionOrigin<Action>: @unchecked Sendable {
  let action: Action

  init(_ action: Action) {
    self.action = action
  }
}

/// Counts the work of one part of a chain of effects, and says when the part is over.
@MainActor
final class EffectJoin {
  private var count = 0
  var onEmpty: (@MainActor () -> Void)?

  var isEmpty: Bool { count == 0 }

  func enter() {
    count += 1
  }

  func leave() {
    count -= 1
    if count == 0 { onEmpty?() }
  }
}
