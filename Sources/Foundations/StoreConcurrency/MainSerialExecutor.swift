import Foundation
import IssueReporting

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Runs an operation while all tasks of the process run on the main actor's executor, one at a
/// time.
///
/// So tasks take turns in the order in which they become ready, which makes a test of concurrent
/// code give the same result each time. Not affected are actors with an executor of their own,
/// threads that are not Swift's, and the moment at which a real clock ends a sleep.
///
/// - Parameter operation: The test.
@MainActor
public func withMainSerialExecutor(
  operation: @MainActor @Sendable () async throws -> Void
) async rethrows {
  MainSerialExecutor.acquire()
  defer { MainSerialExecutor.release() }
  try await operation()
}

/// Runs an operation while all tasks of the process run on the main actor's executor, one at a
/// time.
///
/// - Parameter operation: Runs one test, such as XCTest's `super.invokeTest()`.
public func withMainSerialExecutor(
  operation: () throws -> Void
) rethrows {
  MainSerialExecutor.acquire()
  defer { MainSerialExecutor.release() }
  try operation()
}

/// Whether all tasks of the process run on the main actor's executor, one at a time.
///
/// It holds for the whole process, whoever sets it. Switched off it is off for all, also for test
/// stores that live, until somebody wants it again.
public var uncheckedUseMainSerialExecutor: Bool {
  get { MainSerialExecutor.isInUse }
  set { MainSerialExecutor.setWanted(newValue) }
}

/// Who wants the main serial executor: it is in use for as long as anybody does, unless it is
/// switched off.
///
/// Tests overlap in one process, so that putting back what was found would switch it off under a
/// test that still needs it, and leave it on for good.
package enum MainSerialExecutor {
  private static let users = LockIsolated(Users())

  private struct Users {
    var count = 0
    /// What was said last, whoever uses it; nil when somebody came since who wants it.
    var wish: Bool?
    var isInUse: Bool { wish ?? (count > 0) }
  }

  static var isInUse: Bool { users.withValue { $0.isInUse } }

  /// Wants the executor until ``release()`` is called once.
  package static func acquire() {
    update {
      $0.count += 1
      if $0.wish == false { $0.wish = nil }
    }
  }

  /// Ends what ``acquire()`` began.
  package static func release() {
    update {
      precondition($0.count > 0, "Released the main serial executor more often than acquired.")
      $0.count -= 1
    }
  }

  static func setWanted(_ isWanted: Bool) {
    update { $0.wish = isWanted ? true : $0.count > 0 ? false : nil }
  }

  private static func update(_ change: @Sendable (inout Users) -> Void) {
    users.withValue {
      change(&$0)
      install($0.isInUse)
    }
  }

  private static func install(_ isInUse: Bool) {
    guard let hook else {
      if isInUse {
        reportIssue(
          """
          The Swift runtime's "swift_task_enqueueGlobal_hook" was not found, so tasks run in no \
          particular order.

          To fix, link the Swift runtime dynamically in programs that need that order.
          """
        )
      }
      return
    }
    hook.pointee = isInUse ? { job, _ in MainActor.shared.enqueue(job) } : nil
  }

  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  // A variable of the runtime, which calls what it holds instead of its global executor. Only
  // written while `users` is locked; the runtime reads it without a lock, one word at a time.
  nonisolated(unsafe) private static let hook: UnsafeMutablePointer<Hook?>? =
    dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook")?
    .assumingMemoryBound(to: Hook?.self)
}
