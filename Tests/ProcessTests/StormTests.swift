import Foundation
import GenericState
import StoreProtocol
import StoreReplica
import StoreState
import Synchronization
import Testing

extension ProcessTests {
  /// All known attacks of hostile peers at once, beside honest clients.
  ///
  /// In the first round hostile peers change only the presence list, so that the daemon's writes
  /// are for honest clients. In the other rounds one may send large actions.
  ///
  /// `STORM_SECONDS` sets the duration of each of three rounds, and then the figures are printed
  /// and checked: `make storm`. Without it there are two rounds.
  @Suite("A storm of hostile peers", .timeLimit(.minutes(10)))
  struct StormTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seconds = environment["STORM_SECONDS"].flatMap { Int($0) }
    /// Whether figures are checked: builds with sanitizers take more time and more memory.
    private static let isMeasured = seconds != nil && environment["STORM_SANITIZED"] == nil

    @Test
    func `Honest clients lose no action in a storm, and the daemon's memory stays bounded`()
      async throws
    {
      // Other users have to reach the directory, if tests can act as other users.
      try await World.run(in: OtherUsers.canBeActed ? "/tmp/" : nil) { world in
        if OtherUsers.canBeActed { try world.write(grants: Hostile.grants) }
        // If time is not checked, a slow build on a busy machine has a longer lease.
        let patience = Self.isMeasured ? [] : ["--lease-ms", "60000"]
        let daemon = try await world.startDaemon(.stored, patience)
        let honest = try await Honest(world)
        let quiet = Self.isMeasured ? try await honest.measure() : 0
        let memory = Memory(of: daemon)
        let disk = Disk(of: daemon)
        if Self.isMeasured { try await disk.calibrate(honest) }
        var attacks = 0
        var written: [Disk.Amount] = []
        for round in 0..<(Self.isMeasured ? 3 : 2) {
          try disk.begin(honest)
          attacks += try await storm(world, honest, memory, round: UInt64(round))
          written.append(try disk.amount(honest))
          if Self.isMeasured { try await memory.settle() }
        }
        try await honest.check()
        #expect(daemon.isRunning)
        guard Self.isMeasured else { return }
        let times = honest.times
        let worst = try #require(times.last)
        let lines = daemon.errors.lines.count
        // The bytes that the daemon's limits grant in a round to the user with large actions.
        let limits = Limits()
        let granted = limits.actionBytesAtOnce + limits.actionBytesPerSecond * (Self.seconds ?? 0)
        print(
          """
          \(attacks) hostile peers in \(3 * (Self.seconds ?? 0)) s
          p99 of honest actions: \(quiet) µs before, in the storm \(times[times.count / 2]) µs \
          in the median of \(times.count) clients, \(worst) µs in the worst
          memory of the daemon: \(memory.most >> 20) MiB at most, \
          \(memory.settled.map { $0 >> 20 }) MiB after the rounds
          disk without actions of others: \(written[0])
          disk where another user may send \(granted >> 20) MiB in a round: \
          \(written[1]); \(written[2])
          log: \(lines) lines
          counters: \(try await world.counters())
          """
        )
        #expect(worst <= 50_000)
        #expect(memory.most <= 300 << 20)
        #expect(written[0].bytes <= 3 * written[0].honest, "\(written[0])")
        // An action is written once, and its change once more with a snapshot.
        for amount in written.dropFirst() {
          #expect(amount.bytes <= 3 * amount.honest + 2 * granted, "\(amount)")
        }
        // One line of each kind and holder in ten seconds.
        #expect(lines <= 6 * (Self.seconds ?? 0))
        #expect(memory.settled[2] <= memory.settled[1] + memory.settled[1] / 10)
      }
    }

