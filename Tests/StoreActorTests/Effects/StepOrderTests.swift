import StoreActor
import Testing

@Suite("The order of a step's consequences", .timeLimit(.minutes(1)))
@MainActor
struct StepOrderTests {
  @Test("Random effects reduce, start, cancel and emit in the order of a simple model")
  func random() async {
    var generator = SplitMix(state: 33)
    for _ in 0..<400 {
      let plans = (0..<5).map { number in
        (0...4).contains(number) ? Plan.random(depth: 3, from: number, using: &generator) : .none
      }
      var model = StepModel(plans: plans)
      let log = Log()
      let core = RootCore(initialState: { [Int]() }, reducer: { Planned(plans: plans, log: log) })
      var outputs: [Int] = []
      let subscription = core.observeOutputs {
        if let output = $0.value as? Int { outputs.append(output) }
      }
      for action in [0, 1, 0] {
        let reduced = core.state
        let isRefused = core.send(action, lineage: nil).refusal != nil
        #expect(isRefused == model.send(action))
        if isRefused { #expect(core.state == reduced) }
        #expect(core.state == model.reduced)
        #expect(outputs == model.outputs)
        #expect(log.all == model.started)
        #expect(core.registry.count == model.running.count)
      }
      subscription.cancel()
      core.cancelEffects()
    }
  }
}

/// The effect of an action.
private indirect enum Plan: Sendable {
  case none
  case send(Int)
  /// Work that begins synchronously, and runs until it is cancelled.
  case work(Int, id: Int, cancelInFlight: Bool)
  case cancel(Int)
  case output(Int)
  case refuse
  case merge([Plan])
  case concatenate([Plan])

  static func random(
    depth: Int,
    from action: Int,
    using generator: inout some RandomNumberGenerator,
  ) -> Plan {
    let isLeaf = depth == 0 || Bool.random(using: &generator)
    switch Int.random(in: isLeaf ? 2...11 : 0...1, using: &generator) {
    case 0, 1:
      let parts = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
        random(depth: depth - 1, from: action, using: &generator)
      }
      // A part after work begins when the work has ended, which no work does here.
      let isSequence =
        Bool.random(using: &generator) && !parts.dropLast().contains(where: \.hasWork)
      return isSequence ? .concatenate(parts) : .merge(parts)
    case 2, 3, 4:
      // Only later actions follow, so that a step ends.
      return action < 4 ? .send(Int.random(in: (action + 1)...4, using: &generator)) : .none
    case 5, 6, 7:
      return .work(
        Int.random(in: 0...99, using: &generator),
        id: Int.random(in: 0...1, using: &generator),
        cancelInFlight: Bool.random(using: &generator),
      )
    case 8: return .cancel(Int.random(in: 0...1, using: &generator))
    case 9, 10: return .output(Int.random(in: 0...99, using: &generator))
    default: return Int.random(in: 0...2, using: &generator) == 0 ? .refuse : .none
    }
  }

  func effect(_ log: Log) -> Effect<Int> {
    switch self {
    case .none: .none
    case .send(let action): .send(action)
    case .work(let tag, let id, let cancelInFlight):
      Effect(.source(EffectSource { _ in log("\(tag)") }))
        .cancellable(id: id, cancelInFlight: cancelInFlight)
    case .cancel(let id): .cancel(id: id)
    case .output(let tag): .output(tag)
    case .refuse: .refuse("No.")
    case .merge(let parts): .merge(parts.map { $0.effect(log) })
    case .concatenate(let parts): .concatenate(parts.map { $0.effect(log) })
    }
  }

  /// Whether it begins work.
  var hasWork: Bool {
    switch self {
    case .work: true
    case .merge(let parts), .concatenate(let parts): parts.contains(where: \.hasWork)
    default: false
    }
  }

  /// Whether a refusal absorbs it.
  var isRefusal: Bool {
    switch self {
    case .refuse: true
    case .merge(let parts), .concatenate(let parts): parts.contains(where: \.isRefusal)
    default: false
    }
  }
}

private struct Planned: Reducer {
  let plans: [Plan]
  let log: Log

  func reduce(into state: inout [Int], action: Int) -> Effect<Int> {
    state.append(action)
    return plans[action].effect(log)
  }
}

/// The expected consequences: the effects of an action are performed before the next action is
/// reduced, and a refused step has none.
private struct StepModel {
  let plans: [Plan]
  var reduced: [Int] = []
  var outputs: [Int] = []
  var started: [String] = []
  /// The work that runs: its id, and a number.
  var running: [(id: Int, number: Int)] = []
  private var pending: [(tag: Int, id: Int, number: Int)] = []
  private var queue: [Int] = []
  private var nextNumber = 0

  init(plans: [Plan]) { self.plans = plans }

  /// - Returns: Whether the action is refused.
  mutating func send(_ action: Int) -> Bool {
    let before = self
    queue = [action]
    while !queue.isEmpty {
      let next = queue.removeFirst()
      reduced.append(next)
      if plans[next].isRefusal {
        self = before
        return true
      }
      _ = perform(plans[next])
    }
    for work in pending where running.contains(where: { $0.number == work.number }) {
      started.append("\(work.tag)")
    }
    pending = []
    return false
  }

  /// - Returns: Whether it ends at once.
  private mutating func perform(_ plan: Plan) -> Bool {
    switch plan {
    case .none, .refuse: return true
    case .send(let action):
      queue.append(action)
      return true
    case .work(let tag, let id, let cancelInFlight):
      if cancelInFlight { running.removeAll { $0.id == id } }
      nextNumber += 1
      running.append((id, nextNumber))
      pending.append((tag, id, nextNumber))
      return false
    case .cancel(let id):
      running.removeAll { $0.id == id }
      return true
    case .output(let tag):
      outputs.append(tag)
      return true
    case .merge(let parts):
      var isOver = true
      for part in parts where !perform(part) { isOver = false }
      return isOver
    case .concatenate(let parts):
      var isOver = true
      for part in parts where !perform(part) { isOver = false }
      return isOver
    }
  }
}

private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
