#if canImport(XCTest)
import StoreActor
import XCTest

/// Notifies the dependencies when XCTest changes to another test.
///
/// It is found by its name when a test first uses a dependency: linking this module is enough.
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
