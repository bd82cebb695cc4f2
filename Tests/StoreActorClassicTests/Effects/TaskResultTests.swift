import StoreActorClassic
import Testing

@Suite("Task results")
struct TaskResultTests {
  private struct Comparable: Error, Equatable { var code = 0 }
  private struct Incomparable: Error {}

  @Test("Values and comparable errors are compared")
  func equality() {
    #expect(TaskResult.success(1) == .success(1))
    #expect(TaskResult.success(1) != .success(2))
    #expect(TaskResult<Int>.failure(Comparable()) == .failure(Comparable()))
    #expect(TaskResult<Int>.failure(Comparable()) != .failure(Comparable(code: 1)))
    #expect(TaskResult.success(1) != .failure(Comparable()))
  }

  @Test("Errors that cannot be compared are reported, and are never equal")
  func incomparable() {
    withKnownIssue {
      #expect(TaskResult<Int>.failure(Incomparable()) != .failure(Incomparable()))
    } matching: {
      $0.description.contains("is not equatable")
    }
  }

  @Test("It keeps the value or the error of its work")
  func catching() async throws {
    let success = await TaskResult { 1 }
    #expect(try success.value == 1)
    let failure = await TaskResult<Int> { throw Comparable() }
    #expect(throws: Comparable()) { try failure.value }
  }

  @Test("It converts to results and from them")
  func results() throws {
    #expect(try Result(TaskResult.success(1)).get() == 1)
    #expect(TaskResult(Result<Int, Comparable>.failure(Comparable())) == .failure(Comparable()))
    #expect(TaskResult.success(1).map { "\($0)" } == .success("1"))
    #expect(
      TaskResult.success(1).flatMap { _ in TaskResult<Int>.failure(Comparable()) }
        == .failure(Comparable())
    )
  }
}
