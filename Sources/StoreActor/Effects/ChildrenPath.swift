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
