import Synchronization

/// An observer's registration with a core.
///
/// Releasing or cancelling it ends the calls.
@usableFromInline
package final class StoreSubscription: Sendable {
  private let isCancelled = Atomic(false)
  private let onCancel: @Sendable () -> Void

  /// Creates a subscription.
  ///
  /// - Parameter onCancel: Called once, from any isolation, when the subscription ends.
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

/// The observers of a core, which are notified of each commit.
package typealias StoreObservers = ObserverList<Void>

/// The observers of one kind of event, in the order of registration.
@MainActor
package final class ObserverList<Event> {
  private struct Observer {
    let isCancelled: CancelledFlag
    let tell: @MainActor (Event) -> Void
  }

  private var observers: [Observer] = []
  /// Stored separately because unspecialized code that reads a generic array's count costs more
  /// than a whole action.
  package private(set) var isEmpty = true

  package init() {}

  package func add(_ tell: @escaping @MainActor (Event) -> Void) -> StoreSubscription {
    removeCancelled()
    let flag = CancelledFlag()
    observers.append(Observer(isCancelled: flag, tell: tell))
    isEmpty = false
    return StoreSubscription { flag.set() }
  }

  /// Notifies all present observers.
  package func notify(_ event: Event) {
    var hasCancelled = false
    for observer in observers {
      if !observer.isCancelled.value { observer.tell(event) }
      // This includes an observer that cancelled itself during the call.
      if observer.isCancelled.value { hasCancelled = true }
    }
    if hasCancelled { removeCancelled() }
  }

  /// Removes cancelled observers.
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

/// Signals to a core, from any isolation, that an observer is cancelled.
private final class CancelledFlag: Sendable {
  private let flag = Atomic(false)

  var value: Bool { flag.load(ordering: .relaxed) }

  func set() {
    flag.store(true, ordering: .relaxed)
  }
}
