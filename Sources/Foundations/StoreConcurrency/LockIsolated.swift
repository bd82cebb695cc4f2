import Foundation

/// A value behind a lock, for sharing mutable state between tasks.
///
/// ```swift
/// let received = LockIsolated<[String]>([])
/// received.withValue { $0.append("tick") }
/// ```
///
/// Sendable because `guarded` is only touched while `lock` is held.
@dynamicMemberLookup
public final class LockIsolated<Value>: @unchecked Sendable {
  // Recursive, so that an operation which reaches for its own value is stopped by the exclusivity
  // check, with a message, and does not wait for itself for ever.
  private let lock = NSRecursiveLock()
  private var guarded: Value

  /// Puts a value behind a lock.
  public init(_ value: @autoclosure @Sendable () throws -> Value) rethrows {
    guarded = try value()
  }

  /// Runs an operation with exclusive access to the value, which it changes in place.
  ///
  /// The operation uses what it is given: reaching for this object from inside is a mistake.
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

  /// A property of the value, at this moment.
  public subscript<Subject: Sendable>(dynamicMember keyPath: KeyPath<Value, Subject>) -> Subject {
    lock.lock()
    defer { lock.unlock() }
    return guarded[keyPath: keyPath]
  }
}

extension LockIsolated where Value: Sendable {
  /// A copy of the value, at this moment.
  public var value: Value {
    lock.lock()
    defer { lock.unlock() }
    return guarded
  }
}
