import StoreActor

// Dependencies of every form: a client, a protocol, a function, entries, a key without a property,
// and the library's own ones.

@DependencyClient
struct FactClient: Sendable {
  var fetch: @Sendable (_ number: Int) async throws -> String
  var isAvailable: @Sendable () -> Bool = { false }
}

extension FactClient: DependencyKey {
  static let liveValue = FactClient(
    fetch: { "\($0) is a good number" },
    isAvailable: { true },
  )

  static let testValue = FactClient()
}

extension DependencyValues {
  var facts: FactClient {
    get { self[FactClient.self] }
    set { self[FactClient.self] = newValue }
  }
}

protocol Speller: Sendable {
  func spell(_ number: Int) -> String
}

struct EnglishSpeller: Speller {
  func spell(_ number: Int) -> String { number == 1 ? "one" : "many" }
}

struct QuietSpeller: Speller {
  func spell(_ number: Int) -> String { "" }
}

private enum SpellerKey: DependencyKey {
  static let liveValue: any Speller = EnglishSpeller()
  static let testValue: any Speller = QuietSpeller()
}

extension DependencyValues {
  var speller: any Speller {
    get { self[SpellerKey.self] }
    set { self[SpellerKey.self] = newValue }
  }
}

private enum LogKey: DependencyKey {
  static let liveValue: @Sendable (String) -> Void = { _ in }
  static var testValue: @Sendable (String) -> Void {
    if shouldReportUnimplemented { reportIssue("No closure is set for \\.log") }
    return { _ in }
  }
}

extension DependencyValues {
  var log: @Sendable (String) -> Void {
    get { self[LogKey.self] }
    set { self[LogKey.self] = newValue }
  }
}

extension DependencyValues {
  @DependencyEntry var limit: Int = 10
  @DependencyEntry(liveValue: EnglishSpeller()) var backup: any Speller = QuietSpeller()
  @DependencyEntry var step = 1
}

/// A key that is itself a dependency, with an optional.
struct Greeting: DependencyKey {
  var text: String?
  static let liveValue = Greeting(text: "Hello")
  static let testValue = Greeting(text: nil)
}

private enum NicknameKey: DependencyKey {
  static let liveValue: String? = "Max"
  static let testValue: String? = nil
}

extension DependencyValues {
  var nickname: String? {
    get { self[NicknameKey.self] }
    set { self[NicknameKey.self] = newValue }
  }
}

@Reducer
struct Report {
  @ObservableState
  struct State: Equatable {
    var lines: [String] = []
    var dates: [Date] = []
    var ids: [UUID] = []
    var dice = 0
  }

  enum Action {
    case factButtonTapped(Int)
    case factResponse(Result<String, any Error>)
    case greet
    case roll
    case stamp
    case wait
    case waited
  }

  @Dependency(\.backup) var backup
  @Dependency(\.calendar) var calendar
  @Dependency(\.continuousClock) var clock
  @Dependency(\.date.now) var now
  @Dependency(\.facts) var facts
  @Dependency(Greeting.self) var greeting
  @Dependency(\.limit) var limit
  @Dependency(\.log) var log
  @Dependency(\.nickname) var nickname
  @Dependency(\.preferredLocales) var preferredLocales
  @Dependency(\.speller) var speller
  @Dependency(\.step) var step
  @Dependency(\.timeZone) var timeZone
  @Dependency(\.uuid) var uuid
  @Dependency(\.withRandomNumberGenerator) var withRandomNumberGenerator

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .factButtonTapped(let number):
        guard facts.isAvailable(), number <= limit else { return .none }
        return .run { send in
          await send(.factResponse(Result { try await facts.fetch(number: number) }))
        }
      case .factResponse(.success(let fact)):
        log(fact)
        state.lines.append(fact)
        return .none
      case .factResponse(.failure):
        state.lines.append("?")
        return .none
      case .greet:
        state.lines.append("\(greeting.text ?? "…") \(nickname ?? "…") \(speller.spell(1))")
        return .none
      case .roll:
        state.dice = withRandomNumberGenerator { Int.random(in: 1...6, using: &$0) }
        return .none
      case .stamp:
        state.dates.append(now)
        state.ids.append(uuid())
        return .none
      case .wait:
        return .run { send in
          try await clock.sleep(for: .seconds(step))
          await send(.waited)
        }
      case .waited:
        return .none
      }
    }
  }
}
