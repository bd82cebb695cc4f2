import StoreActor
import Synchronization
import ZeroMQ

/// The objects that the probe's reducers and effects share: the guard, the root store, and the
/// holds.
package final class ProbeHelpers: Sendable {
  let root = LockIsolated<RootStore<ProbeRoot.State, ProbeRoot.Action>?>(nil)
  private let inside = Atomic(0)
  private let holds = Mutex<[String: AsyncStream<Void>.Continuation]>([:])

  package init() {}

  /// Notes that a reducer begins; false when another one has not ended.
  func enter() -> Bool { inside.add(1, ordering: .sequentiallyConsistent).oldValue == 0 }

  func leave() { inside.subtract(1, ordering: .sequentiallyConsistent) }

  /// Whether this is the process's first thread, whose thread id is the process's id.
  var isOnMainThread: Bool { MainThread.isCurrent }

  /// Keeps the thread busy, which a real reducer should avoid.
  func block(for time: Duration) {
    let clock = ContinuousClock()
    let end = clock.now + time
    say("blocked")
    while clock.now < end {}
    say("unblocked")
  }

  private func say(_ word: String) {
    print(word)
    fflush(nil)
  }

  /// Sends numbered actions through the root store's actor.
  func send(_ count: Int, from sender: Int) async {
    guard let root = root.value else { return }
    var last: UInt64 = 0
    var inOrder = true
    for number in 1...max(1, count) {
      let task = await root.send(.probe(.sent(Probe.Mark(sender: sender, number: number))))
      let revision = (try? await task.applied()) ?? 0
      inOrder = inOrder && revision > last
      last = revision
    }
    let mark = Probe.Mark(sender: sender, number: count + 1)
    await root.send(.probe(.senderEnded(mark, inOrder: inOrder)))
  }

  /// A stream of one element, which arrives with the release.
  func hold(_ name: String) -> AsyncStream<Void> {
    AsyncStream { continuation in
      holds.withLock { $0[name] = continuation }
    }
  }

  func release(_ name: String) {
    holds.withLock { $0.removeValue(forKey: name) }?.yield()
  }
}
