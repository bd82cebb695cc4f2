import StoreActor
import Testing

@Suite("The start of effects", .timeLimit(.minutes(1)))
@MainActor
struct DeferredEffectTests {
  /// An effect that logs at its start, so that a test observes the time of the start.
  private nonisolated static func note(_ line: String, _ log: Log) -> Effect<Int> {
    Effect(
      .source(
        EffectSource { sink in
          log(line)
          sink.finish()
        }
      )
    )
  }

  private func core(
    defersEffects: Bool = true,
    _ effect: @escaping (Int) -> Effect<Int>,
  ) -> RootCore<[Int], Int> {
    let core = RootCore(
      initialState: { [Int]() },
      reducer: {
        Reduce<[Int], Int> { state, action in
          state.append(action)
          return effect(action)
        }
      },
    )
    core.defersEffects = defersEffects
    return core
  }

  @Test("Unless they are deferred, effects have started when send returns")
  func notDeferred() {
    let log = Log()
    let core = core(defersEffects: false) { Self.note("\($0)", log) }
    core.send(1)
    #expect(log.all == ["1"])
    #expect(!core.hasRunningEffects)
  }

  @Test("Deferred effects wait for their revision, and start in the order of revisions")
  func waitForRevision() {
    let log = Log()
    let core = core { .merge(Self.note("\($0) a", log), Self.note("\($0) b", log)) }
    for action in 1...3 { core.send(action) }
    #expect(core.state == [1, 2, 3])
    #expect(log.all.isEmpty)
    core.startEffects(through: 2)
    #expect(log.all == ["1 a", "1 b", "2 a", "2 b"])
    core.startEffects(through: 2)
    #expect(log.all.count == 4)
    core.startEffects(through: 3)
    #expect(log.all.suffix(2) == ["3 a", "3 b"])
    #expect(!core.hasRunningEffects)
  }

  @Test("An action that an effect sends at its start has its own revision, and its effects wait")
  func effectsOfEffects() {
    let log = Log()
    let core = core { action in
      guard action == 1 else { return Self.note("\(action)", log) }
      return Effect(
        .source(
          EffectSource { sink in
            sink.send(2)
            sink.finish()
          }
        )
      )
    }
    core.send(1)
    core.startEffects(through: 1)
    #expect(core.state == [1, 2])
    #expect(log.all.isEmpty)
    core.startEffects(through: 2)
    #expect(log.all == ["2"])
  }

  @Test("An effect that waits to start counts as running for its waiters")
  func countsAsUnderWay() async {
    let core = core { _ in .run { _ in } }
    let task = core.send(1)
    let calls = LockIsolated(0)
    task.whenFinished { calls.withValue { $0 += 1 } }
    await Task.megaYield()
    #expect(!task.isFinished)
    #expect(core.hasRunningEffects)
    #expect(calls.value == 0)
    core.startEffects(through: 1)
    await task.finish()
    await eventually { calls.value == 1 && !core.hasRunningEffects }
  }

  enum End: CaseIterable {
    case id
    case task
    case waiter
    case effects
    case store
  }

  @Test("Work that is cancelled before its start never starts, and its waiters are released")
  func cancelledBeforeStart() async {
    for end in End.allCases {
      let log = Log()
      var core: RootCore<[Int], Int>? = core { action in
        guard action == 1 else { return .cancel(id: "work") }
        return .merge(
          .run { _ in log("ran") }.cancellable(id: "work"),
          Self.note("began", log).cancellable(id: "work"),
          .concatenate(.run { _ in log("ran") }, Self.note("next", log)).cancellable(id: "work"),
        )
      }
      let task = core?.send(1)
      let waiter = Task { await task?.finish() }
      await Task.megaYield()
      switch end {
      case .id: core?.send(2)
      case .task: task?.cancel()
      case .waiter: waiter.cancel()
      case .effects: core?.cancelEffects()
      case .store: core = nil
      }
      await waiter.value
      #expect(task?.isFinished == true, "\(end)")
      core?.startEffects(through: 1)
      await Task.megaYield()
      #expect(log.all.isEmpty, "\(end)")
      #expect(core?.hasRunningEffects != true, "\(end)")
    }
  }

  @Test("Work that another thread cancels before its start never starts")
  func cancelledFromElsewhere() async {
    let log = Log()
    let core = core { _ in .run { _ in log("ran") } }
    let task = core.send(1)
    await Task { @concurrent in task.cancel() }.value
    await task.finish()
    core.startEffects(through: 1)
    await Task.megaYield()
    #expect(log.all.isEmpty)
    #expect(!core.hasRunningEffects)
  }

  @Test("The next part of a chain starts after the previous one, if its revision is released")
  func chains() async {
    let log = Log()
    let core = core { action in
      guard action == 1 else { return .none }
      let (second, third) = (Self.note("second", log), Self.note("third", log))
      return .concatenate(.run { _ in }, second, .send(2), third)
    }
    let task = core.send(1)
    core.startEffects(through: 1)
    await eventually { core.revision == 2 }
    #expect(log.all == ["second"])
    #expect(!task.isFinished)
    core.startEffects(through: 2)
    #expect(log.all == ["second", "third"])
    #expect(task.isFinished)
  }

  @Test("Effects that are no longer deferred start at once")
  func deferringEnds() {
    let log = Log()
    let core = core { Self.note("\($0)", log) }
    core.send(1)
    core.defersEffects = false
    #expect(log.all == ["1"])
    core.send(2)
    #expect(log.all == ["1", "2"])
  }

  @Test("Effects start in the order of their actions, even if one sends at its start")
  func orderOfStarts() {
    let log = Log()
    let core = core(defersEffects: false) { action in
      guard action == 1 else { return Self.note("effect of \(action)", log) }
      let sending = Effect<Int>(
        .source(
          EffectSource { sink in
            sink.send(2)
            log("sent")
            sink.finish()
          }
        )
      )
      return .merge(sending, Self.note("second of 1", log))
    }
    core.send(1)
    #expect(log.all == ["sent", "second of 1", "effect of 2"])
  }

  @Test("Cancelling an action ends its chain, even if a part of it stops at once")
  func cancelledChain() {
    let log = Log()
    let core = core(defersEffects: false) { action in
      guard action == 1 else { return .none }
      let never = Effect<Int>(.source(EffectSource { _ in }))
      return .concatenate(never, Self.note("next part", log), .send(2))
    }
    core.send(1).cancel()
    core.send(1)
    core.cancelEffects()
    #expect(log.all.isEmpty)
    #expect(core.revision == 2)
  }

  @Test("The part that follows a cancelled part of a chain starts after the commit")
  func cancelledPart() {
    let log = Log()
    let core = core(defersEffects: false) { action in
      log("reduce \(action)")
      switch action {
      case 1:
        let never = Effect<Int>(.source(EffectSource { _ in })).cancellable(id: "part")
        return .concatenate(never, Self.note("next part", log))
      case 2: return .merge(.cancel(id: "part"), .send(3))
      default: return .none
      }
    }
    core.onCommit = { revision, _, _ in log("commit \(revision)") }
    core.send(1)
    core.send(2)
    let expected = ["reduce 1", "commit 1", "reduce 2", "reduce 3", "commit 2", "next part"]
    #expect(log.all == expected)
  }
}