    @Test(.enabled(if: OtherUsers.canBeActed, "only root can be several users, on Linux"))
    func `Peers whose actions are all refused cause no writes`() async throws {
      try await World.run(in: "/tmp/") { world in
        try world.write(grants: Hostile.grants)
        let daemon = try await world.startDaemon()
        let add = #"{"addButtonTapped":{"title":"long"}}"#
        let start = try daemon.writtenBytes()
        try await world.send("todos", add)
        let before = (try await world.snapshot("todos"), try daemon.writtenBytes())
        // Checks that writes are counted at all.
        try #require(before.1 > start)
        let name = try #require(before.0.state["items"]?.items?.first?["id"]?.text)
        let attacks: [Hostile.Attack] = [.swarm, .babblers, .historians, .spaces, .aliases, .rows]
        let end = ContinuousClock().now + .seconds(3)
        let peers: Int = try await withThrowingTaskGroup(of: Int.self) { group in
          for attack in attacks {
            let row = "todos/items/\(name)"
            let hostile = Hostile(world, attack, row: row, isFull: false, isListed: false)
            group.addTask { try await hostile.run(until: end) }
          }
          return try await group.reduce(0, +)
        }
        #expect(peers > 100)
        #expect(try await world.counter("actionsFailed") >= 128)
        #expect(try await world.snapshot("todos").state == before.0.state)
        // Numbers of sessions are reserved in blocks.
        #expect(try daemon.writtenBytes() - before.1 <= 64 << 10)
      }
    }

    /// One round.
    ///
    /// - Returns: The number of hostile peers.
    private func storm(
      _ world: World,
      _ honest: Honest,
      _ memory: Memory,
      round: UInt64,
    ) async throws -> Int {
      let end = ContinuousClock().now + .seconds(Self.seconds ?? 6)
      return try await withThrowingTaskGroup { group in
        for attack in Attack.allCases {
          group.addTask { try await Storm(world, seed: round).run(attack, until: end) }
        }
        for attack in round == 0 ? Hostile.Attack.changingNothing : Hostile.Attack.allCases {
          group.addTask {
            try await Hostile(world, attack, row: honest.other, isFull: Self.isMeasured).run(
              until: end
            )
          }
        }
        group.addTask {
          try await Storm(world, seed: round).readSlowly(honest.title, until: end)
        }
        group.addTask {
          try await honest.work(until: end)
          return 0
        }
        if Self.isMeasured {
          group.addTask {
            try await honest.measure(until: end)
            return 0
          }
          group.addTask {
            try await memory.watch(until: end)
            return 0
          }
        }
        return try await group.reduce(0, +)
      }
    }
  }
}

/// Measures a daemon's memory.
private final class Memory: Sendable {
  private let daemon: ChildProcess
  private let seen = Watched((most: 0, settled: [Int]()))
  private static let interval: Duration = .milliseconds(100)
  /// Longer than the remains of a storm last: sessions, and memory that is returned.
  private static let rest: Duration = .seconds(15)

  init(of daemon: ChildProcess) { self.daemon = daemon }

  /// The maximum so far, in bytes.
  var most: Int { seen.value.most }
  /// The minimum after each round, in bytes.
  var settled: [Int] { seen.value.settled }

  /// Samples the memory during a storm.
  func watch(until end: ContinuousClock.Instant) async throws { _ = try await least(until: end) }

  /// Records the minimum after the storm.
  func settle() async throws {
    let least = try await least(until: ContinuousClock().now + Self.rest)
    seen.update { $0.settled.append(least) }
  }

  /// Returns the minimum until a time.
  private func least(until end: ContinuousClock.Instant) async throws -> Int {
    let clock = ContinuousClock()
    var least = try daemon.residentBytes()
    while clock.now < end {
      let bytes = try daemon.residentBytes()
      least = min(least, bytes)
      seen.update { $0.most = max($0.most, bytes) }
      try await clock.sleep(for: Self.interval)
    }
    return least
  }
}

/// Measures a daemon's writes to the disk.
private final class Disk: Sendable {
  /// The bytes written in a round, and the share of honest clients' actions.
  struct Amount: CustomStringConvertible {
    let bytes: Int
    let honest: Int

    var description: String {
      "\(bytes >> 20) MiB written, of which honest clients cause \(honest >> 20) MiB"
    }
  }

