import GenericState
import SerialProbe
import StoreClient
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  /// A feature's store in this process, whose state and effects are a daemon's.
  @Suite("A store of another process's feature")
  @MainActor
  struct RemoteStoreTests {
    @Test("When an action is applied the local state includes it")
    func readYourWrites() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.serialProbe)
        try await connected(world) { connection in
          let store = try await connection.store("probe", Probe.self)
          #expect(store.reduced == 0)
          for number in 1...200 {
            let revision = try await store.send(.poked).applied()
            #expect(revision == UInt64(number))
            #expect(store.reduced == number)
          }
        }
      }
    }

    @Test("Actions that are sent at once are applied in their order")
    func order() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.serialProbe)
        try await connected(world) { connection in
          let store = try await connection.store("probe", Probe.self)
          let names = (1...100).map { "hold \($0)" }
          let tasks = names.map { store.send(.held(name: $0)) }
          for name in names { store.send(.released(name: name)) }
          var revisions: [UInt64] = []
          for task in tasks { revisions.append(try await task.applied()) }
          #expect(revisions == Array(1...100))
          // Their effects are tasks of their own, which end in any order.
          for task in tasks { await task.finish() }
          try await store.send(.poked).applied()
          #expect(store.released.sorted() == names.sorted())
          #expect(store.waiting == [])
        }
      }
    }

    @Test("Outputs reach every follower, in order, and after the state that they belong to")
    func outputs() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.serialProbe)
        try await connected(world) { connection in
          let store = try await connection.store("probe", Probe.self)
          let other = try await connection.store("probe", Probe.self)
          var outputs = AsyncStream<Probe.Output>(outputsOf: store).makeAsyncIterator()
          let names = ["door", "gate", "hatch"]
          var expected: [Probe.Output] = []
          var seen: [Probe.Output] = []
          var others = AsyncStream<Probe.Output>(outputsOf: other).makeAsyncIterator()
          for name in names {
            store.send(.held(name: name))
            // The output of a running effect has no revision of its own.
            seen.append(try #require(await outputs.next()))
            #expect(store.waiting == [name])
            store.send(.released(name: name))
            seen.append(try #require(await outputs.next()))
            #expect(store.released.last == name)
            expected.append(Probe.Output(name: name, isWaiting: true))
            expected.append(Probe.Output(name: name, isWaiting: false))
          }
          #expect(seen == expected)
          for output in expected { #expect(await others.next() == output) }
        }
      }
    }

    @Test("storectl prints outputs on request, each after the state that it belongs to")
    func watchedOutputs() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.serialProbe)
        let plain = try await world.watch("probe", "--deltas")
        let watcher = try await world.watch("probe", "--deltas", "--outputs")
        let sender = try world.startClient("--json", "send", "probe", "-")
        sender.write(lines: [#"{"held":{"name":"door"}}"#])
        let began = try await watcher.output.line("the beginning") { $0.contains(#""output""#) }
        #expect(
          began.line
            == #"{"scope":"probe","revision":1,"output":{"name":"door","isWaiting":true}}"#
        )
        sender.write(lines: [#"{"released":{"name":"door"}}"#])
        let ended = try await watcher.output.line("the end") { $0.contains(#""isWaiting":false"#) }
        let lines = try watcher.output.lines.map { try JSONValue(parsing: $0) }
        let index = try #require(lines.firstIndex { $0["output"]?["isWaiting"] == .bool(false) })
        #expect(try JSONValue(parsing: ended.line) == lines[index])
        #expect(lines[index]["revision"] == lines[index - 1]["revision"])
        #expect(lines[index - 1]["delta"] != nil)
        // A watcher without outputs has the same lines otherwise.
        let count = lines.filter { $0["output"] == nil }.count
        #expect(try await plain.output.lines(atLeast: count).allSatisfy { !$0.contains("output") })
      }
    }

    @Test("Finishing an action waits for its effect in the daemon, and no longer")
    func finish() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.serialProbe)
        try await connected(world) { connection in
          let store = try await connection.store("probe", Probe.self)
          let task = store.send(.held(name: "door"))
          try await task.applied()
          #expect(store.waiting == ["door"])
          let finished = Watched(false)
          Task {
            await task.finish()
            finished.update { $0 = true }
          }
          // A round trip of another action: an end of the effect would be known by then.
          try await store.send(.poked).applied()
          #expect(!finished.value)
          store.send(.released(name: "door"))
          try await finished.wait(within: .seconds(10), for: "the end of the effect") {
            $0 ? true : nil
          }
          try await store.send(.poked).applied()
          #expect(store.waiting == [])
          #expect(store.released == ["door"])
        }
      }
    }

    @Test("An effect that ends at once is finished, in any order of its messages")
    func shortEffects() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.serialProbe)
        try await connected(world) { connection in
          let store = try await connection.store("probe", Probe.self)
          for round in 1...100 {
            await store.send(.effectsStarted(tasks: 1, each: 1)).finish()
            // The effect's action may still be on its way; the client's own action follows it.
            try await store.send(.poked).applied()
            #expect(store.senders == round)
          }
        }
      }
    }

    @Test("Cancelling an action's task cancels its effect in the daemon")
    func cancel() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.serialProbe)
        try await connected(world) { connection in
          let store = try await connection.store("probe", Probe.self)
          let one = store.send(.held(name: "one"))
          let other = store.send(.held(name: "other"))
          try await one.applied()
          one.cancel()
          await one.finish()
          #expect(one.isCancelled)
          try await state(of: store, "the cancellation") { $0.cancelled == ["one"] }
          #expect(store.waiting == ["other"])
          // A task that waits for the end passes its cancellation on.
          let waiting = Task { await other.finish() }
          waiting.cancel()
          await waiting.value
          try await state(of: store, "the other cancellation") { $0.waiting == [] }
        }
      }
    }

    @Test("An action that is cancelled before it was sent leaves no effect running")
    func cancelEarly() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.serialProbe)
        try await connected(world) { connection in
          let store = try await connection.store("probe", Probe.self)
          let task = store.send(.held(name: "early"))
          task.cancel()
          // Depending on the daemon's turns, it never begins or sees its cancellation.
          await task.finish()
          try await task.applied()
          let sessions = try await world.answer("--json", "status")["sessions"]?.items
          #expect(sessions?.isEmpty == false)
          #expect(sessions?.allSatisfy { $0["effects"]?.int == 0 } == true)
        }
      }
    }

    @Test("When a client is killed the daemon cancels its effects")
    func lostSession() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.serialProbe, ["1000"])
        try await connected(world) { connection in
          let store = try await connection.store("probe", Probe.self)
          let doomed = try world.startClient("--json", "send", "probe", "-")
          doomed.write(lines: [#"{"held":{"name":"theirs"}}"#])
          let own = store.send(.held(name: "ours"))
          try await state(of: store, "both holds") { $0.waiting == ["theirs", "ours"] }
          doomed.send(signal: SIGKILL)
          try await state(of: store, "the cancellation") { $0.cancelled == ["theirs"] }
          #expect(store.waiting == ["ours"])
          store.send(.released(name: "ours"))
          await own.finish()
          try await store.send(.poked).applied()
          #expect(store.released == ["ours"])
        }
      }
    }

    @Test("A client with other types is refused, and the fields that differ are named")
    func otherSchema() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        try await connected(world) { connection in
          let error = await #expect(throws: ConnectionError.self) {
            _ = try await connection.store("counter", OtherCounter.self)
          }
          #expect(error?.code == .schemaMismatch)
          #expect(error?.code.exitStatus == 65)
          let text = "\(try #require(error))"
          // Only unreadable fields: neither the field with a default nor the daemon's additional
          // ones.
          #expect(
            text.contains("They differ in: Counter.count: text here, int64 there."),
            "\(text)",
          )
          // The connection still works.
          let nameError = await #expect(throws: ConnectionError.self) {
            _ = try await connection.store("countr", OtherCounter.self)
          }
          #expect(nameError?.code == .unknownScope)
          #expect("\(try #require(nameError))".contains("\"counter\""))
        }
        #expect(try await world.get("counter")["count"] == 0)
      }
    }

    @Test("A store of another build's types shows the daemon's state, and sends the common actions")
    func otherBuild() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        try await connected(world) { connection in
          let store = try await connection.store("counter", NewerCounter.self)
          #expect(store.total == 7, "the daemon knows no total")
          try await store.send(.incrementButtonTapped).applied()
          #expect(store.count == 1)
          let failure = await #expect(throws: ActionFailure.self) {
            _ = try await store.send(.resetButtonTapped).applied()
          }
          let text = "\(try #require(failure))"
          #expect(text.contains("does not know the action \"resetButtonTapped\" of \"counter\""))
        }
        #expect(try await world.get("counter")["count"] == 1)
      }
    }

    @Test("A store follows its scope through a restart of the daemon")
    func restart() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon(.serialProbe)
        try await connected(world) { connection in
          let store = try await connection.store("probe", Probe.self)
          var events = connection.events.makeAsyncIterator()
          let hold = store.send(.held(name: "door"))
          try await hold.applied()
          daemon.send(signal: SIGKILL)
          _ = try await daemon.ended()
          _ = try await world.startDaemon(.serialProbe)
          while let event = await events.next(), event.kind != .newEpoch {}
          // The effect ended with the daemon that ran it.
          await hold.finish()
          try await state(of: store, "the new history") { $0.reduced == 0 }
          try await store.send(.poked).applied()
          #expect(store.reduced == 1)
        }
      }
    }

    @Test("A read-only scope is a store as well, without an action to send")
    func readOnly() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.serialProbe)
        try await connected(world) { connection in
          let journal = try await connection.store("journal", state: ProbeRoot.Journal.self)
          let probe = try await connection.store("probe", Probe.self)
          let before = journal.state
          try await probe.send(.poked).applied()
          #expect(journal.state != before)
        }
      }
    }

    private func connected(
      _ world: World,
      _ body: (StoreConnection) async throws -> Void,
    ) async throws {
      let connection = try StoreConnection(
        to: StoreLocation(directory: world.directory),
        name: "process tests",
      )
      do {
        try await connection.connected(within: .seconds(10))
        try await body(connection)
      } catch {
        try connection.close()
        throw error
      }
      try connection.close()
    }

    /// Waits until a store's state satisfies a condition.
    private func state(
      of store: StoreOf<Probe>,
      _ what: String,
      where fits: @escaping @Sendable (Probe.State) -> Bool,
    ) async throws {
      let seen = Watched<Probe.State?>(nil)
      let states = AsyncStream(statesOf: store)
      let follower = Task { for await state in states { seen.update { $0 = state } } }
      defer { follower.cancel() }
      try await seen.wait(within: .seconds(20), for: what) { state in
        state.map(fits) == true ? true : nil
      }
    }
  }
}

/// A counter as another build of a program might have it.
private struct OtherCounter: Reducer {
  struct State: ReplicatedRecord {
    var count = ""
    var total = 0

    static let layout = RecordLayout<Self>(
      "Counter",
      [.field("count", \.count), .field("total", \.total)],
    )
  }

  enum Action: WireChoiceAction, Equatable {
    case incrementButtonTapped

    static let layout = ActionLayout<Self>(
      "Counter.Action",
      [.case("incrementButtonTapped", .incrementButtonTapped)],
    )
  }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

/// The counter in a newer build.
private struct NewerCounter: Reducer {
  struct State: ReplicatedRecord {
    var total = 7
    var count = 0

    static let layout = RecordLayout<Self>(
      "Counter",
      [.field("total", \.total), .field("count", \.count)],
    )
  }

  enum Action: WireChoiceAction, Equatable {
    case resetButtonTapped
    case incrementButtonTapped

    static let layout = ActionLayout<Self>(
      "Counter.Action",
      [
        .case("resetButtonTapped", .resetButtonTapped),
        .case("incrementButtonTapped", .incrementButtonTapped),
      ],
    )
  }

  var body: some ReducerOf<Self> { EmptyReducer() }
}
