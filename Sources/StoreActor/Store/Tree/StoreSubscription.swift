import Synchronization

/// An observer's place among those of a core.
///
/// Letting go of it, or cancelling it, ends the calls.
@usableFromInline
package final class StoreSubscription: Sendable {
  private let isCancelled = Atomic(false)
  private let onCancel: @Sendable () -> Void

  /// Creates a subscription.
  ///
  /// - Parameter onCancel: Is called once, from whatever isolation the subscription ends in.
  package init(onCancel: @escaping @Sendable () -> Void) {
    self.onCancel = onCancel
  }

  package func cancel() {
    let wasCancelled = isCancelled.exchange(true, ordering: .relaxed)
    if !wasCancelled { onCancel() }
  }

  deinit {
    cancel()
  }
}

/// The observers of a core, who are told of each commit.
package typealias StoreObservers = ObserverList<Void>

/// Those who are told of events of one kind, in the order in which they came.
@MainActor
package final class ObserverList<Event> {
  private struct Observer {
    let isCancelled: CancelledFlag
    let tell: @MainActor (Event) -> Void
  }

  private var observers: [Observer] = []
  /// Kept apart because asking a generic array, from code that is not specialized, costs more than
  /// a whole action.
  package private(set) var isEmpty = true

  package init() {}

  package func add(_ tell: @escaping @MainActor (Event) -> Void) -> StoreSubscription {
    removeCancelled()
    let flag = CancelledFlag()
    observers.append(Observer(isCancelled: flag, tell: tell))
    isEmpty = false
    return StoreSubscription { flag.set() }
  }

  /// Tells all observers that are there now.
  package func notify(_ event: Event) {
    var hasCancelled = false
    for observer in observers {
      if !observer.isCancelled.value { observer.tell(event) }
      // Also when it has cancelled itself just now.
      if observer.isCancelled.value { hasCancelled = true }
    }
    if hasCancelled { removeCancelled() }
  }

  /// Forgets those who want no more calls.
  func removeCancelled() {
    if isEmpty { return }
    observers.removeAll { $0.isCancelled.value }
    isEmpty = observers.isEmpty
  }
}

extension ObserverList<Void> {
  package func add(_ onChange: @escaping @MainActor () -> Void) -> StoreSubscription {
    add { (_: Void) in onChange() }
  }

  package func notify() {
    notify(())
  }
}

/// Tells a core, from whatever isolation, that an observer wants no more calls.
private final class CancelledFlag: Sendable {
  private let flag = Atomic(false)

  var value: Bool { flag.load(ordering: .relaxed) }

  func set() {
    flag.store(true, ordering: .relaxed)
  }
}
