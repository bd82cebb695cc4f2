import Foundation

/// A value that a lock guards, for mutable state that is shared between tasks.
///
/// ```swift
/// let received = LockIsolated<[String]>([])
/// received.withValue { $0.append("tick") }
/// ```
///
/// Sendable because `guarded` is accessed only while `lock` is held.
@dynamicMemberLookup
public final class LockIsolated<Value>: @unchecked Sendable {
  // Recursive, so that an operation that accesses this object again fails in the exclusivity check,
  // with a message, instead of a deadlock.
  private let lock = NSRecursiveLock()
  private var guarded: Value

  /// Creates a lock-guarded value.
  public init(_ value: @autoclosure @Sendable () throws -> Value) rethrows {
    guarded = try value()
  }

  /// Runs an operation with exclusive access to the value, which it changes in place.
  ///
  /// The operation must use its parameter, and must not access this object.
  public func withValue<T: Sendable>(
    _ operation: @Sendable (inout Value) throws -> T
  ) rethrows -> T {
    lock.lock()
    defer { lock.unlock() }
    return try operation(&guarded)
  }

  /// Replaces the value.
  public func setValue(_ newValue: @autoclosure @Sendable () throws -> Value) rethrows {
    lock.lock()
    defer { lock.unlock() }
    guarded = try newValue()
  }

  /// The current value of a property.
  public subscript<Subject: Sendable>(dynamicMember keyPath: KeyPath<Value, Subject>) -> Subject {
    lock.lock()
    defer { lock.unlock() }
    return guarded[keyPath: keyPath]
  }
}

extension LockIsolated where Value: Sendable {
  /// A copy of the current value.
  public var value: Value {
    lock.lock()
    defer { lock.unlock() }
    return guarded
  }
}
