// Only on systems whose Foundation contains it. On Linux it is a separate library, which adds about
// 14 ms to the start of every program that links it: there StoreActorNetworking has the dependency.
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
