import Foundation

/// Calls a closure on the main actor: now when that is where this is called, else soon.
package func onMainActor(_ body: @escaping @MainActor @Sendable () -> Void) {
  if MainQueue.isCurrent {
    MainActor.assumeIsolated(body)
  } else {
    Task { @MainActor in body() }
  }
}

/// Calls a closure on the main actor, with the task's local values, and waits until that is done.
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