  private let daemon: ChildProcess
  private let start = Watched((bytes: 0, rounds: 0, measured: 0))
  private let costs = Watched((round: 0.0, measured: 0.0))

  init(of daemon: ChildProcess) { self.daemon = daemon }

  /// Measures the cost of each kind of action without an attack.
  func calibrate(_ honest: Honest) async throws {
    try begin(honest)
    try await honest.work(until: ContinuousClock().now + .seconds(3))
    let working = try since(honest)
    try begin(honest)
    _ = try await honest.measure()
    let measuring = try since(honest)
    costs.update {
      $0.round = Double(working.bytes) / Double(max(1, working.rounds))
      $0.measured = Double(measuring.bytes) / Double(max(1, measuring.measured))
    }
  }

  /// Starts to count the written bytes.
  func begin(_ honest: Honest) throws {
    let bytes = try daemon.writtenBytes()
    start.update { $0 = (bytes, honest.rounds, honest.measuredActions) }
  }

  private func since(_ honest: Honest) throws -> (bytes: Int, rounds: Int, measured: Int) {
    let start = start.value
    return (
      try daemon.writtenBytes() - start.bytes, honest.rounds - start.rounds,
      honest.measuredActions - start.measured,
    )
  }

  /// Returns the bytes written since the start.
  func amount(_ honest: Honest) throws -> Amount {
    let (since, costs) = (try since(honest), costs.value)
    let own = Double(since.rounds) * costs.round + Double(since.measured) * costs.measured
    return Amount(bytes: since.bytes, honest: Int(own))
  }
}

/// Three senders, three watchers, a writer that rewrites a long title with a watcher of it, and a
/// sequence of clients that measure.
private final class Honest: Sendable {
  private let world: World
  private let senders: [ChildProcess]
  private let watchers: [ChildProcess]
  private let writer: ChildProcess
  private let reader: ChildProcess
  /// The scope that the writer writes to, and one that others may write to.
  let title: String
  let other: String
  private let sent = Watched((each: 0, measured: 0, titles: 0))
  private let measured = Watched<[Double]>([])
  private static let chunk = 50
  /// The actions of a measuring client: few, so that a client that waits for each measures the
  /// storm and not the time after it.
  private static let count = 200
  /// The bytes of a title: a round's titles exceed the limit of unread bytes of a subscriber.
  private static let titleBytes = 40_000

  init(_ world: World) async throws {
    self.world = world
    var watchers: [ChildProcess] = []
    for _ in 0..<3 { watchers.append(try await world.watch("counter", "--digest")) }
    self.watchers = watchers
    senders = try (0..<3).map { _ in try world.startClient("--json", "send", "counter", "-") }
    let add = #"{"addButtonTapped":{"title":"long"}}"#
    try await world.send("todos", add, add)
    let rows = try await world.get("todos")["items"]?.items ?? []
    let names = rows.compactMap { $0["id"]?.text.map { "todos/items/\($0)" } }
    try #require(names.count == 2)
    (title, other) = (names[0], names[1])
    writer = try world.startClient("--json", "send", title, "-")
    reader = try await world.watch(title, "--deltas", "--digest")
  }

  /// The number of rounds, in which each sender sends its chunk and the writer a title.
  var rounds: Int { sent.value.titles }

  /// The number of measured actions.
  var measuredActions: Int { sent.value.measured }

  /// Sends, and waits for each outcome, for the duration of the storm.
  func work(until end: ContinuousClock.Instant) async throws {
    while ContinuousClock().now < end {
      let action = #""incrementButtonTapped""#
      for sender in senders { sender.write(lines: Array(repeating: action, count: Self.chunk)) }
      sent.update {
        $0.each += Self.chunk
        $0.titles += 1
      }
      writer.write(lines: [title(sent.value.titles)])
      for sender in senders {
        _ = try await sender.output.lines(atLeast: sent.value.each, within: .seconds(60))
      }
      _ = try await writer.output.lines(atLeast: sent.value.titles, within: .seconds(60))
    }
  }

