import Foundation
import StoreActor
import StoreTesting
import Testing

@Suite("A test's traits")
struct TraitTests {
  @Dependency(\.traces) private var traces
  @Dependency(\.uuid) private var uuid
  @Dependency(\.weather) private var weather

  @Test("set a dependency by its key path", .dependency(\.uuid, .incrementing))
  func keyPath() {
    #expect([uuid(), uuid()] == [UUID(0), UUID(1)])
  }

  @Test("set a dependency by its type", .dependency(Weather { "rain" }))
  func type() {
    #expect(weather.forecast() == "rain")
  }

  @Test(
    "set several dependencies, each trait on top of the one before",
    .dependencies {
      $0.weather = Weather { "sun" }
      $0.uuid = .constant(UUID(7))
    },
    .dependency(\.weather, Weather { "snow" }),
  )
  func several() {
    #expect(weather.forecast() == "snow")
    #expect(uuid() == UUID(7))
  }

  @Test(
    "create new values for each argument",
    .dependency(\.uuid, .incrementing),
    arguments: 0..<3,
  )
  func anew(_: Int) {
    #expect(uuid() == UUID(0))
  }

  @Test("give each argument default values of its own", .dependencies, arguments: 0..<8)
  func defaults(number: Int) async {
    traces.withValue { $0.append("\(number)") }
    await Task.yield()
    #expect(traces.value == ["\(number)"])
    let seen = await Task { DependencyValues._current.traces.value }.value
    #expect(seen == ["\(number)"])
  }

  @Test("do not replace the default values between each other", .dependencies, .dependencies)
  func nested() {
    prepareDependencies { $0.weather = Weather { "prepared" } }
    #expect(weather.forecast() == "prepared")
  }

  @Test("let an error of a value fail the test", .dependencies)
  func failing() async {
    struct Failure: Error {}
    let trait = DependenciesTrait.dependency(\.weather, try Self.noWeather())
    await #expect(throws: NoWeather.self) {
      try await trait.provideScope(for: try #require(Test.current), testCase: nil) {
        Issue.record("The test ran.")
      }
    }
  }

  private struct NoWeather: Error {}

  private static func noWeather() throws -> Weather { throw NoWeather() }
}

@Suite("A suite's traits", .dependency(\.weather, Weather { "fog" }))
struct SuiteTraitTests {
  @Dependency(\.weather) private var weather

  @Test("hold in its tests")
  func test() {
    #expect(weather.forecast() == "fog")
  }

  @Suite("and in the suites in it")
  struct Inner {
    @Dependency(\.weather) private var weather

    @Test("too, with changes for a test", .dependency(\.weather, Weather { "hail" }))
    func changed() {
      #expect(weather.forecast() == "hail")
    }

    @Test("too")
    func inherited() {
      #expect(weather.forecast() == "fog")
    }
  }
}

@Suite("A test's default values")
struct ResetTests {
  @Test("are not those that the previous test changed")
  func first() {
    leaveATrace()
  }

  @Test("are not those that the next test changes")
  func second() {
    leaveATrace()
  }

  private func leaveATrace() {
    @Dependency(\.traces) var traces
    traces.withValue { $0.append("here") }
    #expect(traces.value == ["here"])
  }
}
