public import CustomDump

/// What the properties of states have in common that show shared values.
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
  /// Compares what is shown.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.content.isIdentical(to: rhs.content) || lhs.content.shown == rhs.content.shown
  }
}

extension SharedReader: Equatable where Value: Equatable {
  /// Compares what is shown.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.content.isIdentical(to: rhs.content) || lhs.content.shown == rhs.content.shown
  }
}

extension Shared: Hashable where Value: Hashable {
  /// Feeds what is shown to a hasher.
  public func hash(into hasher: inout Hasher) { content.shown.hash(into: &hasher) }
}

extension SharedReader: Hashable where Value: Hashable {
  /// Feeds what is shown to a hasher.
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
  /// The type, and the key, or the value where there is no key.
  public var description: String { "Shared<\(Value.self)>(\(content.name))" }
}

extension SharedReader: CustomStringConvertible {
  /// The type, and the key, or the value where there is no key.
  public var description: String { "SharedReader<\(Value.self)>(\(content.name))" }
}

extension Shared: CustomReflectable {
  /// The mirror of what is shown.
  public var customMirror: Mirror { Mirror(reflecting: content.shown) }
}

extension SharedReader: CustomReflectable {
  /// The mirror of what is shown.
  public var customMirror: Mirror { Mirror(reflecting: content.shown) }
}

extension Shared: CustomDumpRepresentable {
  /// What is shown, so that a dump shows no wrapper.
  public var customDumpValue: Any { content.shown }
}

extension SharedReader: CustomDumpRepresentable {
  /// What is shown, so that a dump shows no wrapper.
  public var customDumpValue: Any { content.shown }
}

// MARK: - Snapshots

/// The types whose values hold others behind references, which are replaced where those change.
protocol SharedContainer {
  /// The types of what is looked into.
  static var heldTypes: [Any.Type] { get }

  /// Whether something in it shows other than is to be shown.
  ///
  /// - Parameters:
  ///   - old: What it was when everything in it showed what was to be shown; nil where that is not
  ///     known, or more has changed than what it holds.
  ///   - update: Looks into what it holds.
  /// - Returns: Whether ``updateSnapshots(_:)`` would change anything.
  func isBehind(since old: Self?, _ update: SnapshotUpdate) -> Bool

  /// Shows in it what is to be shown.
  mutating func updateSnapshots(_ update: SnapshotUpdate)
}
