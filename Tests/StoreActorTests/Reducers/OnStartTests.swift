import Foundation
import StoreActor
import Testing

@MainActor
@Suite("Features at the start of their daemon")
struct OnStartTests {
  private struct Feature: Reducer {
    struct State: Equatable, Sendable {
      var starts: [Bool] = []
      var restorations = 0
      var ticks = 0
    }

    enum Action: Equatable, Sendable { case ticked }

    var body: some ReducerOf<Self> {
      Reduce { state, _ in
        state.ticks += 1
        return .none
      }
      .onRestored { state, _ in
        state.restorations += 1
        return .none
      }
      .onStart { state, start in
        state.starts.append(start.isFirst)
        return start.isFirst ? .send(.ticked) : .run(name: "poll") { _ in }
      }
    }
  }

  private struct Poll: Reducer {
    struct State: Equatable, Sendable {
      var openedAt: Date?
      var polls = 0
    }

    enum Action: Equatable, Sendable { case polled }

    @Dependency(\.date) var date

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .polled: state.polls += 1
        }
        return .none
      }
      .onStart { state, start in
        if start.isFirst { state.openedAt = date.now }
        return .run(name: "poll") { send in
          await send(.polled)
        }
      }
    }
  }

  @Test("It reads dependencies, and starts effects")
  func effects() async {
    let now = Date(timeIntervalSinceReferenceDate: 5)
    let core = RootCore(
      initialState: { Poll.State() },
      reducer: { Poll() },
      withDependencies: { $0.date = .constant(now) },
    )
    core.restart(.first, reset: { _ in }, then: nil)
    while core.hasRunningEffects { await Task.yield() }
    #expect(core.state == Poll.State(openedAt: now, polls: 1))
    #expect(core.revision == 2)
  }

  @Test("At the first start only onStart runs, and what follows is part of the revision")
  func first() {
    let core = RootCore(initialState: { Feature.State() }, reducer: { Feature() })
    core.restart(.first, reset: { _ in }, then: nil)
    #expect(core.revision == 1)
    #expect(core.state == Feature.State(starts: [true], ticks: 1))
  }

  @Test("At a restart it runs after onRestored")
  func restarted() {
    let core = RootCore(initialState: { Feature.State() }, reducer: { Feature() })
    core.restart(Restoration(wasStopped: false), reset: { $0.ticks = 7 }, then: .ticked)
    #expect(core.revision == 1)
    #expect(core.state == Feature.State(starts: [false], restorations: 1, ticks: 8))
    core.cancelEffects()
  }

  @Test("Without a reducer that asks for it, the first start is no revision")
  func unasked() {
    let core = RootCore(
      initialState: { 0 },
      reducer: {
        Reduce<Int, Bool> { state, _ in
          state += 1
          return .none
        }
        .onRestored { state, _ in
          state += 10
          return .none
        }
      },
    )
    var commits = 0
    core.onCommit = { _, _, _ in commits += 1 }
    core.restart(.first, reset: { _ in }, then: nil)
    #expect(core.revision == 0 && core.state == 0 && commits == 0)
    core.send(true)
    #expect(core.revision == 1 && core.state == 1)
  }

  /// Lists numbers, refuses 1, and sends the half of each even one after it, with an effect.
  private struct Halves: Reducer {
    func reduce(into state: inout [Int], action: Int) -> Effect<Int> {
      state.append(action)
      if action == 1 { return .refuse("No one.") }
      return action.isMultiple(of: 2) ? .merge(.run { _ in }, .send(action / 2)) : .none
    }
  }

  @Test("Actions before a restart are parts of its revision, each with its consequences")
  func parts() {
    let core = RootCore(initialState: { [Int]() }, reducer: { Halves() })
    let isMade = core.restart(
      Restoration(wasStopped: false),
      after: [6, 10],
      reset: { $0.append(0) },
      then: 9,
    )
    #expect(isMade && core.revision == 1)
    #expect(core.state == [6, 3, 10, 5, 0, 9])
    core.cancelEffects()
  }

  @Test("If one of these actions is refused, or one that follows from it, nothing has happened")
  func refusedPart() {
    let core = RootCore(initialState: { [Int]() }, reducer: { Halves() })
    core.defersEffects = true
    for first in [[6, 1, 3], [6, 2]] {
      let isMade = core.restart(
        Restoration(wasStopped: false),
        after: first,
        reset: { $0.append(0) },
        then: 9,
      )
      #expect(!isMade && core.revision == 0 && core.state == [])
      #expect(!core.hasEffectsToStart(through: 1) && core.takeRefusals() == nil)
    }
    #expect(core.restart(Restoration(wasStopped: false), reset: { _ in }, then: 9))
    #expect(core.state == [9])
  }

  @Test("A refusal of the first start is an issue, and changes nothing")
  func refused() {
    let core = RootCore(
      initialState: { 0 },
      reducer: {
        Reduce<Int, Bool> { _, _ in .none }
          .onStart { state, _ in
            state = 5
            return .refuse("Not now.")
          }
      },
    )
    withKnownIssue { core.restart(.first, reset: { _ in }, then: nil) }
    #expect(core.state == 0)
  }
}
