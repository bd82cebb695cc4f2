import Foundation

/// Calls a closure on the main actor: synchronously if the caller runs on the main queue,
/// else soon.
package func onMainActor(_ body: @escaping @MainActor @Sendable () -> Void) {
  if MainQueue.isCurrent {
    MainActor.assumeIsolated(body)
  } else {
    Task { @MainActor in body() }
  }
}

/// Calls a closure on the main actor, with the task's local values, and waits until it returns.
package func waitForMainActor(_ body: @escaping @MainActor @Sendable () -> Void) {
  if MainQueue.isCurrent || Thread.isMainThread { return MainActor.assumeIsolated(body) }
  let call = DispatchGroup()
  call.enter()
  Task { @MainActor in
    body()
    call.leave()
  }
  call.wait()
}

/// Detects the main queue, which is the executor of the main actor.
///
/// The main thread is no sign: with `dispatchMain()` any thread may run the main queue.
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
