import StoreActor

/// A value with reference semantics, in which a test leaves traces.
enum TracesKey: DependencyKey {
  static var liveValue: LockIsolated<[String]> { LockIsolated([]) }
  static var testValue: LockIsolated<[String]> { LockIsolated([]) }
}

extension DependencyValues {
  var traces: LockIsolated<[String]> {
    get { self[TracesKey.self] }
    set { self[TracesKey.self] = newValue }
  }
}

/// A client that is its own key, and whose endpoint a test has to set.
struct Weather: DependencyKey, Sendable {
  var forecast: @Sendable () -> String
  static let liveValue = Weather { "as it will be" }
}

extension DependencyValues {
  var weather: Weather {
    get { self[Weather.self] }
    set { self[Weather.self] = newValue }
  }
}
