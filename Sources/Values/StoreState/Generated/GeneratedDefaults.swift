/// Stands for the default that a property marked `@ReplicationIgnored` does not have, which is an
/// error at compile time.
///
/// - Returns: Never.
public func _$missingDefault<Value>() -> Value {
  preconditionFailure("A property without a default was left out, yet its type was compiled.")
}
