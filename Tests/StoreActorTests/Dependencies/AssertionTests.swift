import Foundation
import StoreActor
import Testing

@Suite("Assertions as dependencies")
struct AssertionTests {
  @Dependency(\.assert) private var assert
  @Dependency(\.assertionFailure) private var assertionFailure
  @Dependency(\.precondition) private var precondition

  @Test("report no issue for true conditions")
  func holding() {
    assert(1 < 2)
    assert(1 < 2, "One is less than two.")
    precondition(1 < 2)
    precondition(1 < 2, "One is less than two.")
  }

  @Test("report false conditions, and the test continues")
  func failing() {
    expectIssue("Two is less than one.") { assert(2 < 1, "Two is less than one.") }
    expectIssue("Two is less than two.") { precondition(2 < 2, "Two is less than two.") }
    expectIssue("There is no such row.") { assertionFailure("There is no such row.") }
    expectIssue("An assertion of the feature failed.") { assert(2 < 1) }
    expectIssue("An assertion of the feature failed.") { assertionFailure() }
  }

  @Test("can be replaced")
  func replaced() {
    let failures = LockIsolated<[String]>([])
    withDependencies {
      $0.assert = AnyAssertEffect { condition, message, _, _ in
        guard !condition() else { return }
        let text = message()
        failures.withValue { $0.append(text) }
      }
      $0.assertionFailure = AnyAssertionFailureEffect { message, _, _ in
        let text = message()
        failures.withValue { $0.append(text) }
      }
    } operation: {
      assert(false, "first")
      assert(true, "never")
      assertionFailure("second")
    }
    #expect(failures.value == ["first", "second"])
  }

  @Test("in a program accept true conditions")
  func live() {
    withDependencies {
      $0.context = .live
    } operation: {
      assert(true, "never")
      precondition(true, "never")
    }
  }

  @Test("A test sets the notification center")
  func notifications() {
    let center = NotificationCenter()
    let name = Notification.Name("tea is ready")
    let count = LockIsolated(0)
    let token = center.addObserver(forName: name, object: nil, queue: nil) { _ in
      count.withValue { $0 += 1 }
    }
    defer { center.removeObserver(token) }
    withDependencies {
      $0.notificationCenter = center
    } operation: {
      @Dependency(\.notificationCenter) var notificationCenter
      notificationCenter.post(name: name, object: nil)
    }
    #expect(count.value == 1)
    #expect(DependencyValues.live.notificationCenter === NotificationCenter.default)
    withKnownIssue {
      _ = DependencyValues._current.notificationCenter
    } matching: {
      $0.comments.description.contains(
        #"@Dependency(\.notificationCenter) has no test implementation"#
      )
    }
  }

  private func expectIssue(_ text: String, in operation: () -> Void) {
    withKnownIssue {
      operation()
    } matching: { issue in
      issue.comments.description.contains(text)
        && issue.sourceLocation?.fileID.hasSuffix("AssertionTests.swift") == true
    }
  }
}
