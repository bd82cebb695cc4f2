package import StoreActor

/// Starts many senders at once, and counts violations of the order.
package struct Probe: Reducer {
  package struct State: Equatable, Sendable {
    /// Reducer calls that began before another one had ended.
    package var overlaps = 0
    /// Reducer calls outside of the process's main thread.
    package var offMain = 0
    /// All reducer calls.
    package var reduced = 0
    /// Actions that arrived before an earlier one of the same sender, or twice.
    package var disorders = 0
    /// Senders of either kind that have sent everything.
    package var senders = 0
    /// Senders of the root store whose revisions did not grow from one action to the next.
    package var revisionDisorders = 0
    /// The action that made this state.
    package var latest = Mark()
    /// The last number of each sender.
    package var numbers: [Int: Int] = [:]
    /// The holds that wait, that were released, and that were cancelled.
    package var waiting: Set<String> = []
    package var released: [String] = []
    package var cancelled: [String] = []

    package init() {}
  }

  /// A sender and the number of its action; sender 0 stands for the clients.
  package struct Mark: Equatable, Sendable {
    package var sender = 0
    package var number = 0

    package init() {}

    package init(sender: Int, number: Int) {
      self.sender = sender
      self.number = number
    }
  }

  package enum Action: Equatable, Sendable {
    /// Starts `tasks` effect tasks, each of which sends `each` actions.
    case effectsStarted(tasks: Int, each: Int)
    /// Starts `senders` tasks that each send `each` actions through the root store's actor.
    case sendersStarted(senders: Int, each: Int)
    /// Starts an effect that lasts until it is released or cancelled.
    case held(name: String)
    case released(name: String)
    /// Only counts.
    case poked
    /// Keeps the main thread busy for a time; standard output reports its begin and its end.
    case threadBlocked(milliseconds: Int)
    case sent(Mark)
    case senderEnded(Mark, inOrder: Bool)
    case holdEnded(name: String)
    case holdCancelled(name: String)
  }

  /// Reports that a hold began to wait, or was released.
  package struct Output: Equatable, Sendable {
    package var name = ""
    package var isWaiting = false

    package init() {}

    package init(name: String, isWaiting: Bool) {
      self.name = name
      self.isWaiting = isWaiting
    }
  }

  private let helpers: ProbeHelpers

  package init(helpers: ProbeHelpers) {
    self.helpers = helpers
  }

  package var body: some ReducerOf<Self> {
    Reduce { state, action in
      state.latest = Self.mark(of: action)
      switch action {
      case .effectsStarted(let tasks, let each): return effects(tasks, each)
      case .sendersStarted(let senders, let each): return storeSenders(senders, each)
      case .held(let name):
        state.waiting.insert(name)
        return hold(name)
      case .released(let name):
        helpers.release(name)
        return .none
      case .poked: return .none
      case .threadBlocked(let milliseconds):
        helpers.block(for: .milliseconds(milliseconds))
        return .none
      case .sent(let mark):
        if state.numbers[mark.sender, default: 0] + 1 != mark.number { state.disorders += 1 }
        state.numbers[mark.sender] = mark.number
        return .none
      case .senderEnded(_, let inOrder):
        state.senders += 1
        if !inOrder { state.revisionDisorders += 1 }
        return .none
      case .holdEnded(let name):
        state.waiting.remove(name)
        state.released.append(name)
        return .output(Output(name: name, isWaiting: false))
      case .holdCancelled(let name):
        state.waiting.remove(name)
        state.cancelled.append(name)
        return .none
      }
    }
  }

  private static func mark(of action: Action) -> Mark {
    switch action {
    case .sent(let mark), .senderEnded(let mark, _): mark
    default: Mark()
    }
  }

  private func effects(_ tasks: Int, _ each: Int) -> Effect<Action> {
    .merge(
      (1...max(1, tasks)).map { sender in
        .run { send in
          for number in 1...max(1, each) {
            await send(.sent(Mark(sender: sender, number: number)))
          }
          await send(.senderEnded(Mark(sender: sender, number: each + 1), inOrder: true))
        }
      }
    )
  }

  /// Senders from 1001 on: those up to 1000 are effects.
  private func storeSenders(_ senders: Int, _ each: Int) -> Effect<Action> {
    .run { [helpers] _ in
      await withTaskGroup { group in
        for sender in 1...max(1, senders) {
          group.addTask { await helpers.send(each, from: 1000 + sender) }
        }
      }
    }
  }

  private func hold(_ name: String) -> Effect<Action> {
    // Created here, not in the effect: the release may precede the effect's begin.
    let stream = helpers.hold(name)
    return .run { [helpers] send in
      await send.output(Output(name: name, isWaiting: true))
      for await _ in stream { return await send(.holdEnded(name: name)) }
      // A cancelled effect cannot send any more.
      await helpers.root.value?.send(.probe(.holdCancelled(name: name)))
    }
  }
}
