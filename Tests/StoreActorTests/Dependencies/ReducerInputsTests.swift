import Foundation
import StoreActor
import Testing

/// The time and random numbers that reducers read are recorded, and can be replayed.
@MainActor
@Suite struct ReducerInputsTests {
  private struct Dice: Reducer {
    struct State: Equatable {
      var date = Date(timeIntervalSinceReferenceDate: 0)
      var ids: [UUID] = []
      var rolls: [Int] = []
    }

    enum Action {
      case nothingRead
      case rolled
      case zoneRead
    }

    @Dependency(\.date) private var date
    @Dependency(\.timeZone) private var timeZone
    @Dependency(\.uuid) private var uuid
    @Dependency(\.withRandomNumberGenerator) private var withRandomNumberGenerator

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
      switch action {
      case .nothingRead: break
      case .zoneRead: _ = timeZone
      case .rolled:
        state.date = date.now
        state.ids = [uuid(), uuid()]
        state.rolls = withRandomNumberGenerator { generator in
          (0..<8).map { _ in Int.random(in: 0...1_000_000, using: &generator) }
        }
      }
      return .none
    }
  }

  private func core(
    _ prepare: @escaping (inout DependencyValues) -> Void = { $0.useReducerInputs() }
  ) -> RootCore<Dice.State, Dice.Action> {
    RootCore(
      initialState: { Dice.State() },
      reducer: { Dice() },
      withDependencies: { prepare(&$0) },
    )
  }

  @Test func `The same date and seed give the same state`() throws {
    let first = core()
    ReducerInputs.begin()
    first.send(.rolled)
    let read = ReducerInputs.end()
    #expect(read.date == first.state.date.timeIntervalSinceReferenceDate)
    #expect(read.seed != nil)
    #expect(Set(first.state.ids).count == 2)
    #expect(Set(first.state.rolls).count > 1)
    for id in first.state.ids {
      #expect(id.uuid.6 & 0xf0 == 0x40)
      #expect(id.uuid.8 & 0xc0 == 0x80)
    }

    let second = core()
    ReducerInputs.begin(with: read)
    second.send(.rolled)
    #expect(ReducerInputs.end() == read)
    #expect(second.state == first.state)

    let other = core()
    ReducerInputs.begin(with: ReducerInputs.Read(date: read.date))
    other.send(.rolled)
    #expect(ReducerInputs.end().seed != read.seed)
    #expect(other.state.date == first.state.date)
    #expect(other.state.rolls != first.state.rolls)
  }

  @Test func `Only values that reducers read are noted`() {
    let core = core()
    ReducerInputs.begin()
    core.send(.nothingRead)
    #expect(ReducerInputs.end() == ReducerInputs.Read())
    core.send(.rolled)
    #expect(ReducerInputs.end() == ReducerInputs.Read())
  }

  @Test func `Another thread has the real date`() async {
    let past = ReducerInputs.Read(date: 7)
    ReducerInputs.begin(with: past)
    let seen = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(returning: DependencyValues.live.date.now)
      }
    }
    _ = ReducerInputs.end()
    #expect(seen > Date(timeIntervalSinceReferenceDate: 7))
  }

  @Test func `A dependency that was set stays as it is, and is reported by name`() {
    let core = core {
      $0.useReducerInputs()
      $0.date = .constant(Date(timeIntervalSinceReferenceDate: 5))
      $0.uuid = .incrementing
    }
    ReducerInputs.begin(with: ReducerInputs.Read(date: 1, seed: 1), notingOthers: true)
    core.send(.rolled)
    let read = ReducerInputs.end()
    #expect(read.date == nil)
    #expect(read.seed == 1)
    #expect(ReducerInputs.others == ["date", "uuid"])
    #expect(core.state.date == Date(timeIntervalSinceReferenceDate: 5))
    #expect(core.state.ids == [UUID(0), UUID(1)])
  }

  @Test func `Other dependencies are reported on request`() {
    let core = core {
      $0.useReducerInputs()
      $0.timeZone = .gmt
    }
    ReducerInputs.begin(notingOthers: true)
    core.send(.zoneRead)
    _ = ReducerInputs.end()
    #expect(ReducerInputs.others == ["timeZone"])
    ReducerInputs.begin(notingOthers: true)
    _ = ReducerInputs.end()
    #expect(ReducerInputs.others == [])
    ReducerInputs.begin()
    core.send(.zoneRead)
    _ = ReducerInputs.end()
    #expect(ReducerInputs.others == [])
  }

  @Test func `Effects that never start leave no state`() {
    let core = RootCore(
      initialState: { 0 },
      reducer: {
        Reduce<Int, Bool> { state, _ in
          state += 1
          return .concatenate(
            .run { _ in Issue.record("It runs") },
            .send(true),
          )
        }
      },
    )
    core.startNoEffects()
    for _ in 1...3 {
      core.send(false)
      core.dropEffects()
    }
    #expect(core.state == 3)
    #expect(!core.hasRunningEffects)
    #expect(!core.hasEffectsToStart(through: .max))
  }
}
