// On Linux the URL loading system is a separate library, which adds about 14 ms to the
// start of each program that links it. Elsewhere it is a part of Foundation, and StoreActor
// has the dependency.
#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
public import StoreActor

extension DependencyValues {
  /// The session that a feature loads URLs with.
  public var urlSession: URLSession {
    get { self[URLSessionKey.self] }
    set { self[URLSessionKey.self] = newValue }
  }

  private enum URLSessionKey: DependencyKey {
    static let liveValue = URLSession.shared
  }
}
#endif
