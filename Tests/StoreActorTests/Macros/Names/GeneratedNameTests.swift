import StoreActor
import StoreState
import Testing

/// Names that generated code must leave to the author.
///
/// The fixtures' compilation is most of the test.
@Suite("An author's own names in generated code")
@MainActor
struct GeneratedNameTests {
  @Test("A property of any name is written, read, changed and compared")
  func record() throws {
    let old = NamesFixture.Record()
    var new = old
    new.digest = 7
    new.isSame = 8
    new.encode = 9
    new.delta = 10
    try checkLaws(from: old, to: new)
    let read = (new.digest, new.isSame, new.encode, new.delta)
    #expect(read == (7, 8, 9, 10))
  }

  @Test("A case of any name is written, read, changed and compared")
  func choice() throws {
    for (old, new) in zip(choices(1), choices(2)) {
      try checkLaws(from: old, to: new)
      try checkLaws(from: old, to: .digest(3))
    }
  }

  private func choices(_ number: Int) -> [NamesFixture.Choice] {
    [
      .admitsNull(number), .applyDelta(number), .applying(number), .delta(number), .digest(number),
      .encode(number), .encodeDelta(number), .encoded(number), .equalsItself(number),
      .hash(number), .isSame(number), .schema(number), .`init`(number), .`is`(number),
    ]
  }

  @Test("A case with the name of a method is a property, and has a key path")
  func dynamicMembers() {
    typealias Choice = NamesFixture.Choice
    let paths: [(KeyPath<Choice, Int?>, Choice)] = [
      (\.applyDelta, .applyDelta(1)), (\.applying, .applying(1)), (\.delta, .delta(1)),
      (\.digest, .digest(1)), (\.encode, .encode(1)), (\.encodeDelta, .encodeDelta(1)),
      (\.encoded, .encoded(1)), (\.hash, .hash(1)), (\.is, .is(1)), (\.modify, .modify(1)),
      (\.isSame, .isSame(1)), (\.kind, .kind(1)),
    ]
    for (path, choice) in paths {
      #expect(choice[keyPath: path] == 1)
      #expect(Choice.rawValue(1)[keyPath: path] == nil)
    }
    let delta: Int? = Choice.delta(2).delta
    #expect(delta == 2 && Choice.encode(3).encode == 3)
    #expect(NamesFixture.Plain.delta.delta != nil && NamesFixture.Plain.delta.encode == nil)
  }

  @Test("An action of any name is encoded and decoded")
  func actions() throws {
    let actions: [NamesFixture.Action] = [
      .admitsNull(1), .applyDelta(1), .delta(1), .digest(1), .encode(1), .encoded(1), .schema(1),
    ]
    for action in actions {
      #expect(try NamesFixture.Action(encoded: action.encoded()) == action)
    }
    let plain: [NamesFixture.PlainAction] = [.digest, .encode, .encoded, .hash, .schema, .delta]
    for action in plain {
      #expect(try NamesFixture.PlainAction(encoded: action.encoded()) == action)
    }
  }

  @Test("A feature of any name is scoped to, reduced and read")
  func features() throws {
    typealias Features = NamesFixture.Features
    let store = Store(initialState: Features.State.delta(NamesFixture.Leaf.State())) {
      Features.body
    }
    guard case .delta(let leaf) = store.case else { throw Unexpected() }
    leaf.send(.up)
    #expect(store.delta?.count == 1 && store.encode == nil && store.digest == nil)
    let scoped = store.scope(\.delta, action: \.delta)
    scoped?.send(.up)
    #expect(leaf.count == 2)
    try checkLaws(from: store.state, to: .digest(NamesFixture.Leaf.State()))
  }

  @Test("An action's part may be less visible than the feature")
  func parts() {
    let store = Store(initialState: PartsFixture.PublicFeature.State()) {
      PartsFixture.PublicFeature()
    }
    store.send(.add(3))
    #expect(store.count == 3)
    let other = Store(initialState: PartsFixture.PrivatePart.State()) { PartsFixture.PrivatePart() }
    other.send(.add)
    #expect(other.count == 3)
    #expect(PartsFixture.reducerAction(4) == .added(4) && PartsFixture.sums())
  }

  @Test("A lazy property may be left unobserved")
  func lazyProperty() {
    var state = LazyState()
    #expect(state.total == 3 && LazyState._$ignoredKeyPaths.count == 1)
  }

  @Test("Members that are no fields may have names of generated members")
  func otherMembers() throws {
    let old = OtherMembers()
    var new = old
    new.number = 2
    new.digest = "hidden"
    try checkLaws(from: old, to: OtherMembers(number: 2))
    #expect(!new._$isSame(as: old) && new.isSame(as: old))
    #expect(new.encoded == [1] && new.delta == 2 && new.schema() == "own")
  }

  private struct Unexpected: Error {}
}

@ObservableState
private struct LazyState {
  var numbers = [1, 2]
  @ObservationStateIgnored lazy var total = numbers.reduce(0, +)
  @ObservationStateIgnored var seen = 0
}

/// A state whose ignored members have the names of requirements.
@ObservableState
private struct OtherMembers: Equatable, ReplicatedState {
  var number = 1
  @ReplicationIgnored var digest = ""

  var encoded: [UInt8] { [1] }
  var delta: Int { number }

  func isSame(as other: Self) -> Bool { true }
  func schema() -> String { "own" }
  func applyDelta(_ delta: Int) {}
  mutating func apply(delta: Int) { number += delta }
}
