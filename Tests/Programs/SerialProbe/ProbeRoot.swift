import StoreActor

/// The root: the probe, a journal of everything that was reduced, and the guard around both.
struct ProbeRoot: Reducer {
  struct State: Equatable, Sendable {
    var probe = Probe.State()
    var journal = Journal()
  }

  /// What was reduced, in order: the entry at index `n` is revision `n + 1`.
  struct Journal: Equatable, Sendable {
    var entries: [Probe.Mark] = []
  }

  enum Action: Equatable, Sendable {
    case probe(Probe.Action)
  }

  let helpers: ProbeHelpers

  var body: some ReducerOf<Self> {
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

extension ProbeRoot.Action: CasePathable {
  struct AllCasePaths: Sendable {
    var probe: AnyCasePath<ProbeRoot.Action, Probe.Action> {
      AnyCasePath(
        embed: { .probe($0) },
        extract: { if case .probe(let action) = $0 { action } else { nil } },
      )
    }
  }

  static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension ProbeRoot.Journal: ReplicatedRecord {
  static let layout = RecordLayout<Self>("Journal", [.field("entries", \.entries)])
}
