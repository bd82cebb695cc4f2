import StoreActor

/// A client with a value for every context.
struct Greeter: Sendable {
  var greet: @Sendable (String) -> String
}

extension Greeter: DependencyKey {
  static let liveValue = Greeter { "live \($0)" }
  static let previewValue = Greeter { "preview \($0)" }
  static let testValue = Greeter { "test \($0)" }
}

/// A client without a value for tests.
struct Downloader: DependencyKey, Sendable {
  var download: @Sendable () -> String
  static let liveValue = Downloader { "from the network" }
}

/// A client with its live value in a module that is not linked.
enum DatabaseKey: TestDependencyKey {
  static let testValue = "test database"
}

/// A client whose test value itself reports that no test has set it.
struct Printer: TestDependencyKey, Sendable {
  var pages = 0
  var paper = "A4"
  static var testValue: Printer {
    if shouldReportUnimplemented { reportIssue("No printer is set") }
    return Printer()
  }
}

/// A client whose test value derives from another client's.
struct Archive: TestDependencyKey, Sendable {
  var title = ""
  var printer: Printer
  static var testValue: Archive {
    @Dependency(Printer.self) var printer
    return Archive(printer: printer)
  }
}

/// A value with reference semantics, recreated by each use of its key.
enum CounterKey: DependencyKey {
  static var liveValue: LockIsolated<Int> { LockIsolated(0) }
  static var testValue: LockIsolated<Int> { LockIsolated(0) }
}

extension DependencyValues {
  var greeter: Greeter {
    get { self[Greeter.self] }
    set { self[Greeter.self] = newValue }
  }
  var downloader: Downloader {
    get { self[Downloader.self] }
    set { self[Downloader.self] = newValue }
  }
  var database: String {
    get { self[DatabaseKey.self] }
    set { self[DatabaseKey.self] = newValue }
  }
  var counter: LockIsolated<Int> {
    get { self[CounterKey.self] }
    set { self[CounterKey.self] = newValue }
  }
}

/// A feature's model with its own dependencies.
final class Model {
  @Dependency(\.greeter) private var greeter
  @Dependency(\.database) private var database

  var greeting: String { greeter.greet("model") }
  var source: String { database }
}

/// A model without dependencies that creates a model with dependencies.
class Parent {
  func child() -> Model { withDependencies(from: self) { Model() } }
}

/// A model that inherits a dependency.
final class Grandparent: GrandparentBase {
  func child() -> Model { withDependencies(from: self) { Model() } }
}

class GrandparentBase {
  @Dependency(\.greeter) var greeter
}
