/// A placeholder for the missing default of a property that is marked `@ReplicationIgnored`, which
/// is an error at compile time.
///
/// - Returns: Never.
public func _$missingDefault<Value>() -> Value {
  preconditionFailure("A property without a default was left out, yet its type was compiled.")
}
