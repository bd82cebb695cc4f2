/// Where a feature has its children: a key path of its state, and the scopes between the feature
/// and the place that it stands at.
///
/// A `Scope` is no place of its own, as siblings share their ids; but of two instances of a feature
/// each has its own children. Through which scopes an operator is reached is noted when it is made,
/// so that reducing costs nothing for it.
// Sound: a key path cannot be changed.
@usableFromInline
package struct ChildrenPath: Equatable, @unchecked Sendable {
  /// The scopes around what is being made, outermost first.
  @usableFromInline
  struct Scopes: Equatable, @unchecked Sendable {
    @TaskLocal static var current = Scopes()

    var keyPaths: [AnyKeyPath] = []

    @usableFromInline static var now: Scopes { current }

    /// Makes something behind these scopes.
    @usableFromInline
    func around<Made>(_ make: () -> Made) -> Made {
      Self.$current.withValue(self, operation: make)
    }

    /// Makes something behind one more scope.
    @usableFromInline
    static func adding<Made>(_ keyPath: AnyKeyPath, around make: () -> Made) -> Made {
      Scopes(keyPaths: current.keyPaths + [keyPath]).around(make)
    }
  }

  private let keyPath: AnyKeyPath
  private let scopes: Scopes

  /// The path of an operator's children; to be made with the operator.
  @usableFromInline
  package init(_ keyPath: AnyKeyPath) {
    self.keyPath = keyPath
    scopes = .current
  }
}

/// A key path that stands for one which an operator was not given: told by where in a user's source
/// the operator was applied, and to what.
///
/// - Parameters:
///   - location: Where that is.
///   - child: The type of the child's state.
/// - Returns: The key path; there is nothing to read at it.
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
