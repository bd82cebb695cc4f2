import StoreActor
import StoreTesting
import XCTest

/// XCTest runs its tests in sequence, in the order of their names.
final class XCTestResetTests: XCTestCase {
  @Dependency(\.traces) private var traces

  override func setUp() {
    XCTAssertEqual(traces.value, [])
    traces.withValue { $0.append("set up") }
  }

  func testDefaultsAreNotWhatTheTestAfterLeaves() {
    leaveATrace()
  }

  func testDefaultsAreNotWhatTheTestBeforeHasLeft() async {
    leaveATrace()
    let seen = await Task.detached { DependencyValues._current.traces.value }.value
    XCTAssertEqual(seen, ["set up", "here"])
  }

  func testPreparedValuesAreOfOneTest() {
    prepareDependencies { $0.weather = Weather { "first" } }
    XCTAssertEqual(DependencyValues._current.weather.forecast(), "first")
  }

  func testPreparedValuesAreOfOneTestAgain() {
    prepareDependencies { $0.weather = Weather { "second" } }
    XCTAssertEqual(DependencyValues._current.weather.forecast(), "second")
  }

  func testTheContextIsThatOfATest() {
    XCTAssertEqual(DependencyValues._current.context, .test)
  }

  private func leaveATrace(line: UInt = #line) {
    traces.withValue { $0.append("here") }
    XCTAssertEqual(traces.value, ["set up", "here"], line: line)
  }
}

/// A test store under XCTest, with every test on the main serial executor.
final class XCTestStoreTests: XCTestCase {
  override func invokeTest() {
    withMainSerialExecutor {
      super.invokeTest()
    }
    XCTAssertFalse(uncheckedUseMainSerialExecutor)
  }

  @MainActor
  func testAStoreHereAndInADaemon() async {
    for isRemote in [false, true] {
      let store =
        isRemote
        ? TestStore(remote: Kettle.State()) {
          Kettle()
        } withDependencies: {
          $0.thermometer = Thermometer { 60 }
        }
        : TestStore(initialState: Kettle.State()) {
          Kettle()
        } withDependencies: {
          $0.thermometer = Thermometer { 60 }
        }
      await store.send(.measureButtonTapped)
      await store.receive(\.measured) { $0.temperature = 60 }
    }
  }

  func testTasksTakeTurns() async {
    var orders: Set<[Int]> = []
    for _ in 0..<50 {
      let order = LockIsolated<[Int]>([])
      await withTaskGroup(of: Void.self) { group in
        for index in 0..<10 {
          group.addTask {
            await Task.yield()
            order.withValue { $0.append(index) }
          }
        }
      }
      orders.insert(order.value)
    }
    XCTAssertEqual(orders.count, 1)
  }
}
