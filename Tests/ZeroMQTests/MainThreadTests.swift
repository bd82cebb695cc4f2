import Synchronization
import Testing

@testable import ZeroMQ

@Suite("The main thread", .timeLimit(.minutes(1)))
struct MainThreadTests {
  @Test("Another thread is not the main one")
  func anotherThread() throws {
    let answer = Answer()
    try TestThread { answer.isMain.store(MainThread.isCurrent, ordering: .relaxed) }.join()
    let isMain = answer.isMain.load(ordering: .relaxed)
    #expect(!isMain)
  }

  #if os(Linux)
  @Test("Serving the main queue from another thread is a programmer's error")
  func drainingElsewhere() async {
    let exit = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent],
    ) {
      try TestThread { MainQueue.drain() }.join()
    }
    expectMessage("the main queue can only be drained on the main thread", of: exit)
  }
  #endif
}

private final class Answer: Sendable {
  let isMain = Atomic(true)
}