  /// The action that sets the title with a number.
  private func title(_ number: Int) -> String {
    let text = String(repeating: "\(number % 10)", count: Self.titleBytes)
    return #"{"titleChanged":{"title":"\#(text)"}}"#
  }

  /// Measures the time of actions repeatedly, for the duration of the storm.
  func measure(until end: ContinuousClock.Instant) async throws {
    while ContinuousClock().now < end {
      let time = try await measure()
      measured.update { $0.append(time) }
    }
  }

  /// Measures the time of actions.
  ///
  /// - Returns: The 99th percentile in microseconds.
  func measure() async throws -> Double {
    sent.update { $0.measured += Self.count }
    let arguments = [
      "--json", "bench", "throughput", "--window", "1", "--yes", "--count", "\(Self.count)",
    ]
    // A slow run must end too, so that its figures can be checked.
    let run = try await world.client(arguments, within: .seconds(300))
    let report = try JSONValue(parsing: #require(run.output.first))
    guard case .number(let time)? = report["p99_us"] else { return .infinity }
    return try #require(Double(time))
  }

  /// The times measured in the storm, in ascending order.
  var times: [Double] { measured.value.sorted() }

  /// Expects that all actions have arrived once, and all watchers have the same state.
  func check() async throws {
    for sender in senders {
      let run = try await world.finish(sender)
      #expect(run.isSuccess)
      #expect(run.output.count == sent.value.each)
      #expect(run.errors == [])
    }
    let run = try await world.finish(writer)
    #expect(run.isSuccess && run.errors == [])
    #expect(run.output.count == sent.value.titles)
    let final = try await world.snapshot("counter")
    #expect(final.state["count"]?.int == 3 * sent.value.each + sent.value.measured)
    try await check([reader], title)
    try await check(watchers, "counter")
  }

  /// Expects that all watchers of a scope have the daemon's state.
  private func check(_ watchers: [ChildProcess], _ scope: String) async throws {
    let digest = #""digest":"\#(try await world.snapshot(scope).digest)""#
    for watcher in watchers {
      _ = try await watcher.output.line("the daemon's digest") { $0.contains(digest) }
      #expect(watcher.errors.lines == [])
    }
  }
}

private enum Attack: CaseIterable {
  case noise, garbage, mutants, halfOpen, questions, subscriptions, parts, deaf, absentRows, names
  case floods, batches, wishes, fences, stalled, longNames
}

/// Repeated attacks by hostile peers, one kind at a time.
private struct Storm {
  private let world: World
  private let generator: Generator

  init(_ world: World, seed: UInt64) {
    self.world = world
    generator = Generator(seed)
  }

  /// - Returns: The number of peers.
  func run(_ attack: Attack, until end: ContinuousClock.Instant) async throws -> Int {
    let clock = ContinuousClock()
    var count = 0
    while clock.now < end {
      // All attacks together open some sixty connections a second.
      let next = min(clock.now + .seconds(1), end)
      let peers = try (0..<4).map { _ in try peer(attack) }
      count += peers.count
      for peer in peers { try await peer.closed(by: end) }
      try await clock.sleep(until: next)
    }
    return count
  }

  /// Repeatedly follows a scope correctly, without reading the published messages.
  ///
  /// - Returns: The number of peers.
  func readSlowly(_ scope: String, until end: ContinuousClock.Instant) async throws -> Int {
    let clock = ContinuousClock()
    var count = 0
    while clock.now < end {
      var readers: [(control: RawPeer, publishing: RawPeer)] = []
      for _ in 0..<4 {
        let join = ClientMessage.rawJoin([scope]).encoded()
        let control = try control([hello(), join], .listens)
        let token: Identifier
        let topic: Topic
        do {
          // The storm's end is a fixed time, so the factor for slow machines is divided out.
          let time = max(end - clock.now, .zero) / TestPatience.factor
          (token, topic) = try await control.hearsMessages("a view", within: time) { messages in
            guard let token = messages.token, let topic = messages.topic else { return nil }
            return (token, topic)
          }
        } catch is WaitFailure {
          break
        }
        let fence = Fence(token: token, nonce: 1).encoded()
        readers.append((control, try publishing([[1] + topic.bytes, fence], .stalls)))
      }
      for reader in readers { try await reader.publishing.closed(by: end) }
      count += 2 * readers.count
    }
    return count
  }

