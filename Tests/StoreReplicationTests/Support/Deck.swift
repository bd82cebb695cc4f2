import StoreActor
import StoreState

@testable import StoreExposures
@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

/// The tests' root feature: a counter whose effects wait, identified rows and an optional child.
struct Deck: Reducer {
  struct State: Equatable, Sendable {
    var counter = Counter()
    var cards: IdentifiedArrayOf<Card> = [Card(id: 1, title: "one"), Card(id: 2, title: "two")]
    var extra: Extra?
    var sessions: [UInt64] = []
    /// A field outside all exposures.
    var secret = 0
  }

  struct Counter: Equatable, Sendable {
    var count = 0
    var numberFactAlert: String?
  }

  struct Card: Equatable, Identifiable, Sendable {
    var id: Int
    var title: String
  }

  struct Extra: Equatable, Sendable {
    var text = ""
  }

  enum Action: Equatable, Sendable {
    case counter(CounterAction)
    case cards(IdentifiedAction<Int, CardAction>)
    case extra(ExtraAction)
    case session(id: UInt64, isThere: Bool)
    case secretChanged
  }

  enum CounterAction: Equatable, Sendable {
    case incrementButtonTapped
    case decrementButtonTapped
    /// Starts an effect that waits for the gate.
    case numberFactButtonTapped
    case extraToggled
    case cardRemoved(id: Int)
    case filled(bytes: Int)
    /// Starts the same effect, which outlives its sender.
    case factOrdered
    /// Replies with a text.
    case asked(bytes: Int)
    /// An action that is private to the daemon.
    case numberFactResponse(String)
  }

  enum CardAction: Equatable, Sendable {
    case titleChanged(title: String)
  }

  enum ExtraAction: Equatable, Sendable {
    case written(text: String)
  }

  let gate: Gate

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .counter(let action): return reduce(&state, action)
      case .cards(.element(let id, .titleChanged(let title))): state.cards[id: id]?.title = title
      case .extra(.written(let text)):
        state.extra?.text = text
        // The scope is exposed without replies.
        return .reply(text)
      case .session(let id, true): state.sessions.append(id)
      case .session(let id, false): state.sessions.removeAll { $0 == id }
      case .secretChanged: state.secret += 1
      }
      return .none
    }
  }

  private func reduce(_ state: inout State, _ action: CounterAction) -> Effect<Action> {
    switch action {
    case .incrementButtonTapped: state.counter.count += 1
    case .decrementButtonTapped: state.counter.count -= 1
    case .numberFactButtonTapped:
      state.counter.numberFactAlert = nil
      return .run(name: "fact") { [gate] send in
        await gate.wait()
        await send(.counter(.numberFactResponse("a fact")))
      }
    case .factOrdered:
      return .run(name: "fact", owner: .daemon) { [gate] send in
        await gate.wait()
        await send(.counter(.numberFactResponse("a fact")))
      }
    case .extraToggled: state.extra = state.extra == nil ? Extra() : nil
    case .cardRemoved(let id): state.cards.remove(id: id)
    case .filled(let bytes):
      // The changes before a refusal are taken back.
      state.counter.count += 1
      guard bytes >= 0 else {
        return .merge(
          .run(name: "fact") { _ in },
          .refuse("No negative bytes.", code: "negative", value: bytes),
        )
      }
      state.counter.count -= 1
      state.counter.numberFactAlert = String(repeating: "x", count: min(max(bytes, 0), 1 << 22))
    case .asked(let bytes):
      state.counter.count += 1
      return .reply(String(repeating: "x", count: bytes))
    case .numberFactResponse(let fact): state.counter.numberFactAlert = fact
    }
    return .none
  }

  static let exposures: [Expose<State, Action>] = [
    Expose("counter", state: \.counter, action: \.counter, replies: String.self),
    Expose("cards", state: \.cards),
    Expose(each: "cards/row", state: \.cards, action: \.cards),
    Expose("extra", state: \.extra, action: \.extra),
  ]
}

typealias ServerBench = BenchOf<Deck.State, Deck.Action>

