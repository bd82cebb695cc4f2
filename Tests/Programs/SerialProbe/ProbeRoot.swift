package import StoreActor

/// The root: the probe, a journal of all reduced actions, and the guard around both.
package struct ProbeRoot: Reducer {
  package struct State: Equatable, Sendable {
    package var probe = Probe.State()
    package var journal = Journal()
    @Shared(.store("notes")) package var notes = ProbeNotes()
  }

  /// The reduced actions in order: the entry at index `n` is revision `n + 1`.
  package struct Journal: Equatable, Sendable {
    package var entries: [Probe.Mark] = []

    package init() {}
  }

  package enum Action: Equatable, Sendable {
    case probe(Probe.Action)
  }

  let helpers: ProbeHelpers

  package var body: some ReducerOf<Self> {
    let probe = Probe(helpers: helpers)
    Reduce { [helpers] state, action in
      if !helpers.enter() { state.probe.overlaps += 1 }
      defer { helpers.leave() }
      if !helpers.isOnMainThread { state.probe.offMain += 1 }
      state.probe.reduced += 1
      guard case .probe(let child) = action else { return .none }
      let effect = probe.reduce(into: &state.probe, action: child).map(Action.probe)
      state.journal.entries.append(state.probe.latest)
      return effect
    }
  }
}

/// A root with only notes, which can be kept.
package struct NotesRoot: Reducer {
  @ObservableState
  package struct State: DurableState, Equatable, Sendable {
    @Shared(.store("notes")) package var notes = ProbeNotes()
  }

  package enum Action: Sendable {}

  package var body: some ReducerOf<Self> { EmptyReducer() }
}

extension ProbeRoot.Action: CasePathable {
  package struct AllCasePaths: Sendable {
    package var probe: AnyCasePath<ProbeRoot.Action, Probe.Action> {
      AnyCasePath(
        embed: { .probe($0) },
        extract: { if case .probe(let action) = $0 { action } else { nil } },
      )
    }
  }

  package static var allCasePaths: AllCasePaths { AllCasePaths() }
}

/// The value that the probe's daemon shares with its clients.
package struct ProbeNotes: Equatable, Sendable {
  package var title = "none"
  package var count = 0

  package init() {}

  package init(title: String, count: Int = 0) {
    (self.title, self.count) = (title, count)
  }
}

extension ProbeNotes: ReplicatedRecord {
  package static let layout = RecordLayout<Self>(
    "ProbeNotes",
    [.field("title", \.title), .field("count", \.count)],
  )
}

extension ProbeRoot.Journal: ReplicatedRecord {
  package static let layout = RecordLayout<Self>("Journal", [.field("entries", \.entries)])
}
