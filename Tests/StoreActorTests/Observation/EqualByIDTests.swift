import StoreActor
import Testing

@Suite("Observing values whose '==' compares ids", .timeLimit(.minutes(1)))
@MainActor
struct EqualByIDTests {
  private typealias Watch = ObservationTests.Watch

  @Test("Changes that '==' ignores are stored, and observers are not notified of them")
  func parts() {
    let store = Store(initialState: Ward.State()) { Ward() }
    let watches = [
      Watch { _ = store.patient },
      Watch { _ = store.guest },
      Watch { _ = store.beds },
      Watch { _ = store.patients },
      Watch { _ = store.rooms },
      Watch { _ = store.sheet },
      Watch { _ = store.stage },
    ]
    let whole = Watch { _ = store.state }
    for change in Ward.Action.allCases { store.send(change) }
    #expect(watches.allSatisfy { $0.count == 0 } && whole.count == 0)
    let names = [
      store.patient.name, store.guest?.name, store.beds[1].name, store.patients[id: 5]?.name,
      store.rooms["b"]?.name, store.sheet?.name,
    ]
    #expect(names.allSatisfy { $0 == "Bob" })
    #expect(store.stage == .visited(Patient(id: 9, name: "Bob")))
  }

  @Test("A shared value is stored even if only a part that '==' ignores changes")
  func shared() async {
    @Shared(value: Patient(id: 1, name: "Ann")) var patient
    let watch = Watch { _ = patient }
    let store = Store(initialState: Shown(patient: $patient)) { EmptyReducer<Shown, Never>() }
    $patient.withLock { $0.name = "Bob" }
    #expect(patient.name == "Bob")
    // A store shows changes by others from its next turn on.
    while store.patient.name != "Bob" { await Task.yield() }
    #expect(watch.count == 0)
    $patient.withLock { $0.id = 2 }
    #expect(watch.count == 1)
  }

  @Test("Values are compared without reflection")
  func reflection() {
    let store = Store(initialState: Opaque.values()) {
      Reduce<[Opaque], Int> { state, action in
        state = Opaque.values()
        if action > 0 { state[0].number = action }
        return .none
      }
    }
    let watch = Watch { _ = store.state }
    store.send(0)
    #expect(watch.count == 0)
    store.send(1)
    #expect(watch.count == 1)
    @Shared(value: Opaque.values()) var values
    $values.withLock { $0 = Opaque.values() }
    #expect(Opaque.reflections.value == 0)
  }

  @Test("References and functions are compared with '=='")
  func references() {
    struct Model: Equatable {
      final class Cache {}
      var id = 1
      var cache = Cache()
      var format: () -> String = { "" }
      static func == (one: Self, other: Self) -> Bool { one.id == other.id }
    }
    let store = Store(initialState: Model()) {
      Reduce<Model, Int> { state, action in
        state.id = action
        state.cache = Model.Cache()
        state.format = { "\(action)" }
        return .none
      }
    }
    let watch = Watch { _ = store.state }
    store.send(1)
    #expect(watch.count == 0)
    store.send(2)
    #expect(watch.count == 1)
  }

  @Test("Values with a wire form are compared by their bytes, others with '=='")
  func bytes() {
    let store = Store(initialState: Chart.State()) { Chart() }
    let (entry, note) = (Watch { _ = store.entry }, Watch { _ = store.note })
    store.send(.rename("Ann"))
    #expect(entry.count == 1)
    store.send(.rename("Ann"))
    #expect(entry.count == 1)
    store.send(.write(1))
    #expect(note.count == 1)
  }

  @Test("A change notifies observers exactly if it is a change in the delta")
  func delta() throws {
    let store = Store(initialState: Chart.State()) { Chart() }
    let watch = Watch { _ = store.entry }
    for (name, isChange) in [("Ann", true), ("Ann", false), ("Bob", true), ("Bob", false)] {
      let (old, told) = (store.withState(\.entry), watch.count)
      store.send(.rename(name))
      let new = store.withState(\.entry)
      #expect(old == new)
      #expect(watch.count - told == (isChange ? 1 : 0))
      let delta = new.delta(from: old)
      #expect((delta != nil) == isChange)
      if let delta { #expect(try old.applying(delta: delta).name == name) }
    }
  }
}

@ObservableState
private struct Shown: Equatable {
  @Shared var patient: Patient
}

/// A value without a wire form that counts its reflections.
private struct Opaque: Equatable, Sendable, CustomReflectable {
  static let reflections = LockIsolated(0)
  var number = 0

  static func values() -> [Self] { (0..<100).map { Self(number: $0) } }

  var customMirror: Mirror {
    Self.reflections.withValue { $0 += 1 }
    return Mirror(self, children: ["number": number])
  }
}

/// Patients are equal if their ids are equal.
private struct Patient: Equatable, Identifiable, Sendable {
  var id: Int
  var name: String

  static func == (one: Self, other: Self) -> Bool { one.id == other.id }
}

@Reducer
private struct Ward {
  enum Stage: Equatable, Sendable {
    case empty
    case visited(Patient)
  }

  @ObservableState
  struct State: Equatable, Sendable {
    var patient = Patient(id: 1, name: "Ann")
    var guest: Patient? = Patient(id: 2, name: "Ann")
    var beds = [Patient(id: 3, name: "Ann"), Patient(id: 4, name: "Ann")]
    var patients: IdentifiedArrayOf<Patient> = [Patient(id: 5, name: "Ann")]
    var rooms = ["a": Patient(id: 6, name: "Ann"), "b": Patient(id: 7, name: "Ann")]
    @Presents var sheet: Patient? = Patient(id: 8, name: "Ann")
    var stage = Stage.visited(Patient(id: 9, name: "Ann"))
  }

  enum Action: CaseIterable {
    case patient, guest, beds, patients, rooms, sheet, stage
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .patient: state.patient.name = "Bob"
      case .guest: state.guest?.name = "Bob"
      case .beds: state.beds[1].name = "Bob"
      case .patients: state.patients[id: 5]?.name = "Bob"
      case .rooms: state.rooms["b"]?.name = "Bob"
      case .sheet: state.sheet?.name = "Bob"
      case .stage: state.stage = .visited(Patient(id: 9, name: "Bob"))
      }
      return .none
    }
  }
}

@Reducer
private struct Chart {
  @ObservableState
  struct Entry: Equatable, ReplicatedState {
    var id = 1
    var name = ""

    static func == (one: Self, other: Self) -> Bool { one.id == other.id }
  }

  @ObservableState
  struct Note: Equatable, ReplicatedState {
    var text = ""
    @ReplicationIgnored var length = 0
  }

  @ObservableState
  struct State: Equatable, Sendable {
    var entry = Entry()
    var note = Note()
  }

  enum Action {
    case rename(String)
    case write(Int)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .rename(let name): state.entry.name = name
      case .write(let length): state.note.length = length
      }
      return .none
    }
  }
}