extension ServerBench {
  /// Creates a daemon of the deck.
  ///
  /// With a journal it stores its records, and continues from an earlier daemon's state.
  convenience init(
    epoch: UInt64 = 7,
    limits: Limits = Limits(),
    timing: Timing = Timing(),
    state: Deck.State = Deck.State(),
    journal: BenchJournal? = nil,
    recovered: Recovered<Deck.State>? = nil,
    isStarted: Bool = true,
    crashes: CrashNotes = CrashNotes(),
  ) {
    let gate = Gate()
    let root = RootCore(initialState: { state }, reducer: { Deck(gate: gate) })
    if let recovered { root.restore(recovered.root, revision: recovered.revision) }
    let revision = root.revision
    let recorder = journal.map { _ in
      Recorder(
        revision: revision,
        history: recovered?.history ?? KeptHistory(),
        limits: limits,
        timing: timing,
      )
    }
    let port = TypedRoot(
      root,
      exposures: Deck.exposures,
      limits: limits,
      journal: recorder.map { RootJournal(DurableForm(Deck.State.self), recorder: $0) },
      recovered: recovered,
    ) { event in
      switch event {
      case .joined(let info): .session(id: info.id, isThere: true)
      case .left(let info): .session(id: info.id, isThere: false)
      }
    }
    self.init(
      root,
      port,
      gate: gate,
      recorder: recorder,
      journal: journal,
      epoch: epoch,
      limits: limits,
      timing: timing,
      crashes: crashes,
    )
    guard let recovered else { return }
    server.restore(recovered)
    turn.end()
    // The daemon's own actions are durable before any peer is answered.
    if isStarted, let last = journal?.batches.last?.revisions.upperBound,
      last > recovered.revision
    {
      turn.finish(.durable(through: last))
    }
  }
}

/// A gate at which effects wait until a test opens it.
@MainActor
final class Gate {
  private var waiters: [CheckedContinuation<Void, Never>] = []
  private(set) var waiting = 0
  private(set) var cancelled = 0

  nonisolated init() {}

  func wait() async {
    waiting += 1
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiters.append($0) }
    } onCancel: {
      Task { @MainActor in self.cancel() }
    }
    waiting -= 1
  }

  func open() {
    let waiters = waiters
    self.waiters = []
    for waiter in waiters { waiter.resume() }
  }

  private func cancel() {
    cancelled += 1
    open()
  }
}

// MARK: - The wire

/// Journals store the whole root; clients never see it.
extension Deck.State: DurableState, ReplicatedRecord {
  static let layout = RecordLayout<Self>(
    "Deck",
    [
      .field("counter", \.counter), .field("cards", \.cards), .field("extra", \.extra),
      .field("sessions", \.sessions), .field("secret", \.secret),
    ],
  )
}

extension Deck.Counter: ReplicatedRecord {
  static let layout = RecordLayout<Self>(
    "Counter",
    [.field("count", \.count), .field("numberFactAlert", \.numberFactAlert)],
  )
}

extension Deck.Card: ReplicatedRecord {
  init() { self.init(id: 0, title: "") }

  static let layout = RecordLayout<Self>("Card", [.field("id", \.id), .field("title", \.title)])
}

extension Deck.Extra: ReplicatedRecord {
  static let layout = RecordLayout<Self>("Extra", [.field("text", \.text)])
}

extension Deck.CounterAction: WireChoiceAction {
  static let layout = ActionLayout<Self>(
    "Counter.Action",
    [
      .case("incrementButtonTapped", .incrementButtonTapped),
      .case("decrementButtonTapped", .decrementButtonTapped),
      .case("numberFactButtonTapped", .numberFactButtonTapped),
      .case("asked", "bytes", embed: Self.asked(bytes:)) {
        if case .asked(let bytes) = $0 { bytes } else { nil }
      },
      .case("factOrdered", .factOrdered),
      .case("extraToggled", .extraToggled),
      .case("cardRemoved", "id", embed: Self.cardRemoved(id:)) {
        if case .cardRemoved(let id) = $0 { id } else { nil }
      },
      .case("filled", "bytes", embed: Self.filled(bytes:)) {
        if case .filled(let bytes) = $0 { bytes } else { nil }
      },
    ],
  )
}

extension Deck.CardAction: WireChoiceAction {
  static let layout = ActionLayout<Self>(
    "Card.Action",
    [
      .case("titleChanged", "title", embed: Self.titleChanged(title:)) {
        if case .titleChanged(let title) = $0 { title } else { nil }
      }
    ],
  )
}

extension Deck.ExtraAction: WireChoiceAction {
  static let layout = ActionLayout<Self>(
    "Extra.Action",
    [
      .case("written", "text", embed: Self.written(text:)) {
        if case .written(let text) = $0 { text } else { nil }
      }
    ],
  )
}

extension Deck.Action: CasePathable {
  struct AllCasePaths: Sendable {
    var counter: AnyCasePath<Deck.Action, Deck.CounterAction> {
      AnyCasePath(
        embed: { .counter($0) },
        extract: { if case .counter(let action) = $0 { action } else { nil } },
      )
    }

    var cards: AnyCasePath<Deck.Action, IdentifiedAction<Int, Deck.CardAction>> {
      AnyCasePath(
        embed: { .cards($0) },
        extract: { if case .cards(let action) = $0 { action } else { nil } },
      )
    }

    var extra: AnyCasePath<Deck.Action, Deck.ExtraAction> {
      AnyCasePath(
        embed: { .extra($0) },
        extract: { if case .extra(let action) = $0 { action } else { nil } },
      )
    }
  }

  static var allCasePaths: AllCasePaths { AllCasePaths() }
}
