/// The path to a feature's children: a key path of its state, and the scopes between the feature
/// and its place.
///
/// A `Scope` is not a place, as siblings share their ids. Two instances of a feature nevertheless
/// have separate children. The scopes around an operator are recorded when it is made, so reducing
/// has no cost for them.
// Sound: a key path cannot be changed.
@usableFromInline
package struct ChildrenPath: Equatable, @unchecked Sendable {
  /// The scopes around the code that runs, outermost first.
  @usableFromInline
  struct Scopes: Equatable, @unchecked Sendable {
    @TaskLocal static var current = Scopes()

    var keyPaths: [AnyKeyPath] = []

    @usableFromInline static var now: Scopes { current }

    /// Makes a value within these scopes.
    @usableFromInline
    func around<Made>(_ make: () -> Made) -> Made {
      Self.$current.withValue(self, operation: make)
    }

    /// Makes a value within one more scope.
    @usableFromInline
    static func adding<Made>(_ keyPath: AnyKeyPath, around make: () -> Made) -> Made {
      Scopes(keyPaths: current.keyPaths + [keyPath]).around(make)
    }
  }

  private let keyPath: AnyKeyPath
  private let scopes: Scopes

  /// The path of an operator's children.
  ///
  /// Create it together with the operator.
  @usableFromInline
  package init(_ keyPath: AnyKeyPath) {
    self.keyPath = keyPath
    scopes = .current
  }
}

/// A substitute for the key path that an operator was not given.
///
/// It is identified by the operator's source location and the child's type.
///
/// - Parameters:
///   - location: The source location of the operator.
///   - child: The type of the child's state.
/// - Returns: The key path. It is an identity only: it does not read a child.
package func keyPath<Child>(
  ofOperatorAt location: IssueLocation,
  _ child: Child.Type,
) -> AnyKeyPath {
  let place = OperatorPlace(
    fileID: _HashableStaticString(stringLiteral: location.fileID),
    line: location.line,
    column: location.column,
    child: ObjectIdentifier(child),
  )
  return \OperatorPlace.[place]
}

private struct OperatorPlace: Hashable, Sendable {
  let fileID: _HashableStaticString
  let line: UInt
  let column: UInt
  let child: ObjectIdentifier

  subscript(_ place: OperatorPlace) -> Bool { self == place }
}
