import CasePathOperator
import StoreActor
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct BeforeCaseKeyPathsTests {
  @Test func scopes() async {
    let store = TestStore(initialState: Hotel.State()) { Hotel() }
    await store.send(.owner(.arrived)) { $0.owner.visits = 1 }
    await store.receive(.owner(.counted(1)))
    await store.send(.binding(.set(\.name, "Inn"))) { $0.name = "Inn" }
  }

  @Test func optionals() async {
    let store = TestStore(initialState: Hotel.State(visitor: Guest.State(id: 1))) { Hotel() }
    await store.send(.visitor(.arrived)) { $0.visitor?.visits = 1 }
    await store.receive(/Hotel.Action.visitor)
  }

  @Test func presentation() async {
    let store = TestStore(
      initialState: Hotel.State(
        visitor: Guest.State(id: 1),
        sheet: Guest.State(id: 2),
        alert: AlertState { TextState("Sure?") },
      )
    ) {
      Hotel()
    }
    await store.send(.sheet(.presented(.arrived))) {
      $0.sheet?.visits = 1
    }
    await store.receive(.sheet(.presented(.counted(1))))
    await store.send(.alert(.presented(.confirmed))) {
      $0.alert = nil
      $0.visitor = nil
    }
    await store.send(.sheet(.dismiss)) { $0.sheet = nil }
  }

  @Test func lists() async {
    let store = TestStore(
      initialState: Hotel.State(rooms: [Guest.State(id: 1), Guest.State(id: 2, visits: 2)])
    ) {
      Hotel()
    }
    await store.send(.room(id: 1, action: .arrived)) { $0.rooms[id: 1]?.visits = 1 }
    await store.receive(.room(id: 1, action: .counted(1)))
    await store.send(.room(id: 2, action: .arrived)) { $0.rooms[id: 2]?.visits = 3 }
    await store.receive(.room(id: 2, action: .counted(3))) {
      $0.rooms = [Guest.State(id: 1, visits: 1)]
    }
  }

  @Test func stacks() async {
    let store = TestStore(
      initialState: Hotel.State(
        path: StackState([.guest(Guest.State(id: 1)), .lamp(.on(Guest.State(id: 2)))])
      )
    ) {
      Hotel()
    }
    await store.send(.path(.element(id: 1, action: .lamp(.on(.arrived))))) {
      $0.path[id: 1, case: /Hotel.Path.State.lamp] = .on(Guest.State(id: 2, visits: 1))
    }
    await store.receive(/Hotel.Action.path)
    await store.send(.path(.element(id: 0, action: .guest(.arrived)))) {
      $0.path[id: 0, case: /Hotel.Path.State.guest]?.visits = 1
    }
    await store.receive(/Hotel.Action.path)
    await store.send(.path(.element(id: 0, action: .guest(.arrived)))) {
      $0.path[id: 0, case: /Hotel.Path.State.guest]?.visits = 2
    }
    await store.receive(/Hotel.Action.path) { $0.path = StackState() }
  }

  @Test func enums() async {
    let store = TestStore(initialState: Lamp.State.on(Guest.State(id: 1))) { Lamp() }
    await store.send(.on(.arrived)) { $0 = .on(Guest.State(id: 1, visits: 1)) }
    await store.receive(.on(.counted(1)))

    let broken = TestStore(initialState: Lamp.State.broken(since: Guest.State(id: 1))) { Lamp() }
    await broken.send(.broken(.arrived)) { $0 = .broken(since: Guest.State(id: 1, visits: 1)) }
    await broken.receive(.broken(.counted(1)))
  }

  @Test func absence() {
    let store = Store(initialState: Hotel.State()) { Hotel() }
    for action: Hotel.Action in [
      .visitor(.arrived), .sheet(.presented(.arrived)), .room(id: 9, action: .arrived),
      .path(.element(id: 9, action: .guest(.arrived))), .lamp(.on(.arrived)),
      .lamp(.broken(.arrived)),
    ] {
      withKnownIssue {
        store.send(action)
      } matching: {
        $0.description.contains("received a")
      }
    }
  }

  @Test func effectsEndWithTheirCase() async {
    let store = TestStore(initialState: Door.State.open(Door.Waiting.State())) {
      Door()
    } withDependencies: {
      $0.continuousClock = TestClock()
    }
    await store.send(.open(.wait))
    await store.send(.close) { $0 = .closed }
    await store.finish()
  }
}

