public import CustomDump

/// The common interface of properties that show shared values.
protocol SharedProperty<Value> {
  associatedtype Value
  var content: SharedContent<Value> { get set }
  /// Whether it may change the value.
  static var isWritable: Bool { get }
}

extension Shared: SharedProperty {
  static var isWritable: Bool { true }
}

extension SharedReader: SharedProperty {
  static var isWritable: Bool { false }
}

// MARK: - Values

extension Shared: Equatable where Value: Equatable {
  /// Compares the shown values.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.content.isIdentical(to: rhs.content) || lhs.content.shown == rhs.content.shown
  }
}

extension SharedReader: Equatable where Value: Equatable {
  /// Compares the shown values.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.content.isIdentical(to: rhs.content) || lhs.content.shown == rhs.content.shown
  }
}

extension Shared: Hashable where Value: Hashable {
  /// Feeds the shown value to a hasher.
  public func hash(into hasher: inout Hasher) { content.shown.hash(into: &hasher) }
}

extension SharedReader: Hashable where Value: Hashable {
  /// Feeds the shown value to a hasher.
  public func hash(into hasher: inout Hasher) { content.shown.hash(into: &hasher) }
}

extension Shared: Identifiable where Value: Identifiable {
  /// The value's id.
  public var id: Value.ID { wrappedValue.id }
}

extension SharedReader: Identifiable where Value: Identifiable {
  /// The value's id.
  public var id: Value.ID { wrappedValue.id }
}

extension Shared: CustomStringConvertible {
  /// The type, and the key, or the value if there is no key.
  public var description: String { "Shared<\(Value.self)>(\(content.name))" }
}

extension SharedReader: CustomStringConvertible {
  /// The type, and the key, or the value if there is no key.
  public var description: String { "SharedReader<\(Value.self)>(\(content.name))" }
}

extension Shared: CustomReflectable {
  /// The mirror of the shown value.
  public var customMirror: Mirror { Mirror(reflecting: content.shown) }
}

extension SharedReader: CustomReflectable {
  /// The mirror of the shown value.
  public var customMirror: Mirror { Mirror(reflecting: content.shown) }
}

extension Shared: CustomDumpRepresentable {
  /// The shown value, so that a dump shows no wrapper.
  public var customDumpValue: Any { content.shown }
}

extension SharedReader: CustomDumpRepresentable {
  /// The shown value, so that a dump shows no wrapper.
  public var customDumpValue: Any { content.shown }
}

// MARK: - Snapshots

/// Types that hold values by reference, and copy them on a change.
protocol SharedContainer {
  /// The types of the held values.
  static var heldTypes: [Any.Type] { get }

  /// Whether any shown value in it is out of date.
  ///
  /// - Parameters:
  ///   - old: The container when all values in it were up to date; nil if unknown, or if more than
  ///     the held values has changed.
  ///   - update: Access to the held values.
  /// - Returns: Whether ``updateSnapshots(_:)`` would change a value.
  func isBehind(since old: Self?, _ update: SnapshotUpdate) -> Bool

  /// Updates the shown values in it.
  mutating func updateSnapshots(_ update: SnapshotUpdate)
}