  private func peer(_ attack: Attack) throws -> RawPeer {
    switch attack {
    case .noise: return try raw(generator.bytes(4096), flood: generator.bytes(4096))
    case .garbage: return try control((0..<200).map { _ in generator.bytes(generator.below(200)) })
    case .mutants: return try control(mutants(200))
    case .halfOpen: return try raw(Array(ZMTP.opening("DEALER").prefix(generator.below(64))))
    case .questions: return try control((0..<500).map { self.question(UInt64($0)) })
    case .subscriptions:
      return try publishing((0..<2000).map { _ in [1, 0x12] + generator.bytes(16) }, .listens)
    case .parts:
      let parts: [UInt8] = (0..<1000).flatMap { _ in [1, 8] + generator.bytes(8) }
      return try RawPeer(
        "\(world.directory)/ctl",
        as: "DEALER",
        sending: parts + ZMTP.message([1]),
        afterwards: .hangsUp,
      )
    case .deaf: return try publishing([[1, 0x12] + generator.bytes(16)], .listens)
    case .absentRows: return try control([hello()] + absentRows())
    case .names: return try control([hello()])
    case .longNames: return try control((0..<50).map { hello(name: text(64 << ($0 % 14))) })
    case .floods:
      let ping = ClientMessage.ping(number: 1, revision: 0).encoded()
      let flood = (0..<500).flatMap { _ in ZMTP.message(ping) }
      return try RawPeer(
        "\(world.directory)/ctl",
        as: "DEALER",
        sending: ZMTP.message(hello()),
        flood: flood,
        afterwards: .stalls,
      )
    case .batches:
      return try control([hello(), join(["counter"])] + Self.batches)
    case .wishes:
      return try control([hello()] + (0..<5).map { _ in join((0..<1024).map { _ in text(40) }) })
    case .fences:
      let fence = Fence(token: Identifier(high: 0, low: generator.next()), nonce: 1).encoded()
      return try publishing((0..<5000).map { _ in fence }, .hangsUp)
    case .stalled:
      // Takes part, sends as many requests as its limits allow, and reads no answer.
      let questions = (0..<60 as Range<UInt64>).map { number in
        number < 16 ? question(number) : ClientMessage.describe(request: number).encoded()
      }
      let pings = (0..<5000).map { ClientMessage.ping(number: UInt64($0), revision: 0).encoded() }
      return try control([hello(), join(["counter", "todos"])] + questions + pings, .stalls)
    }
  }

  // MARK: Connections

  private var path: String { "\(world.directory)/\(generator.below(2) == 0 ? "ctl" : "pub")" }

  private func raw(_ bytes: [UInt8], flood: [UInt8] = []) throws -> RawPeer {
    try RawPeer(path, sending: bytes, flood: flood)
  }

  private func control(
    _ frames: [[UInt8]],
    _ manner: RawPeer.Manner = .hangsUp,
  ) throws -> RawPeer {
    try RawPeer(
      "\(world.directory)/ctl",
      as: "DEALER",
      sending: frames.flatMap { ZMTP.longMessage($0) },
      afterwards: manner,
    )
  }

  private func publishing(_ frames: [[UInt8]], _ manner: RawPeer.Manner) throws -> RawPeer {
    try RawPeer(
      "\(world.directory)/pub",
      as: "XSUB",
      sending: frames.flatMap { ZMTP.message($0) },
      afterwards: manner,
    )
  }

  // MARK: Frames

  private func text(_ count: Int) -> String {
    String(decoding: generator.bytes(count).map { 97 + $0 % 26 }, as: UTF8.self)
  }

