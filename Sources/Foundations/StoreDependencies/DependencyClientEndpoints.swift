import IssueReporting

/// The error of a dependency client's endpoint without an implementation.
public struct Unimplemented: Error, Hashable, Sendable {
  /// The client and the endpoint: `FactClient.fetch`.
  public let endpoint: String

  /// Creates the error.
  ///
  /// - Parameter endpoint: The client and the endpoint.
  public init(_ endpoint: String) { self.endpoint = endpoint }
}

extension Unimplemented: CustomStringConvertible {
  /// The endpoint, and that it has no implementation.
  public var description: String { "Unimplemented: '\(endpoint)'" }
}

/// Reports the call of an endpoint without an implementation; for code that
/// `@DependencyClient` generates.
///
/// - Parameter endpoint: The client and the endpoint.
public func _$unimplementedEndpoint(_ endpoint: String) {
  reportIssue(
    """
    Unimplemented: '\(endpoint)'

    The endpoint was called, but nothing has been given for it here.

    To fix, give the dependency an implementation of it, in a test through "withDependencies", \
    else in its "liveValue".
    """
  )
}
