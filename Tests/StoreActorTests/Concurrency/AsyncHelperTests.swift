import StoreActor
import Testing

@Suite("A stream from another source", .mainSerialExecutor, .timeLimit(.minutes(1)))
struct AsyncStreamHelperTests {
  private struct Failure: Error, Equatable {}

  private func failing() -> AsyncThrowingStream<Int, any Error> {
    AsyncThrowingStream {
      $0.yield(1)
      $0.finish(throwing: Failure())
    }
  }

  @Test("returns the elements of a sequence")
  func elements() async throws {
    let source = AsyncStream { continuation in
      for index in 0..<3 { continuation.yield(index) }
      continuation.finish()
    }
    let doubled = source.map { @Sendable in $0 * 2 }.eraseToStream()
    var seen: [Int] = []
    for await element in doubled { seen.append(element) }
    #expect(seen == [0, 2, 4])
  }

  @Test("ends when the sequence fails, or fails with the same error")
  func failures() async {
    var seen: [Int] = []
    for await element in AsyncStream(failing()) { seen.append(element) }
    #expect(seen == [1])

    var seenThrowing: [Int] = []
    await #expect(throws: Failure.self) {
      for try await element in failing().eraseToThrowingStream() { seenThrowing.append(element) }
    }
    #expect(seenThrowing == [1])
  }

  @Test("that has finished returns no element, or only its error")
  func finished() async throws {
    for await _ in AsyncStream<Int>.finished { Issue.record("There was an element.") }
    for try await _ in AsyncThrowingStream<Int, any Error>.finished() {
      Issue.record("There was an element.")
    }
    await #expect(throws: Failure.self) {
      for try await _ in AsyncThrowingStream<Int, any Error>.finished(throwing: Failure()) {}
    }
  }

  @Test("without elements ends with its task")
  func never() async throws {
    let task = Task {
      for await _ in AsyncStream<Int>.never { Issue.record("There was an element.") }
      for try await _ in AsyncThrowingStream<Int, any Error>.never {
        Issue.record("There was an element.")
      }
      return Task.isCancelled
    }
    await Task.megaYield()
    task.cancel()
    #expect(try await task.value)
  }
}

@Suite("Helpers of tasks", .mainSerialExecutor, .timeLimit(.minutes(1)))
struct TaskHelperTests {
  private struct Failure: Error, Equatable {}

  @Test("An endless task can be cancelled")
  func never() async {
    let value = Task { try await Task<Int, Never>.never() }
    let nothing = Task { try await Task.never() }
    await Task.megaYield()
    value.cancel()
    nothing.cancel()
    await #expect(throws: CancellationError.self) { try await value.value }
    await #expect(throws: CancellationError.self) { try await nothing.value }
  }

  @Test("Cancelling the wait for a task cancels the task")
  func cancellableValue() async {
    let inner = Task {
      try await Task.never()
      return 1
    }
    let silent = Task<Bool, Never> {
      for await _ in AsyncStream<Never>.never {}
      return Task.isCancelled
    }
    let outer = Task {
      let wasCancelled = await silent.cancellableValue
      #expect(wasCancelled)
      return try await inner.cancellableValue
    }
    await Task.megaYield()
    outer.cancel()
    await #expect(throws: CancellationError.self) { try await outer.value }
    #expect(inner.isCancelled)
  }

  @Test("A task's value is returned to the waiter")
  func value() async throws {
    let value = try await Task<Int, any Error> { 1 }.cancellableValue
    let other = await Task<Int, Never> { 2 }.cancellableValue
    #expect(value + other == 3)
  }

  @Test("Many yields let a task complete its short work")
  @MainActor
  func megaYield() async {
    let done = LockIsolated(false)
    Task { done.setValue(true) }
    await Task.megaYield()
    #expect(done.value)
  }

  @Test("A result is the outcome of asynchronous work")
  func result() async throws {
    let success = await Result {
      await Task.yield()
      return 1
    }
    let failure: Result<Int, any Error> = await Result {
      await Task.yield()
      throw Failure()
    }
    let typed = await Result<Int, Failure> { () async throws(Failure) in throw Failure() }
    #expect(success == .success(1))
    #expect(throws: Failure.self) { try failure.get() }
    #expect(typed == .failure(Failure()))
  }
}
