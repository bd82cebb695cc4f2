// Where it is a part of Foundation. On Linux it is a library of its own, which costs every program
// that imports this module some 14 ms at its start: a feature that needs it there declares a
// dependency of its own, which is easier to replace in a test as well.
#if !canImport(FoundationNetworking)
public import Foundation

extension DependencyValues {
  /// The session that a feature loads URLs with; not on Linux.
  public var urlSession: URLSession {
    get { self[URLSessionKey.self] }
    set { self[URLSessionKey.self] = newValue }
  }

  private enum URLSessionKey: DependencyKey {
    static let liveValue = URLSession.shared
  }
}
#endif
