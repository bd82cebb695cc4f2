import IssueReporting
import StoreClocks

/// A property that reads one of ``DependencyValues`` at every access.
///
/// ```swift
/// @Dependency(\.date.now) var now
/// @Dependency(NumberFactClient.self) var numberFact
/// ```
///
/// It keeps the values at the creation of its owner. They apply unless the reading task has set
/// other values.
@propertyWrapper
public struct Dependency<Value>: Sendable {
  let initialValues: DependencyValues
  private let read: @Sendable (DependencyValues) -> Value
  private let place: DependencyAccess

  /// Creates a dependency from a key path of ``DependencyValues``.
  public init(
    _ keyPath: any KeyPath<DependencyValues, Value> & Sendable,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) {
    self.init(fileID: fileID, filePath: filePath, line: line, column: column) {
      $0[keyPath: keyPath]
    }
  }

  /// Creates a dependency from its key, for a key without a property in ``DependencyValues``.
  public init<Key: TestDependencyKey>(
    _ key: Key.Type,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) where Key.Value == Value {
    self.init(fileID: fileID, filePath: filePath, line: line, column: column) {
      $0[Key.self, function: ""]
    }
  }

  /// Creates a dependency of a known concrete type, such as a test's clock:
  /// `@Dependency(\.continuousClock, as: TestClock<Duration>.self) var clock`.
  ///
  /// Reading a value of another type ends the process.
  public init<Declared>(
    _ keyPath: any KeyPath<DependencyValues, Declared> & Sendable,
    as type: Value.Type,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) {
    self.init(fileID: fileID, filePath: filePath, line: line, column: column) {
      Self.cast($0[keyPath: keyPath])
    }
  }

  /// Creates a dependency of a known concrete type from its key.
  ///
  /// Reading a value of another type ends the process.
  public init<Key: TestDependencyKey>(
    _ key: Key.Type,
    as type: Value.Type,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) {
    self.init(fileID: fileID, filePath: filePath, line: line, column: column) {
      Self.cast($0[Key.self, function: ""])
    }
  }

  private static func cast<Declared>(_ value: Declared) -> Value {
    guard let cast = value as? Value else {
      preconditionFailure(
        """
        A dependency was to be a '\(Value.self)' and is a '\(type(of: value as Any))'. Set it to \
        a '\(Value.self)' where it is read, for example with the trait '.dependencies { … }'.
        """
      )
    }
    return cast
  }

  private init(
    fileID: StaticString,
    filePath: StaticString,
    line: UInt,
    column: UInt,
    read: @escaping @Sendable (DependencyValues) -> Value,
  ) {
    initialValues = DependencyValues._current
    self.read = read
    place = DependencyAccess(
      name: "",
      fileID: fileID,
      filePath: filePath,
      line: line,
      column: column,
    )
  }

  /// The dependency's value for the reading task.
  public var wrappedValue: Value {
    let values = initialValues.merging(DependencyValues._current)
    // Only a report needs the place, and only a test reports.
    guard isTesting else { return read(values) }
    return DependencyAccess.$outer.withValue(place) { read(values) }
  }
}

/// A ``Dependency`` of any type, found by reflection in the object that holds it.
protocol DependencyHolding {
  var initialValues: DependencyValues { get }
}

extension Dependency: DependencyHolding {}
