import Foundation

/// Calls a closure on the main actor: now when that is where this is called, else soon.
package func onMainActor(_ body: @escaping @MainActor @Sendable () -> Void) {
  if MainQueue.isCurrent {
    MainActor.assumeIsolated(body)
  } else {
    Task { @MainActor in body() }
  }
}

/// Calls a closure on the main actor, and waits until that is done.
package func waitForMainActor(_ body: @MainActor @Sendable () -> Void) {
  if MainQueue.isCurrent || Thread.isMainThread {
    MainActor.assumeIsolated(body)
  } else {
    DispatchQueue.main.sync { MainActor.assumeIsolated(body) }
  }
}

/// Tells the main queue, which is where the main actor runs, from all others.
///
/// The main thread does not: programs that leave it to the queue have it run on any thread.
private enum MainQueue {
  static var isCurrent: Bool {
    DispatchQueue.getSpecific(key: mark) != nil
  }

  private static let mark: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()
}
