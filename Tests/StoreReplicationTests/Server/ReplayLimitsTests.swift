import Foundation
import GenericState
import StoreActor
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

/// Inputs that a journal does not contain, and the resulting replay.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct ReplayLimitsTests {
  private func core(_ stall: Stall) -> RootCore<Stall.State, Stall.Action> {
    RootCore(
      initialState: { Stall.State() },
      reducer: { stall },
      withDependencies: { $0.useReducerInputs() },
    )
  }

  /// The history of a daemon whose program sends actions.
  private func history(_ stall: Stall = Stall(), _ actions: Stall.Action...) throws -> BenchHistory
  {
    let form = DurableForm(Stall.State.self)
    let root = core(stall)
    let recorder = Recorder(revision: 0)
    let port = TypedRoot(
      root,
      exposures: Stall.exposures,
      limits: Limits(),
      journal: RootJournal(form, recorder: recorder),
    ) { _ in nil }
    let initial = form.encoded(root.state)
    for action in actions { root.send(action) }
    withExtendedLifetime(port) {}
    let batch = try #require(recorder.nextBatch(.distantFuture))
    let snapshot = SnapshotBytes.encode(revision: 0, KeptHistory()) { $0.append(raw: initial) }
    return BenchHistory(schema: form.schema, snapshots: [0: snapshot], batches: [batch])
  }

  private func run(
    _ history: BenchHistory,
    _ revisions: ClosedRange<UInt64> = 0 ... .max,
    _ stall: Stall = Stall(),
  ) throws -> ReplayReport {
    let replay = Replay(
      core(stall),
      exposures: Stall.exposures,
      form: DurableForm(Stall.State.self),
      restoredAction: { _ in nil },
      sessionAction: { _ in nil },
    )
    return try replay.run(history, revisions)
  }

  @Test func `Replay continues after actions outside of the journal at a checked revision`() throws
  {
    let history = try history(Stall(), .cached, .cached, .cached)
    let report = try run(history)
    #expect(report.difference == nil, "\(report)")
    #expect(report.checked == 3)
    #expect(report.unkept == ["Stall.cache"])
    #expect(report.json["unkept"] == ["Stall.cache"])
  }

  @Test func `Actions outside of the journal are named with a difference`() throws {
    let report = try run(try history(Stall(), .cached, .cached), 1...2, Stall(step: 2))
    #expect(report.difference?.revision == 1)
    #expect("\(report)".contains("  in no journal: Stall.cache"))
  }

  @Test func `An action that its bytes do not have whole has no form`() throws {
    let parcel = Stall.Parcel(id: 1, weight: 3)
    let report = try run(try history(Stall(), .delivered(parcel), .cached))
    #expect(report.difference == nil, "\(report)")
    #expect(report.checked == 1)
    #expect(report.unchecked == ["delivered: it has no form": 1])
  }

  @Test func `An effect's action to an absent child has the same result`() throws {
    try withKnownIssue("The child is absent") {
      let report = try run(try history(Stall(), .child(.tapped)))
      #expect(report.checked == 1, "\(report)")
    } matching: { issue in
      "\(issue)".contains("child")
    }
  }

  // MARK: Throttling

  @Test func `Actions that a clock throttled are not checked`() throws {
    let slow = Stall(interval: .seconds(3_600))
    let report = try run(try history(slow, .throttled, .throttled), 0 ... .max, slow)
    #expect(report.difference == nil, "\(report)")
    #expect(report.checked == 1)
    #expect(report.unchecked == ["throttled: its throttling depends on a clock": 1])
    #expect(report.read == [:])
  }

  @Test func `The interval of one revision is not that of the next`() throws {
    let history = try history(Stall(interval: .zero), .throttled, .throttled)
    let report = try run(history, 0 ... .max, Stall(interval: .seconds(3_600)))
    #expect(report.checked == 2, "\(report)")
  }
}

/// A feature with many inputs that no journal contains.
@Reducer
struct Stall {
  @ObservableState
  struct State: DurableState, Equatable, Sendable {
    var count = 0
    var child: Child.State? = nil
    @ReplicationIgnored @DurableIgnored var cache = 0
  }

  @ObservableState
  struct Parcel: DurableState, Equatable, Sendable {
    var id = 0
    @ReplicationIgnored var weight = 0
  }

  enum Action: Equatable, Sendable, WireAction {
    case cached
    case child(Child.Action)
    case counted
    case delivered(Parcel)
    case throttled
  }

  @Reducer
  struct Child {
    @ObservableState
    struct State: Equatable, ReplicatedState, Sendable { var count = 0 }

    enum Action: Equatable, Sendable, WireAction { case tapped }

    var body: some ReducerOf<Self> {
      Reduce { state, _ in
        state.count += 1
        return .none
      }
    }
  }

  static let exposures: [Expose<State, Action>] = [
    Expose("stall", state: \.self, action: \.self)
  ]

  var interval = Duration.zero
  var step = 1

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .cached:
        state.cache += step
        state.count = state.cache
      case .child, .counted: state.count += 1
      case .delivered(let parcel): state.count += parcel.weight
      case .throttled:
        return .send(.counted)
          .throttle(id: 1, for: interval, clock: ContinuousClock(), latest: false)
      }
      return .none
    }
    .ifLet(\.child, action: \.child) { Child() }
  }
}
