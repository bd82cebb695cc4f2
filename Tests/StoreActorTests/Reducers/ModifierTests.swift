import StoreActor
import Testing

@Suite("Reducers with modifiers", .timeLimit(.minutes(1)))
@MainActor
struct ModifierTests {
  @Test("onChange with an effect is called with the old value when the value has changed")
  func onChangeEffect() {
    let changes = LockIsolated<[Int]>([])
    let store = Store(initialState: Counter.State()) {
      Counter()
        .onChange(of: \.count) { oldValue, state in
          changes.withValue { [count = state.count] in $0 += [oldValue, count] }
          if state.count == 1 { state.count = 10 }
          return state.count == 10 ? .send(.set(20)) : .none
        }
    }
    store.send(.increment)
    #expect(store.count == 20)
    store.send(.set(20))
    #expect(changes.value == [0, 1, 10, 20])
  }

  @Test("onChange with a reducer runs that reducer when the value has changed")
  func onChangeReducer() {
    let changes = LockIsolated<[Int]>([])
    let store = Store(initialState: Counter.State()) {
      Counter()
        .onChange(of: \.count) { oldValue, newValue in
          Reduce { _, _ in
            changes.withValue { $0 += [oldValue, newValue] }
            return .none
          }
        }
    }
    store.send(.increment)
    store.send(.set(1))
    store.send(.set(5))
    #expect(changes.value == [0, 1, 1, 5])
  }

  private struct Name: DependencyKey {
    static let liveValue = "nobody"
    static let testValue = "nobody"
  }

  /// Records the name that it reads, at once and in an effect.
  private struct Writer: Reducer {
    @Dependency(Name.self) var name

    var body: some Reducer<[String], String> {
      Reduce { state, action in
        state.append(action.isEmpty ? name : "effect: \(action)")
        return action.isEmpty ? .run { await $0(name) } : .none
      }
    }
  }

  @Test("A dependency applies to its reducer and the reducer's effects")
  func dependency() async {
    let store = Store(initialState: [String]()) {
      Writer().transformDependency(\.self) { $0[Name.self] = "Ann" }
      Writer()
    } withDependencies: {
      $0[Name.self] = "Bob"
    }
    await store.send("").finish()
    #expect(store.state.prefix(2) == ["Ann", "Bob"])
    #expect(store.state.contains("effect: Ann"))
    #expect(store.state.contains("effect: Bob"))
  }

  private struct Greeter: DependencyKey, Sendable {
    var greet: @Sendable () -> String = { "default" }
    static let liveValue = Greeter()
    static let testValue = Greeter()
  }

  @Test("A dependency can be set by its key path, and its own key by its type")
  func dependencySpellings() {
    struct Reader: Reducer {
      @Dependency(\.continuousClock) var clock
      @Dependency(Greeter.self) var greeter

      var body: some Reducer<[String], Int> {
        Reduce { state, _ in
          state = [greeter.greet(), "\(clock is ImmediateClock<Duration>)"]
          return .none
        }
      }
    }
    let store = Store(initialState: [String]()) {
      Reader()
        .dependency(\.continuousClock, .immediate)
        .dependency(Greeter { "hello" })
        .transformDependency(Greeter.self) { greeter in
          greeter.greet = { "never seen" }
        }
    }
    store.send(0)
    #expect(store.state == ["hello", "true"])
  }

  @Test("Several consecutive changes are combined, in every spelling")
  func dependencyFusing() {
    typealias Fused = _DependencyKeyWritingReducer<Writer>
    let reducer = Writer().dependency(\.continuousClock, .immediate)
    let more = reducer.dependency(Greeter()).transformDependency(\.self) { _ in }
    let all = more.transformDependency(Greeter.self) { _ in }.dependency(\.uuid, .incrementing)
    #expect(type(of: reducer) == Fused.self)
    #expect(type(of: more) == Fused.self)
    #expect(type(of: all) == Fused.self)
  }

  @Test("Among several consecutive changes, the inner one takes precedence")
  func dependencyOrder() {
    let store = Store(initialState: [String]()) {
      Writer()
        .transformDependency(\.self) { $0[Name.self] += " inner" }
        .transformDependency(\.self) { $0[Name.self] += " outer" }
    } withDependencies: {
      $0[Name.self] = "Bob"
    }
    _ = store.send("")
    #expect(store.state.first == "Bob outer inner")
  }

  @Test("Printing shows each action with its changes, and can be disabled")
  func printChanges() {
    let lines = LockIsolated<[String]>([])
    let printer = _ReducerPrinter<Counter.State, Counter.Action> { action, old, new in
      lines.withValue { $0.append("\(action): \(old.count) -> \(new.count)") }
    }
    let store = Store(initialState: Counter.State()) {
      Counter()._printChanges(printer)
      Counter()._printChanges(nil)
    }
    store.send(.increment)
    #expect(lines.value == ["increment: 0 -> 1"])
    #expect(store.count == 2)
  }

  @Test("A queue may print, in the order of the actions")
  func printOnQueue() {
    let lines = LockIsolated<[Int]>([])
    let queue = DispatchQueue(label: "printer")
    let printer = _ReducerPrinter<Counter.State, Counter.Action>(
      printChange: { _, _, new in lines.withValue { $0.append(new.count) } },
      queue: queue,
    )
    let store = Store(initialState: Counter.State()) { Counter()._printChanges(printer) }
    queue.suspend()
    for _ in 0..<3 { store.send(.increment) }
    #expect(lines.value.isEmpty)
    queue.resume()
    queue.sync {}
    #expect(lines.value == [1, 2, 3])
  }

  @Test("Labels name the cases of an action, and omit values")
  func labels() {
    #expect(caseLabels(of: Counter.Action.increment) == "Counter.Action.increment")
    #expect(caseLabels(of: Counter.Action.set(3)) == "Counter.Action.set")
    #expect(
      caseLabels(of: Office.Action.rows(.element(id: 1, action: .tick)))
        == "Office.Action.rows(.element)"
    )
    #expect(caseLabels(of: Office.Action.boss(.tick)) == "Office.Action.boss(.tick)")
  }
}
