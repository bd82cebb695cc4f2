import StoreActor
import StoreTesting
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct DependenciesOfEveryFormTests {
  @Test func client() async {
    let log = LockIsolated<[String]>([])
    let store = TestStore(initialState: .init()) {
      Report()
    } withDependencies: {
      $0.facts.isAvailable = { true }
      $0.facts.fetch = { "\($0)!" }
      $0.log = { line in log.withValue { $0.append(line) } }
    }
    await store.send(.factButtonTapped(3))
    await store.receive(\.factResponse.success, "3!") { $0.lines = ["3!"] }
    await store.send(.factButtonTapped(11))
    #expect(log.value == ["3!"])

    store.dependencies.facts.fetch = { _ in throw CancellationError() }
    store.dependencies.limit = 20
    await store.send(.factButtonTapped(11))
    await store.receive(\.factResponse.failure) { $0.lines = ["3!", "?"] }
  }

  @Test func unimplementedClient() async {
    let store = TestStore(initialState: Report.State()) {
      Report()
    } withDependencies: {
      $0.facts.isAvailable = { true }
    }
    await withKnownIssue {
      await store.send(.factButtonTapped(3))
      await store.receive(\.factResponse.failure) { $0.lines = ["?"] }
    } matching: {
      $0.description.contains("fetch")
    }
  }

  @Test func defaults() async {
    let store = TestStore(initialState: Report.State()) { Report() }
    await store.send(.greet) { $0.lines = ["… … "] }
    store.dependencies[Greeting.self] = Greeting(text: "Hi")
    store.dependencies.nickname = "Ann"
    store.dependencies.speller = EnglishSpeller()
    await store.send(.greet) { $0.lines = ["… … ", "Hi Ann one"] }

    let live = withDependencies {
      $0.context = .live
    } operation: {
      Store(initialState: Report.State()) { Report() }
    }
    live.send(.greet)
    #expect(live.lines == ["Hello Max one"])
  }

  @Test func entries() {
    @Dependency(\.limit) var limit
    @Dependency(\.backup) var backup
    @Dependency(\.step) var step
    #expect(limit == 10)
    #expect(step == 1)
    #expect(backup is QuietSpeller)
    withDependencies {
      $0.context = .live
      $0.limit = 3
    } operation: {
      #expect(limit == 3)
      #expect(backup is EnglishSpeller)
    }
  }

  @Test func builtIn() async {
    let store = TestStore(initialState: Report.State()) {
      Report()
    } withDependencies: {
      $0.date.now = Date(timeIntervalSince1970: 1)
      $0.uuid = .incrementing
      $0.withRandomNumberGenerator = WithRandomNumberGenerator(Ones())
      $0.preferredLocales = [Locale(identifier: "de_DE")]
      $0.calendar = Calendar(identifier: .gregorian)
      $0.timeZone = .gmt
    }
    await store.send(.stamp) {
      $0.dates = [Date(timeIntervalSince1970: 1)]
      $0.ids = [UUID(0)]
    }
    await store.send(.roll) { $0.dice = 1 }
  }

  @Test(
    .dependencies {
      $0.continuousClock = TestClock()
      $0.step = 2
    }
  )
  func traits() async {
    @Dependency(\.continuousClock, as: TestClock<Duration>.self) var clock
    let store = TestStore(initialState: Report.State()) { Report() }
    await store.send(.wait)
    await clock.advance(by: .seconds(1))
    await clock.advance(by: .seconds(1))
    await store.receive(\.waited)
  }

  @Test(
    .dependency(\.date.now, Date(timeIntervalSince1970: 5)),
    .dependency(\.uuid, .incrementing),
  )
  func traitsByKeyPath() async {
    let store = TestStore(initialState: Report.State()) { Report() }
    await store.send(.stamp) {
      $0.dates = [Date(timeIntervalSince1970: 5)]
      $0.ids = [UUID(0)]
    }
  }

  @Test func castByKey() {
    withDependencies {
      $0[Greeting.self] = Greeting(text: "Hi")
      $0.speller = EnglishSpeller()
    } operation: {
      @Dependency(Greeting.self, as: Greeting.self) var greeting
      @Dependency(\.speller, as: EnglishSpeller.self) var speller
      #expect(greeting.text == "Hi")
      #expect(speller.spell(1) == "one")
    }
  }

  @Test func operators() async {
    let store = TestStore(initialState: Report.State()) {
      Report()
        .dependency(\.nickname, "Ann")
        .dependency(Greeting(text: "Hi"))
        .transformDependency(\.speller) { $0 = EnglishSpeller() }
        .transformDependency(\.self) { $0.uuid = .constant(UUID(7)) }
        .dependency(\.date, .constant(Date(timeIntervalSince1970: 3)))
    }
    await store.send(.greet) { $0.lines = ["Hi Ann one"] }
    await store.send(.stamp) {
      $0.dates = [Date(timeIntervalSince1970: 3)]
      $0.ids = [UUID(7)]
    }
  }

  @Test func throwingNumbers() {
    let generator = WithRandomNumberGenerator(Ones())
    #expect(throws: CancellationError.self) {
      try generator { _ -> Int in throw CancellationError() }
    }
  }
}

private struct Ones: RandomNumberGenerator {
  mutating func next() -> UInt64 { 1 }
}
