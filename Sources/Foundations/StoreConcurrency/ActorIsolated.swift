/// A value in an actor, for mutable state that is shared between tasks.
///
/// For operations without `await`, ``LockIsolated`` is simpler.
@dynamicMemberLookup
public final actor ActorIsolated<Value> {
  /// The current value.
  public var value: Value

  /// Creates an actor with a value.
  public init(_ value: @autoclosure @Sendable () throws -> Value) rethrows {
    self.value = try value()
  }

  /// Runs an operation with exclusive access to the value.
  public func withValue<T: Sendable>(
    _ operation: @Sendable (inout Value) throws -> T
  ) rethrows -> T {
    try operation(&value)
  }

  /// Replaces the value.
  public func setValue(_ newValue: @autoclosure @Sendable () throws -> Value) rethrows {
    value = try newValue()
  }

  /// A property of the value, at this moment.
  public subscript<Subject: Sendable>(
    dynamicMember keyPath: any KeyPath<Value, Subject> & Sendable
  ) -> Subject {
    value[keyPath: keyPath]
  }
}
