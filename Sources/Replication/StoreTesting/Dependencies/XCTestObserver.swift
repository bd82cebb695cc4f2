#if canImport(XCTest)
import StoreActor
import XCTest

/// Tells the dependencies when XCTest goes on to another test.
///
/// It is found by its name when a test first uses a dependency: to link this module is enough.
final class XCTestObserver: NSObject, XCTestObservation, TestObserving {
  private let onChange: @Sendable () -> Void

  private init(_ onChange: @escaping @Sendable () -> Void) {
    self.onChange = onChange
  }

  static func observeTests(_ onChange: @escaping @Sendable () -> Void) {
    XCTestObservationCenter.shared.addTestObserver(XCTestObserver(onChange))
  }

  func testCaseWillStart(_ testCase: XCTestCase) {
    onChange()
  }

  func testCaseDidFinish(_ testCase: XCTestCase) {
    onChange()
  }
}
#endif
