import IssueReporting
public import StoreState

/// Wraps the value of a property that is marked `@ReplicatedAsCodable`, for replication.
///
/// A value that cannot be encoded is reported as an issue, at each attempt.
///
/// - Parameter value: The property's value.
/// - Returns: The value as any item.
public func _$codable<Value: Codable & Sendable>(_ value: Value) -> _$CodableItem<Value> {
  _$CodableItem(value) { reportIssue($0) }
}

/// Takes a value that the schema has refused at compile time.
///
/// - Parameter value: The property's value.
/// - Returns: The value itself.
public func _$codable<Value>(_ value: Value) -> Value { value }
