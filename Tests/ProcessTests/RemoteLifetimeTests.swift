import CZMQ
import Observation
import SerialProbe
import StoreHistory
import StoreProtocol
import StoreReplica
import StoreServer
import StoreState
import StoredWorkspace
import Testing

@testable import StoreActor
@testable import StoreClient
@testable import ZeroMQ

extension ProcessTests {
  /// Several stores of one connection, and the results of pending waits.
  @Suite("Stores of one connection")
  @MainActor
  struct RemoteLifetimeTests {
    @Test("An observer of a change finds the same revision in all of them")
    func cut() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.serialProbe)
        let connection = try connection(world)
        let probe = try await connection.store("probe", Probe.self)
        let journal = try await connection.store("journal", state: ProbeRoot.Journal.self)
        let seen = Watched((told: 0, torn: [String]()))
        let look: @MainActor @Sendable () -> Void = {
          let pair = (probe.core.state.reduced, journal.core.state.entries.count)
          seen.update { seen in
            seen.told += 1
            if pair.0 != pair.1 { seen.torn.append("\(pair)") }
          }
        }
        let subscriptions = [
          probe.core.observeChanges(look), journal.core.observeChanges(look),
        ]
        for _ in 1...50 { try await probe.send(.poked).applied() }
        #expect(seen.value.told >= 100)
        #expect(seen.value.torn == [])
        for subscription in subscriptions { subscription.cancel() }
        try connection.close()
      }
    }

    @Test("A scope is left when its last store is released, and a new request joins it again")
    func leaving() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.serialProbe)
        let connection = try connection(world)
        connection.linger = .milliseconds(20)
        weak var core: AnyObject?
        for _ in 1...30 {
          let store = try await connection.store("probe", Probe.self)
          core = store.core
        }
        #expect(core == nil)
        while !connection.client.unheldScopes.isEmpty { try await pause(connection) }
        let status = try await connection.status()
        #expect("\(status)".contains("probe") == false)
        let again = try await connection.store("probe", Probe.self)
        #expect(again.reduced == 0)
        try connection.close()
      }
    }

    @Test("Two stores of a scope share one copy of its state")
    func sharing() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.serialProbe)
        let connection = try connection(world)
        let one = try await connection.store("probe", Probe.self)
        let other = try await connection.store("probe", state: Probe.State.self)
        try await one.send(.poked).applied()
        #expect(other.reduced == 1)
        let joined = try await connection.status()
        let cores = (one.core as? RemoteStoreCore<Probe.State, Probe.Action>)?.replica
        #expect(cores === (other.core as? RemoteStoreCore<Probe.State, Never>)?.replica)
        #expect("\(joined)".contains("probe"))
        try connection.close()
      }
    }

    @Test("Closing ends streams, waits and actions, with the known outcomes")
    func closing() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.serialProbe)
        let connection = try connection(world)
        let store = try await connection.store("probe", Probe.self)
        var states = AsyncStream(statesOf: store).makeAsyncIterator()
        _ = await states.next()
        var events = connection.events.makeAsyncIterator()
        let running = store.send(.held(name: "door"))
        try await running.applied()
        let unsent = store.send(.poked)
        try connection.close()
        await #expect(throws: ActionFailure.self) { try await unsent.applied() }
        await running.finish()
        while await states.next() != nil {}
        while await events.next() != nil {}
        var late = connection.events.makeAsyncIterator()
        #expect(await late.next() == nil)
        await #expect(throws: ConnectionError.self) {
          try await connection.connected(within: .seconds(60))
        }
        let error = await #expect(throws: ConnectionError.self) {
          _ = try await connection.store("probe", Probe.self)
        }
        #expect(error?.code == .closed)
        let refused = store.send(.poked)
        let failure = await #expect(throws: ActionFailure.self) { try await refused.applied() }
        #expect(failure?.code == .notSent)
      }
    }

    @Test("A loop that fails ends streams, waits, actions and stores, each with this reason")
    func failedLoop() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.serialProbe)
        let connection = try connection(world)
        let store = try await connection.store("probe", Probe.self)
        var states = AsyncStream(statesOf: store).makeAsyncIterator()
        var outputs = AsyncStream<Probe.Output>(outputsOf: store).makeAsyncIterator()
        var events = connection.events.makeAsyncIterator()
        let running = store.send(.held(name: "door"))
        try await running.applied()
        var isWaiting = false
        let waiting = Task {
          isWaiting = true
          try await connection.pause(for: .seconds(600))
        }
        while !isWaiting { await Task.yield() }
        let unsent = store.send(.poked)
        // From now on every call on the connection's sockets fails.
        zmq_ctx_shutdown(connection.service.turn.transport.control.context.handle)
        while await states.next() != nil {}
        while await outputs.next() != nil {}
        while await events.next() != nil {}
        let failure = await #expect(throws: ActionFailure.self) { try await unsent.applied() }
        #expect(failure?.code == .notSent)
        #expect(failure?.message.contains("The connection's loop failed") == true)
        await running.finish()
        try await waiting.value
        #expect(
          "\(String(describing: StoreEnd(of: store)))".contains("The connection's loop failed")
        )
        let errors = [
          await #expect(throws: ConnectionError.self) {
            try await connection.connected(within: .seconds(600))
          },
          await #expect(throws: ConnectionError.self) {
            _ = try await connection.store("journal", state: ProbeRoot.Journal.self, within: nil)
          },
        ]
        for error in errors {
          #expect(error?.code == .closed)
          #expect(error?.message.contains("The connection's loop failed") == true)
        }
        // The connection is already closed.
        try connection.close()
      }
    }

    @Test("A scope that is absent has no store, and has one when it is present")
    func absent() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        let connection = try connection(world)
        let error = await #expect(throws: ConnectionError.self) {
          _ = try await connection.store("game/results", ResultList.self, within: nil)
        }
        #expect(error?.code == .absent)
        #expect(error?.description.contains("\"game/results\" is absent now") == true)
        #expect(connection.client.unheldScopes == ["game/results"])
        let game = try await connection.store("game", Game.self)
        try await game.send(.resultsButtonTapped).applied()
        let results = try await connection.store("game/results", ResultList.self)
        #expect(results.rows == [] && StoreEnd(of: results) == nil)
        try connection.close()
      }
    }

    @Test("Streams of events that ended, or that have no reader any more, are removed")
    func eventStreams() async throws {
      try await World.run { world in
        let connection = try connection(world)
        @MainActor func isListening() -> Bool {
          connection.eventObservers.removeCancelled()
          connection.endObservers.removeCancelled()
          return !connection.eventObservers.isEmpty || !connection.endObservers.isEmpty
        }
        #expect(!isListening())
        var letGo: AsyncStream<ConnectionEvent>? = connection.events
        #expect(letGo != nil && isListening())
        letGo = nil
        #expect(!isListening())
        let events = connection.events
        let reading = Task { for await _ in events {} }
        reading.cancel()
        await reading.value
        #expect(!isListening())
        let last = connection.events
        #expect(isListening())
        try connection.close()
        for await _ in last {}
        #expect(!isListening())
        for await _ in connection.events {}
        #expect(!isListening())
      }
    }

    @Test("Without a daemon each caller waits for its time limit, and no longer")
    func noDaemon() async throws {
      try await World.run { world in
        let connection = try connection(world)
        connection.actionTimeToLive = .milliseconds(50)
        async let long: Void = connection.connected(within: .seconds(60))
        let short = await #expect(throws: ConnectionError.self) {
          try await connection.connected(within: .milliseconds(20))
        }
        #expect(short?.code == .noDaemon)
        let store = await #expect(throws: ConnectionError.self) {
          _ = try await connection.store("probe", Probe.self, within: .milliseconds(20))
        }
        #expect(store?.code == .noDaemon)
        // The caller with the longer limit still waits, and a daemon that starts now is in time.
        _ = try await world.startDaemon(.serialProbe)
        try await long
        try connection.close()
      }
    }

    @Test("A wait ends when its task is canceled")
    func cancellation() async throws {
      try await World.run { world in
        let connection = try connection(world)
        let waiting = Task { try await connection.store("probe", Probe.self, within: nil) }
        await Task.yield()
        waiting.cancel()
        let error = await #expect(throws: ConnectionError.self) { _ = try await waiting.value }
        #expect(error?.code == .canceled)
        try connection.close()
      }
    }

    @Test("A connection without a holder closes itself")
    func letGo() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.serialProbe)
        weak var gone: StoreConnection?
        do {
          let connection = try connection(world)
          gone = connection
          let store = try await connection.store("probe", Probe.self)
          try await store.send(.poked).applied()
        }
        #expect(await holds { gone == nil })
      }
    }

    @Test("A connection that only a wait for an outcome holds closes itself after the outcome")
    func heldByOutcome() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.serialProbe)
        weak var gone: StoreConnection?
        do {
          let connection = try connection(world)
          gone = connection
          let store = try await connection.store("probe", Probe.self)
          store.send(.poked).whenSettled { [core = store.core] in withExtendedLifetime(core) {} }
        }
        #expect(gone != nil)
        #expect(await holds { gone == nil })
      }
    }

    @Test("An observer of a change may close the connection")
    func closingWhenTold() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.serialProbe)
        let connection = try connection(world)
        let store = try await connection.store("probe", Probe.self)
        let events = connection.events
        let subscription = store.core.observeChanges {
          do { try connection.close() } catch { Issue.record(error) }
        }
        let task = store.send(.poked)
        for await _ in events {}
        #expect(StoreEnd(of: store) != nil)
        let failure = await #expect(throws: ActionFailure.self) { try await task.applied() }
        #expect(failure?.code != .notSent)
        subscription.cancel()
      }
    }

    @Test("A program whose connection was closed continues without it")
    func closingEarly() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.serialProbe)
        let client = try world.start(.closingClient, [world.directory])
        let run = try await world.finish(client)
        #expect(run.isSuccess, "\(run.errorText)")
        #expect(run.output == ["done"])
      }
    }

    @Test("A connection that the daemon refuses is closed, and its streams end")
    func refused() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.serialProbe)
        let name = String(repeating: "n", count: 65)
        let connection = try StoreConnection(
          to: StoreLocation(directory: world.directory),
          name: name,
        )
        var kinds: [ConnectionEvent.Kind] = []
        for await event in connection.events { kinds.append(event.kind) }
        #expect(kinds == [.refused])
        let error = await #expect(throws: ConnectionError.self) {
          try await connection.connected(within: .seconds(60))
        }
        #expect(error?.code == .refused)
      }
    }

    private func connection(_ world: World) throws -> StoreConnection {
      try StoreConnection(to: StoreLocation(directory: world.directory), name: "process tests")
    }

    /// Whether a condition becomes true within ten seconds of a quiet machine.
    private func holds(_ condition: () -> Bool) async -> Bool {
      let deadline = ContinuousClock.now.advanced(by: .seconds(10) * TestPatience.factor)
      while !condition(), ContinuousClock.now < deadline { await Task.yield() }
      return condition()
    }

    /// Gives the connection a turn.
    private func pause(_ connection: StoreConnection) async throws {
      _ = try await connection.status()
    }
  }
}