/// A child of an enum that waits forever.
private struct Door: Reducer {
  enum State: Equatable {
    case open(Waiting.State)
    case closed
  }

  enum Action: Equatable {
    case open(Waiting.Action)
    case close
  }

  struct Waiting: Reducer {
    struct State: Equatable {}
    enum Action: Equatable { case wait }

    @Dependency(\.continuousClock) var clock

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
      .run { _ in try await clock.sleep(for: .seconds(1)) }
    }
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      if action == .close { state = .closed }
      return .none
    }
    .ifCaseLet(/State.open, action: /Action.open) {
      Waiting()
    }
  }
}

@Suite struct CasePathsWithoutMacrosTests {
  enum Answer: Equatable {
    case number(Int)
    case text(String)
    case named(name: String)
    case none
  }

  enum Color: String { case red, green }

  @Test func made() {
    let unsafe = AnyCasePath(unsafe: Answer.number)
    let embedded = AnyCasePath(Answer.number)
    let named: AnyCasePath<Answer, String> = .case(Answer.named(name:))
    let nothing = AnyCasePath(unsafe: Answer.none)
    let paths: [AnyCasePath<Answer, Int>] = [unsafe, embedded, /Answer.number]
    for path in paths {
      #expect(path.extract(from: .number(1)) == 1)
      #expect(path.extract(from: .text("")) == nil)
      #expect(path.embed(2) == .number(2))
    }
    #expect(named.extract(from: .named(name: "Ann")) == "Ann")
    #expect(nothing.extract(from: .none) != nil)
    #expect(nothing.extract(from: .number(1)) == nil)
    #expect(AnyCasePath(Answer.self).extract(from: .none) == Answer.none)
  }

  @Test func known() {
    #expect(AnyCasePath<Void, Int>.constant(3).extract(from: ()) == 3)
    #expect(AnyCasePath<Answer, Never>.never.extract(from: .none) == nil)
    #expect(AnyCasePath<String, Color>.rawValue.extract(from: "red") == .red)
    #expect(AnyCasePath<String, Color>.rawValue.embed(.green) == "green")
    #expect(AnyCasePath<String, Int>.description.extract(from: "42") == 42)
    #expect(AnyCasePath<String, Int>.description.embed(7) == "7")
    #expect(AnyCasePath<Int?, Int>.some.extract(from: 1) == 1)
    #expect(AnyCasePath<Int?, Int>.some.extract(from: nil) == nil)
  }

  @Test func composed() {
    typealias Outcome = Result<Answer, any Error>
    let path: AnyCasePath<Outcome, Int> = (/Outcome.success) .. (/Answer.number)
    let shorter: AnyCasePath<Outcome, Int> = /Outcome.success .. Answer.number
    let longer: AnyCasePath<Outcome, Int> = (/Outcome.success).appending(path: /Answer.number)
    for path in [path, shorter, longer] {
      #expect(path.extract(from: .success(.number(1))) == 1)
      #expect(path.extract(from: .success(.none)) == nil)
    }
    let outcomes: [Outcome] = [.success(.number(1)), .success(.text("a")), .success(.number(2))]
    let numbers = outcomes.compactMap(/Outcome.success .. Answer.number)
    #expect(numbers == [1, 2])
  }

  @Test func matched() {
    switch Answer.number(1) {
    case /Answer.text: Issue.record("a text")
    case /Answer.number: break
    default: Issue.record("nothing")
    }
    let isNone = /Answer.none ~= Answer.none
    #expect(isNone)
  }
}
