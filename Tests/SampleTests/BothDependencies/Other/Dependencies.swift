// The names of swift-dependencies, with the functions that an application needs. The other samples
// only require that the names equal StoreActor's.

/// A property that reads a dependency.
@propertyWrapper
public struct Dependency<Value> {
  private let keyPath: KeyPath<DependencyValues, Value>

  /// A dependency by its key path.
  public init(_ keyPath: KeyPath<DependencyValues, Value>) {
    self.keyPath = keyPath
  }

  /// The dependency.
  public var wrappedValue: Value { DependencyValues.current[keyPath: keyPath] }
}

/// The key of a dependency.
public protocol DependencyKey {
  /// The type of the dependency.
  associatedtype Value: Sendable
  /// The value in programs.
  static var liveValue: Value { get }
}

/// All dependencies.
public struct DependencyValues: Sendable {
  /// The dependencies of the current task.
  @TaskLocal public static var current = DependencyValues()

  private var values: [ObjectIdentifier: any Sendable] = [:]

  /// A dependency by its key.
  public subscript<Key: DependencyKey>(key: Key.Type) -> Key.Value {
    get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.liveValue }
    set { values[ObjectIdentifier(key)] = newValue }
  }
}

/// Runs a function with other dependencies.
///
/// - Parameters:
///   - update: Changes the dependencies.
///   - operation: The function.
/// - Returns: The function's result.
/// - Throws: The function's error.
public func withDependencies<R>(
  _ update: (inout DependencyValues) -> Void,
  operation: () throws -> R,
) rethrows -> R {
  var values = DependencyValues.current
  update(&values)
  return try DependencyValues.$current.withValue(values, operation: operation)
}
