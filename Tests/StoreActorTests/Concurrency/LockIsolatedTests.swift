import StoreActor
import Testing

@Suite("A value that a lock protects")
struct LockIsolatedTests {
  @Test("loses no change of concurrent tasks")
  func concurrent() async {
    let count = LockIsolated(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<1000 {
        group.addTask { count.withValue { $0 += 1 } }
      }
    }
    #expect(count.value == 1000)
  }

  @Test("can be replaced, read in part, and read by the operation that changes it")
  func access() {
    let texts = LockIsolated(["a"])
    texts.setValue(["b", "c"])
    #expect(texts.count == 2)
    #expect(
      texts.withValue {
        $0.append("d")
        return $0.count
      } == 3
    )
    #expect(texts.value == ["b", "c", "d"])
  }

  @Test("rethrows an operation's error")
  func failing() {
    struct Failure: Error {}
    let count = LockIsolated(0)
    #expect(throws: Failure.self) {
      try count.withValue { _ in throw Failure() }
    }
    count.withValue { $0 += 1 }
    #expect(count.value == 1)
  }

  @Test("inside an actor also loses no change")
  func actorIsolated() async {
    let values = ActorIsolated([0])
    await withTaskGroup(of: Void.self) { group in
      for index in 1...100 {
        group.addTask { await values.withValue { $0.append(index) } }
      }
    }
    #expect(await values.count == 101)
    #expect(await Set(values.value) == Set(0...100))
    await values.setValue([])
    #expect(await values.value.isEmpty)
  }
}
