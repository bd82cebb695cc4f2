import CZMQ
import Foundation
import StoreActor
import StoreJournal
import StoreState
import Testing

@testable import StoreDaemon
@testable import StoreExposures
@testable import StoreHistory
@testable import StoreServer
@testable import ZeroMQ

@MainActor
@Suite struct StoreHostTests {
  @Test("A second daemon and a directory that cannot be created are distinct errors")
  func codes() {
    #expect(HostError.Code.alreadyRunning != .cannotCreate)
    #expect(HostError.Code.alreadyRunning.exitStatus == HostError.Code.cannotCreate.exitStatus)
  }

  @Test func `A journal that another start may open is distinguished from one that no start can`() {
    let codes: [(JournalError.Code, HostError.Code)] = [
      (.full, .tryAgain), (.busy, .tryAgain), (.system, .system), (.corrupt, .cannotCreate),
      (.newer, .cannotCreate), (.foreign, .cannotCreate), (.fenced, .tryAgain),
      (.unreadable, .system),
    ]
    for (journal, host) in codes {
      let error = HostError(JournalError(journal, "why"))
      #expect(error.code == host && error.message == "why")
    }
  }

  @Test("A daemon that exposes two scopes under one name does not start, and names it")
  func repeatedNames() {
    let host = StoreHost(
      initialState: Feature.State(),
      exposures: [
        Expose("one", state: \Feature.State.count),
        Expose("one", state: \.count),
      ],
      configuration: HostConfiguration(directory: "/nowhere"),
    ) {
      Feature()
    }
    let error = #expect(throws: HostError.self) { try host.start() }
    #expect(error?.code == .usage)
    #expect(error?.message.contains("\"one\"") == true)
  }

  @Test(
    "A daemon whose scope has an invalid name does not start",
    arguments: ["", "my scope!"],
  )
  func impossibleNames(_ name: String) {
    let host = StoreHost(
      initialState: Feature.State(),
      exposures: [Expose(name, state: \Feature.State.count)],
      configuration: HostConfiguration(directory: "/nowhere"),
    ) {
      Feature()
    }
    let error = #expect(throws: HostError.self) { try host.start() }
    #expect(error?.code == .usage)
    #expect(error?.message.contains("\"\(name)\"") == true)
    #expect(error?.remedy.contains("letters, digits") == true)
  }

  private func host(in directory: URL) -> StoreHost<Kept.State, Kept.Action> {
    var configuration = HostConfiguration(directory: directory.path)
    configuration.data = directory.appending(path: "data").path
    return StoreHost(initialState: Kept.State(), exposures: [], configuration: configuration) {
      Kept()
    }
  }