  private func hello(name: String? = nil) -> [UInt8] {
    let number = generator.next()
    return ClientMessage.rawHello(number, name: name ?? "guest \(number)").encoded()
  }

  private func question(_ number: UInt64) -> [UInt8] {
    let question =
      number.isMultiple(of: 2)
      ? ClientMessage.describe(request: number) : ClientMessage.status(request: number)
    return question.encoded()
  }

  private func join(_ scopes: [String]) -> [UInt8] {
    // Includes the greatest nonce, which has no successor.
    let nonce = generator.below(8) == 0 ? .max : generator.next() >> 8
    return ClientMessage.rawJoin(nonce: nonce, scopes).encoded()
  }

  /// Large messages are encoded once, so that attacks do not delay the measurements.
  private static let batches = [128, 1024, 100_000].map { actions($0) }

  /// Returns a message with `count` invalid actions.
  private static func actions(_ count: Int) -> [UInt8] {
    let action = ClientMessage.ActionRequest(handle: 1, action: [0xf6], deadline: nil)
    return ClientMessage.actions(first: 1, Array(repeating: action, count: count)).encoded()
  }

  private func absentRows() -> [[UInt8]] {
    let actions = (0..<100 as Range<UInt64>).map { number in
      let action = ClientMessage.ActionRequest(handle: 1, action: [0xf6], deadline: nil)
      return ClientMessage.actions(first: 1 + number, [action]).encoded()
    }
    // One row in many spellings is one row.
    let name = UUID().uuidString
    let spellings = (0..<20).map { _ in
      String(name.map { generator.below(2) == 0 ? $0 : Character($0.lowercased()) })
    }
    return [join(spellings.map { "todos/items/\($0)" })] + actions
  }

  private func mutants(_ count: Int) -> [[UInt8]] {
    let originals: [[UInt8]] =
      [
        hello(), question(1), join(["counter"]), Self.actions(3),
        ClientMessage.ping(number: 1, revision: 2).encoded(),
        ClientMessage.credit(nonce: 1, bytes: 70_000).encoded(),
        ClientMessage.cancel(sequence: 1).encoded(), ClientMessage.bye.encoded(),
      ] + absentRows().prefix(2)
    return (0..<count).map { _ in mutant(of: originals[generator.below(originals.count)]) }
  }

  private func mutant(of original: [UInt8]) -> [UInt8] {
    var frame = original
    for _ in 0...generator.below(3) {
      let place = generator.below(frame.count)
      switch generator.below(3) {
      case 0: frame[place] = UInt8(truncatingIfNeeded: generator.next())
      case 1: frame.insert(UInt8(truncatingIfNeeded: generator.next()), at: place)
      default: if frame.count > 1 { frame.remove(at: place) }
      }
    }
    return frame
  }
}

/// Random numbers that threads share.
private final class Generator: Sendable {
  private static let step: UInt64 = 0x9e37_79b9_7f4a_7c15
  private let state: Atomic<UInt64>

  init(_ seed: UInt64) { state = Atomic(seed) }

  func next() -> UInt64 { Self.mix(take(1)) }

  func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  func bytes(_ count: Int) -> [UInt8] {
    let words = (count + 7) / 8
    var state = take(words)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8 * words)
    for _ in 0..<words {
      withUnsafeBytes(of: Self.mix(state)) { bytes.append(contentsOf: $0) }
      state &+= Self.step
    }
    bytes.removeLast(8 * words - count)
    return bytes
  }

  /// Reserves `count` states, and returns the first.
  private func take(_ count: Int) -> UInt64 {
    state.wrappingAdd(UInt64(count) &* Self.step, ordering: .relaxed).oldValue &+ Self.step
  }

  /// SplitMix64's output of a state.
  private static func mix(_ state: UInt64) -> UInt64 {
    var result = state
    result = (result ^ result >> 30) &* 0xbf58_476d_1ce4_e5b9
    result = (result ^ result >> 27) &* 0x94d0_49bb_1331_11eb
    return result ^ result >> 31
  }
}
