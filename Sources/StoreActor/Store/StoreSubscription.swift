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

/// The observers of a core.
@MainActor
package final class StoreObservers {
  private struct Observer {
    let isCancelled: CancelledFlag
    let onChange: @MainActor () -> Void
  }

  private var observers: [Observer] = []

  package init() {}

  package var isEmpty: Bool { observers.isEmpty }

  package func add(_ onChange: @escaping @MainActor () -> Void) -> StoreSubscription {
    observers.removeAll { $0.isCancelled.value }
    let flag = CancelledFlag()
    observers.append(Observer(isCancelled: flag, onChange: onChange))
    return StoreSubscription { flag.set() }
  }

  /// Calls all observers that are there now, in the order in which they came.
  package func notify() {
    var hasCancelled = false
    for observer in observers {
      if observer.isCancelled.value { hasCancelled = true } else { observer.onChange() }
    }
    if hasCancelled { observers.removeAll { $0.isCancelled.value } }
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