  @Test func `A daemon that runs does not replay, and one that has replayed does not run`()
    throws
  {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "host-\(UInt32.random(in: 0 ... .max))")
    defer { try? FileManager.default.removeItem(at: directory) }
    let host = host(in: directory)
    try host.start()
    let running = #expect(throws: HostError.self) { try host.replay() }
    #expect(running?.code == .usage)
    host.store.send(.counted)
    #expect(host.store.count == 1)
    host.stop()
    let other = self.host(in: directory)
    _ = #expect(throws: HostError.self) { try other.replay(from: 99) }
    let replayed = #expect(throws: HostError.self) { try other.start() }
    #expect(replayed?.code == .usage)
    #expect(replayed?.message.contains("has replayed") == true)
  }

  @Test func `A daemon's values shared by keys are its own after a restart`() async throws {
    try await withDirectory { directory in
      let (all, part) = (directory.appending(path: "all"), directory.appending(path: "part"))
      try await sharesItsOwn(all, Sharing(), .counted, \.$count)
      try await sharesItsOwn(part, Forgetting(), .counted, \.$count)
    }
  }

  private func sharesItsOwn<R: Reducer>(
    _ directory: URL,
    _ reducer: R,
    _ action: R.Action,
    _ count: KeyPath<R.State, Shared<Int>>,
  ) async throws where R.State: DurableState & Initialisable, R.Action: Sendable {
    var configuration = HostConfiguration(directory: directory.path)
    configuration.data = directory.appending(path: "data").path
    for run in 1...3 {
      let own = InMemoryStorage()
      let host = StoreHost(
        initialState: R.State(),
        exposures: [],
        configuration: configuration,
        withDependencies: { $0.defaultInMemoryStorage = own },
        reducer: { reducer },
      )
      let problem = try await withCheckedThrowingContinuation { continuation in
        do {
          try host.start { continuation.resume(returning: $0) }
        } catch {
          continuation.resume(throwing: error)
        }
        host.store.send(action)
        let shared = withDependencies {
          $0.defaultInMemoryStorage = own
        } operation: {
          Shared(wrappedValue: 0, .inMemory("count"))
        }
        #expect(shared.wrappedValue == run)
        #expect(host.core.state[keyPath: count].wrappedValue == run)
        host.stop()
      }
      #expect(problem == nil)
      @Shared(.inMemory("count")) var everybodys = 0
      #expect(everybodys == 0)
    }
  }

  @Test func `A store that was used before its daemon first started is kept from there on`()
    async throws
  {
    try await withDirectory { directory in
      for run in 1...3 {
        let host = host(in: directory)
        if run == 1 { for _ in 1...2 { host.store.send(.counted) } }
        let problem = try await withCheckedThrowingContinuation { continuation in
          do {
            try host.start { continuation.resume(returning: $0) }
          } catch {
            continuation.resume(throwing: error)
          }
          host.store.send(.counted)
          #expect(host.store.count == run + 2)
          host.stop()
        }
        #expect(problem == nil, "run \(run)")
      }
    }
  }

  private func withDirectory(_ body: (URL) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "host-\(UInt32.random(in: 0 ... .max))")
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(directory)
  }

  @Test func `A daemon whose sockets cannot be opened lets go of its store and its data`()
    async throws
  {
    try await withDirectory { directory in
      let host = host(in: directory)
      // At the socket's path there is a folder.
      try FileManager.default.createDirectory(
        at: directory.appending(path: "ctl/taken"),
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700],
      )
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o700],
        ofItemAtPath: directory.path,
      )
      let error = #expect(throws: HostError.self) { try host.start() }
      #expect(error?.code == .cannotCreate)
      host.store.send(.counted)
      #expect(host.store.count == 1)
      try FileManager.default.removeItem(at: directory.appending(path: "ctl"))
      try host.start()
      host.store.send(.counted)
      host.stop()
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `A daemon whose main loop fails closes everything, and reports the reason`() async throws {
    try await withDirectory { directory in
      let host = host(in: directory)
      let error = try await withCheckedThrowingContinuation { continuation in
        do {
          try host.start { continuation.resume(returning: $0) }
        } catch {
          continuation.resume(throwing: error)
        }
        for socket in host.service?.sockets ?? [] { zmq_ctx_shutdown(socket.context.handle) }
        host.store.send(.counted)
      }
      #expect(error?.message.contains("The main loop failed") == true)
      #expect(host.service == nil)
      host.store.send(.counted)
      // Another host can have the data and the lock.
      let next = self.host(in: directory)
      let problem = try await withCheckedThrowingContinuation { continuation in
        do {
          try next.start { continuation.resume(returning: $0) }
        } catch {
          continuation.resume(throwing: error)
        }
        next.stop()
      }
      #expect(problem == nil)
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `A daemon whose connections cannot be guarded any more ends, with the reason`() async throws
  {
    try await withDirectory { directory in
      let host = host(in: directory)
      let error = try await withCheckedThrowingContinuation { continuation in
        do {
          try host.start { continuation.resume(returning: $0) }
        } catch {
          continuation.resume(throwing: error)
        }
        let failure = ZeroMQError(code: EINVAL, operation: "wait for", subject: "3 items")
        host.service?.transport.sockets.onFailure(failure)
      }
      #expect(error?.code == .system && error?.code.exitStatus == 71)
      #expect(error?.message.contains("cannot be guarded any more") == true)
      #expect(host.service == nil)
    }
  }

  /// Runs a daemon for a while.
  private func run<State, Action>(
    _ host: StoreHost<State, Action>,
    _ body: (Store<State, Action>) -> Void,
  ) async throws {
    let problem = try await withCheckedThrowingContinuation { continuation in
      do {
        try host.start { continuation.resume(returning: $0) }
      } catch {
        continuation.resume(throwing: error)
      }
      body(host.store)
      host.stop()
    }
    #expect(problem == nil)
  }

  private func tallyHost<State: Tallying>(
    _: State.Type,
    in path: String,
  ) -> StoreHost<State, TallyAction> {
    var configuration = HostConfiguration(directory: path)
    configuration.data = "\(path)/data"
    return StoreHost(initialState: State(), exposures: [], configuration: configuration) {
      Tally<State>()
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `Without a snapshot a daemon continues from the initial state on request`() async throws {
    try await withDirectory { directory in
      @MainActor func host(_ isTold: Bool) -> StoreHost<Kept.State, Kept.Action> {
        var configuration = HostConfiguration(directory: directory.path)
        configuration.data = directory.appending(path: "data").path
        configuration.beginsWithInitialState = isTold
        return StoreHost(initialState: Kept.State(), exposures: [], configuration: configuration) {
          Kept()
        }
      }
      // The history is intact, so the setting has no effect.
      try await run(host(true)) { store in for _ in 0..<3 { store.send(.counted) } }
      let snapshots = directory.appending(path: "data/snapshots")
      for url in try FileManager.default.contentsOfDirectory(
        at: snapshots,
        includingPropertiesForKeys: nil,
      ) {
        try Data([1]).write(to: url)
      }
      let refused = #expect(throws: HostError.self) { try host(false).start() }
      #expect(refused?.code == .cannotCreate)
      #expect(refused?.message.contains("--from-initial-state") == true)
      try await run(host(true)) { store in
        #expect(store.count == 3)
        store.send(.counted)
      }
      // It has a snapshot again.
      try await run(host(false)) { store in #expect(store.count == 4) }
    }
  }

  @Test func `A state that is kept in memory has no records to begin with`() {
    var configuration = HostConfiguration(directory: "/nowhere")
    configuration.beginsWithInitialState = true
    let host = StoreHost(
      initialState: Kept.State(),
      exposures: [],
      configuration: configuration,
    ) {
      Kept()
    }
    let error = #expect(throws: HostError.self) { try host.start() }
    #expect(error?.code == .usage && error?.remedy.contains("--from-initial-state") == true)
  }

  @Test(.timeLimit(.minutes(1)))
  func `The first start of another build keeps a snapshot in its own form, before any record`()
    async throws
  {
    try await withDirectory { directory in
      try await run(tallyHost(EarlierTally.self, in: directory.path)) { store in
        for _ in 0..<3 { store.send(.counted) }
      }
      try await run(tallyHost(LaterTally.self, in: directory.path)) { store in
        #expect(store.count == 3)
        store.send(.counted)
        #expect(store.total == 1)
      }
      let form = DurableForm(LaterTally.self)
      let file = try JournalDirectory(
        directory: "\(directory.path)/data",
        root: form.name,
        schema: form.schema,
        durability: .full,
        epoch: 1,
      )
      #expect(file.opening.isSameBuild)
      // All records are the new build's, so the old build's types are no longer needed.
      let recovery = Recovery(form, initial: LaterTally())
      var schemas: [SchemaDocument] = []
      var snapshots = 0
      _ = try file.read { part throws(CodecError) in
        switch part {
        case .build(let schema): schemas.append(schema)
        case .snapshot(let bytes):
          snapshots += 1
          try recovery.take(snapshot: bytes[...])
          #expect(recovery.revision == 3)
        case .records(let bytes, _): try recovery.take(records: bytes[...])
        }
      }
      try file.close()
      #expect(schemas == [form.schema])
      #expect(snapshots == 1)
      let root = recovery.finish().root
      #expect(root.count == 4 && root.total == 1)
    }
  }

  @Test func `A daemon does not start with forgetful types, and names the right declaration`()
    async throws
  {
    try await withDirectory { directory in
      let error = refusal(of: Feature(), Feature.State(), keptIn: directory)
      #expect(error?.code == .usage)
      #expect(error?.message.contains("it is not DurableState") == true)
      #expect(error?.remedy.contains("Declare that conformance") == true)
      let path = directory.appending(path: "data/log").path
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func `A state that shares a value without a key is refused, and the error names the value`()
    async throws
  {
    try await withDirectory { directory in
      let error = refusal(of: Unkeyed(), Unkeyed.State(), keptIn: directory)
      #expect(error?.code == .usage)
      #expect(error?.message.contains("Unkeyed.count") == true, "\(error?.message ?? "")")
      #expect(error?.remedy.contains("a key") == true)
    }
  }

  /// The reason why a daemon of a feature refuses to keep its state on disk.
  private func refusal<Feature: Reducer>(
    of feature: Feature,
    _ state: Feature.State,
    keptIn directory: URL,
  ) -> HostError? where Feature.State: Sendable, Feature.Action: Sendable {
    var configuration = HostConfiguration(directory: directory.path)
    configuration.data = directory.appending(path: "data").path
    let host = StoreHost(initialState: state, exposures: [], configuration: configuration) {
      feature
    }
    return #expect(throws: HostError.self) { try host.start() }
  }

  // MARK: Tests that are written

  @Test func `A test expects the counts of checked and unchecked revisions`() throws {
    var report = ReplayReport()
    report.check([])
    report.pass(over: "a \"quoted\" action", "it has no form")
    let text = ReplayTest().text("Played", 1...2, root: "App.Feature.State", report)
    #expect(text.contains("#expect(report.checked == 1, "))
    #expect(text.contains(#""a \"quoted\" action: it has no form": 1,"#))
  }

  @Test func `A test without the action for its journal's data is refused`() throws {
    var test = ReplayTest()
    var report = ReplayReport()
    try test.check(report)
    report.hasSessionActions = true
    let error = #expect(throws: HostError.self) { try test.check(report) }
    #expect(error?.code == .usage)
    #expect(error?.remedy.contains("ReplayTest.sessionAction") == true)
    test.sessionAction = "App.action(for:)"
    try test.check(report)
    report.hasRestoredActions = true
    #expect(throws: HostError.self) { try test.check(report) }
    report.hasRestoredActions = false
    report.difference = ReplayReport.Difference(
      revision: 7,
      cause: "tapped",
      path: "$.count",
      recorded: "1",
      now: "2",
      read: [],
    )
    #expect(throws: HostError.self) { try test.check(report) }
  }
}

private protocol Initialisable {
  init()
}

/// A count that is shared by a key.
private struct Sharing: Reducer {
  @ObservableState
  struct State: DurableState, Equatable, Initialisable, Sendable {
    @Shared(.inMemory("count")) var count = 0

    init() {}
  }

  enum Action: Sendable { case counted }

  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.$count.withLock { $0 += 1 }
      return .none
    }
  }
}

/// A count that is shared by a key, beside one that starts at zero with each start.
private struct Forgetting: Reducer {
  @ObservableState
  struct State: DurableState, Equatable, Initialisable, Sendable {
    @Shared(.inMemory("count")) var count = 0
    @DurableIgnored var taps = 0

    init() {}
  }

  enum Action: Sendable { case counted }

  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.$count.withLock { $0 += 1 }
      state.taps += 1
      return .none
    }
  }
}

/// A count that is shared without a key.
private struct Unkeyed: Reducer {
  @ObservableState
  struct State: DurableState, Equatable, Sendable {
    @Shared var count: Int

    init() { _count = Shared(value: 0) }
  }

  enum Action: Sendable { case counted }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

/// A state that counts.
private protocol Tallying: DurableState, Initialisable {
  mutating func increment()
}

private enum TallyAction: Sendable { case counted }

private struct Tally<State: Tallying>: Reducer {
  var body: some Reducer<State, TallyAction> {
    Reduce { state, _ in
      state.increment()
      return .none
    }
  }
}

private struct EarlierTally: ReplicatedRecord, Tallying, Equatable {
  var count = 0

  mutating func increment() { count += 1 }

  static let layout = RecordLayout<Self>("Tally", [.field("count", \.count)])
}

/// The same in a later build, which has a second counter.
private struct LaterTally: ReplicatedRecord, Tallying, Equatable {
  var count = 0
  var total = 0

  mutating func increment() {
    count += 1
    total += 1
  }

  static let layout = RecordLayout<Self>(
    "Tally",
    [.field("count", \.count), .field("total", \.total)],
  )
}

private struct Kept: Reducer {
  @ObservableState
  struct State: DurableState, Equatable, Sendable {
    var count = 0
  }

  enum Action: Sendable { case counted }

  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.count += 1
      return .none
    }
  }
}

private struct Feature: Reducer {
  struct State: Equatable, Sendable {
    var count = 0
  }

  enum Action: Sendable {}

  var body: some ReducerOf<Self> { EmptyReducer() }
}
