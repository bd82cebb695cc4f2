// Where it is a part of Foundation. On Linux it is a library of its own, which costs every program
// that links it some 14 ms at its start: there StoreActorNetworking has the dependency.
#if !canImport(FoundationNetworking)
public import Foundation

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
