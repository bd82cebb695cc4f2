import Foundation
import IssueReporting

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Runs an operation while all tasks of the process run on the main actor's executor, one at
/// a time.
///
/// Tasks therefore run in the order in which they become ready, which makes a test of concurrent
/// code deterministic. Exceptions are actors with their own executors, threads outside of Swift,
/// and the time at which a real clock ends a sleep.
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

/// Runs an operation while all tasks of the process run on the main actor's executor, one at
/// a time.
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
/// It applies to the whole process. Setting it to false applies to all users, including living test
/// stores, until a test acquires the executor again.
public var uncheckedUseMainSerialExecutor: Bool {
  get { MainSerialExecutor.isInUse }
  set { MainSerialExecutor.setWanted(newValue) }
}

/// The users of the main serial executor: it is in use while there is a user, unless it is
/// switched off.
///
/// Tests overlap in one process. Restoring the earlier value would switch it off during a test that
/// still needs it, and then leave it on.
package enum MainSerialExecutor {
  private static let users = LockIsolated(Users())

  private struct Users {
    var count = 0
    /// The last explicit setting; nil if the executor was acquired since.
    var wish: Bool?
    var isInUse: Bool { wish ?? (count > 0) }
  }

  static var isInUse: Bool { users.withValue { $0.isInUse } }

  /// Uses the executor until ``release()`` is called once.
  package static func acquire() {
    update {
      $0.count += 1
      if $0.wish == false { $0.wish = nil }
    }
  }

  /// Ends one ``acquire()``.
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

  // A variable of the runtime, which calls this hook instead of its global executor. It is written
  // only while `users` is locked; the runtime reads it without a lock, one word at a time.
  nonisolated(unsafe) private static let hook: UnsafeMutablePointer<Hook?>? =
    dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook")?
    .assumingMemoryBound(to: Hook?.self)
}
