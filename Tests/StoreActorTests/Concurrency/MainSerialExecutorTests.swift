import Dispatch
import StoreActor
import Testing

/// Serialized, since the whole process shares the executor.
@Suite("The main serial executor", .serialized, .timeLimit(.minutes(1)))
struct MainSerialExecutorTests {
  @Test("gives tasks one order in every run; without it the order varies")
  @MainActor
  func order() async {
    var serialOrders: Set<[Int]> = []
    await withMainSerialExecutor {
      for _ in 0..<200 { serialOrders.insert(await orderOfTwentyTasks()) }
    }
    #expect(serialOrders.count == 1)

    // Concurrent tests may use the executor for a while.
    var freeOrders: Set<[Int]> = []
    for _ in 0..<5000 where freeOrders.count < 2 {
      if await isFree() { freeOrders.insert(await orderOfTwentyTasks()) }
    }
    #expect(freeOrders.count > 1)
  }

  @Test("runs tasks without an actor on the main actor's queue")
  @MainActor
  func thread() async {
    let isMain = await withMainSerialExecutorReturning {
      await Task.detached {
        await Task.yield()
        return isMainQueue()
      }.value
    }
    #expect(isMain)
  }

  @Test("stays in use until its last user has finished")
  @MainActor
  func overlapping() async {
    let (first, endFirst) = AsyncStream<Void>.makeStream()
    let (second, endSecond) = AsyncStream<Void>.makeStream()
    let begun = LockIsolated(0)
    func user(_ end: AsyncStream<Void>) -> Task<Void, Never> {
      Task { @MainActor in
        await withMainSerialExecutor {
          begun.withValue { $0 += 1 }
          for await _ in end {}
        }
      }
    }
    let tasks = [user(first), user(second)]
    while begun.value < 2 { await Task.yield() }
    endFirst.finish()
    await tasks[0].value
    #expect(uncheckedUseMainSerialExecutor)
    endSecond.finish()
    await tasks[1].value
  }

  @Test("is released when the operation fails")
  @MainActor
  func failing() async {
    struct Failure: Error {}
    await #expect(throws: Failure.self) {
      try await withMainSerialExecutor {
        await Task.yield()
        throw Failure()
      }
    }
    #expect(throws: Failure.self) {
      try withMainSerialExecutor { () throws in
        #expect(uncheckedUseMainSerialExecutor)
        throw Failure()
      }
    }
    #expect(await isFree())
  }

  @Test("can be switched manually")
  @MainActor
  func unchecked() async {
    uncheckedUseMainSerialExecutor = true
    #expect(uncheckedUseMainSerialExecutor)
    let isMain = await Task.detached { isMainQueue() }.value
    #expect(isMain)
    uncheckedUseMainSerialExecutor = false
    #expect(await isFree())
    let isStillMain = await Task.detached { isMainQueue() }.value
    #expect(!isStillMain || uncheckedUseMainSerialExecutor)
  }

  @MainActor
  private func withMainSerialExecutorReturning(
    _ operation: @MainActor @Sendable () async -> Bool
  ) async -> Bool {
    let result = LockIsolated(false)
    await withMainSerialExecutor {
      let value = await operation()
      result.setValue(value)
    }
    return result.value
  }

  /// Waits, with a limit, until no test uses the executor, and returns whether it is free.
  @MainActor
  private func isFree() async -> Bool {
    for _ in 0..<1000 where uncheckedUseMainSerialExecutor { await Task.megaYield() }
    return !uncheckedUseMainSerialExecutor
  }

  /// The order in which twenty tasks reached their second yield.
  @MainActor
  private func orderOfTwentyTasks() async -> [Int] {
    let order = LockIsolated<[Int]>([])
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<20 {
        group.addTask {
          await Task.yield()
          order.withValue { $0.append(index) }
          await Task.yield()
          order.withValue { $0.append(index) }
        }
      }
    }
    return order.value
  }
}

/// Whether this runs on the main actor's queue, which may differ from the process's main thread.
private func isMainQueue() -> Bool {
  DispatchQueue.main.setSpecific(key: mainQueueMark, value: true)
  return DispatchQueue.getSpecific(key: mainQueueMark) == true
}

private let mainQueueMark = DispatchSpecificKey<Bool>()
