import Dispatch
import Synchronization
import Testing

/// A value that changes on one thread while others wait for a condition on it.
///
/// Each wait has a deadline; at the deadline the test fails and reports the last value.
final class Watched<Value: Sendable>: Sendable {
  private struct Waiter: Sendable {
    /// Ends the wait if the value satisfies its condition.
    let check: @Sendable (Value) -> Bool
    let giveUp: @Sendable (Value) -> Void
  }

  private struct State {
    var value: Value
    var waiters: [UInt64: Waiter] = [:]
    var nextWaiter: UInt64 = 0
  }

  private let state: Mutex<State>

  init(_ value: Value) { state = Mutex(State(value: value)) }

  var value: Value { state.withLock { $0.value } }

  /// Changes the value and ends the waits that it fulfils.
  func update(_ body: (inout Value) -> Void) {
    state.withLock { state in
      body(&state.value)
      state.waiters = state.waiters.filter { !$0.value.check(state.value) }
    }
  }

  /// Waits until `find` returns a value.
  ///
  /// It is called now and after each change, never by two threads at once.
  ///
  /// The time applies to a quiet machine: on this one it is ``TestPatience/factor`` times as long.
  @discardableResult
  func wait<Found: Sendable>(
    within time: Duration,
    for what: String,
    _ find: @escaping @Sendable (Value) -> Found?,
  ) async throws -> Found {
    let result: Result<Found, WaitFailure> = await withCheckedContinuation { continuation in
      let waiter = Waiter { value in
        guard let found = find(value) else { return false }
        continuation.resume(returning: .success(found))
        return true
      } giveUp: { value in
        let whole = time * TestPatience.factor
        continuation.resume(returning: .failure(WaitFailure(what, whole, "\(value)")))
      }
      guard let number = add(waiter) else { return }
      Deadline.after(time * TestPatience.factor) { self.expire(number) }
    }
    return try result.get()
  }

  private func add(_ waiter: Waiter) -> UInt64? {
    state.withLock { state in
      guard !waiter.check(state.value) else { return nil }
      state.nextWaiter += 1
      state.waiters[state.nextWaiter] = waiter
      return state.nextWaiter
    }
  }

  private func expire(_ number: UInt64) {
    state.withLock { state in
      state.waiters.removeValue(forKey: number)?.giveUp(state.value)
    }
  }
}

/// A wait reached its deadline.
struct WaitFailure: Error, CustomStringConvertible {
  let description: String

  init(_ what: String, _ time: Duration, _ state: String) {
    // The end of a long state is shown, since it has the last events.
    let shown = state.utf8.count > 4000 ? "… \(state.suffix(4000))" : state
    description = "Waited \(time) for \(what); at the end there was: \(shown)"
  }
}

/// Time limits, which end failed waits.
///
/// A successful wait does not take longer because of them.
enum Deadline {
  private static let queue = DispatchQueue(label: "deadlines")

  /// Runs a body after a time that is the same on each machine.
  static func after(_ time: Duration, _ body: @escaping @Sendable () -> Void) {
    let (seconds, attoseconds) = time.components
    let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: body)
  }
}
