import Observation
import StoreActor
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreReplica
@testable import StoreTesting

@Suite("Stores of one connection as one tree", .timeLimit(.minutes(1)))
@MainActor
struct RemoteTreeTests {
  private typealias Daemon = InMemoryDaemon<Garden.State, Garden.Action>

  private func daemon() -> Daemon {
    InMemoryDaemon(
      root: RootCore(initialState: { Garden.State() }, reducer: { Garden() }),
      exposures: [
        Expose("garden", state: \.self, action: \.self),
        Expose("left", state: \.left, action: \.self),
        Expose("right", state: \.right, action: \.self),
      ],
    )
  }

  private func store<State: ReplicatedState>(
    _ name: String,
    _ type: State.Type,
    _ daemon: Daemon,
  ) -> Store<State, Garden.Action> {
    Store(core: RemoteStoreCore(name, of: daemon.client, connection: daemon))
  }

  @Test("An observer of a change finds it in all stores, and is notified once")
  func cut() {
    let daemon = daemon()
    let garden = store("garden", Garden.State.self, daemon)
    let left = store("left", Bed.self, daemon)
    let part = garden.scope(\.left, action: \.self)
    var torn = 0
    let look = { if Set([garden.left.plants, left.plants, part.plants]).count != 1 { torn += 1 } }
    let watches = [
      Watch(reading: { _ = left.plants }, told: { look() }),
      Watch(reading: { _ = part.plants }, told: { look() }),
      Watch(reading: { _ = (garden.left, left.plants, part.plants) }, told: { look() }),
    ]
    for round in 1...5 {
      garden.send(.planted)
      #expect(left.plants == round)
      #expect(watches.map(\.count) == Array(repeating: round, count: 3))
    }
    #expect(torn == 0)
  }

  @Test(
    "A scope's removal ends its stores, with their parts and streams; a new scope has new ones"
  )
  func absence() async {
    let daemon = daemon()
    let right = store("right", Bed.self, daemon)
    let plants = right.scope(\.plants, action: \.self)
    var states = AsyncStream(statesOf: plants).makeAsyncIterator()
    #expect(await states.next() == 3)
    let watch = Watch { _ = StoreEnd(of: right) }
    daemon.root.send(.rightGone)
    #expect(StoreEnd(of: right) == .gone)
    #expect(StoreEnd(of: plants) == .gone)
    #expect(await states.next() == nil)
    #expect(watch.count == 1)
    daemon.root.send(.rightCame)
    #expect(right.plants == 3)
    #expect(plants.state == 3)
    #expect(store("right", Bed.self, daemon).plants == 10)
  }

  @Test("Closing ends all stores, with the reason")
  func closing() async {
    let daemon = daemon()
    let left = store("left", Bed.self, daemon)
    let garden = store("garden", Garden.State.self, daemon)
    var states = AsyncStream(statesOf: left).makeAsyncIterator()
    var outputs = AsyncStream<Int>(outputsOf: garden).makeAsyncIterator()
    _ = await states.next()
    let watch = Watch { _ = StoreEnd(of: garden.scope(\.left, action: \.self)) }
    daemon.client.close("Enough.", at: daemon.client.now)
    #expect(StoreEnd(of: left) == .closed("Enough."))
    #expect(StoreEnd(of: garden.scope(\.left, action: \.self)) == .closed("Enough."))
    #expect(watch.count == 1)
    #expect(await states.next() == nil)
    #expect(await outputs.next() == nil)
    #expect(left.plants == 0)
  }
}

/// Two beds, of which one is optional.
private struct Garden: Reducer {
  struct State: Equatable, ReplicatedRecord {
    var left = Bed(plants: 0)
    var right: Bed? = Bed(plants: 3)

    static let layout = RecordLayout<Self>(
      "Garden",
      [.field("left", \.left), .field("right", \.right)],
    )
  }

  enum Action: Equatable, WireChoiceAction, CasePathable {
    case planted
    case rightGone
    case rightCame

    struct AllCasePaths: Sendable {}
    static var allCasePaths: AllCasePaths { AllCasePaths() }

    static let layout = ActionLayout<Self>(
      "Garden.Action",
      [
        .case("planted", .planted), .case("rightGone", .rightGone), .case("rightCame", .rightCame),
      ],
    )
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .planted: state.left.plants += 1
      case .rightGone: state.right = nil
      case .rightCame: state.right = Bed(plants: 10)
      }
      return .none
    }
  }
}

private struct Bed: Equatable, ReplicatedRecord {
  var plants = 0

  static let layout = RecordLayout<Self>("Bed", [.field("plants", \.plants)])
}

/// Counts the changes of observed values, and reads again after each.
@MainActor
private final class Watch {
  private(set) var count = 0
  private let read: @MainActor () -> Void
  private let told: @MainActor () -> Void

  init(
    reading read: @escaping @MainActor () -> Void,
    told: @escaping @MainActor () -> Void = {},
  ) {
    self.told = told
    self.read = read
    track()
  }

  private func track() {
    withObservationTracking(read) { [weak self] in
      MainActor.assumeIsolated {
        guard let self else { return }
        self.count += 1
        self.track()
        self.told()
      }
    }
  }
}
