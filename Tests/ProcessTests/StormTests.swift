import Foundation
import StoreReplication
import StoreState
import Testing

extension ProcessTests {
  /// Everything that hostile peers have been seen to do, all at once, beside clients that work.
  ///
  /// `STORM_SECONDS` says how long each of two rounds takes.
  @Suite("A storm of hostile peers", .timeLimit(.minutes(5)))
  struct StormTests {
    private static let seconds =
      ProcessInfo.processInfo.environment["STORM_SECONDS"].flatMap { Int($0) } ?? 6

    @Test
    func `Honest clients lose nothing in a storm, and the daemon's memory stays bounded`()
      async throws
    {
      try await World.run { world in
        let daemon = try await world.startDaemon(.stored, ["--in-memory"])
        let honest = try await Honest(world)
        var memory: [Int] = []
        for round in 0..<2 {
          let end = ContinuousClock().now + .seconds(Self.seconds)
          try await withThrowingTaskGroup { group in
            for attack in Attack.allCases {
              group.addTask {
                try await Storm(world, seed: UInt64(round)).run(attack, until: end)
              }
            }
            group.addTask { try await honest.work(until: end) }
            try await group.waitForAll()
          }
          memory.append(try daemon.residentBytes())
        }
        try await honest.check()
        #expect(daemon.isRunning)
        #expect(memory.allSatisfy { $0 <= 300 << 20 }, "\(memory)")
        #expect(memory[1] <= memory[0] + memory[0] / 4, "\(memory)")
      }
    }
  }
}

/// Three that send, and three that watch.
private final class Honest: Sendable {
  private let world: World
  private let senders: [ChildProcess]
  private let watchers: [ChildProcess]
  private let sent = Watched(0)
  private static let chunk = 50

  init(_ world: World) async throws {
    self.world = world
    var watchers: [ChildProcess] = []
    for _ in 0..<3 { watchers.append(try await world.watch("counter", "--digest")) }
    self.watchers = watchers
    senders = try (0..<3).map { _ in try world.startClient("--json", "send", "counter", "-") }
  }

  /// Sends, and waits for each outcome, as long as the storm goes on.
  func work(until end: ContinuousClock.Instant) async throws {
    while ContinuousClock().now < end {
      let action = #""incrementButtonTapped""#
      for sender in senders { sender.write(lines: Array(repeating: action, count: Self.chunk)) }
      sent.update { $0 += Self.chunk }
      for sender in senders {
        _ = try await sender.output.lines(atLeast: sent.value, within: .seconds(60))
      }
    }
  }

  /// Everything has arrived, once, and everybody sees the same.
  func check() async throws {
    for sender in senders {
      let run = try await world.finish(sender)
      #expect(run.isSuccess)
      #expect(run.output.count == sent.value)
      #expect(run.errors == [])
    }
    let final = try await world.snapshot("counter")
    #expect(final.state["count"]?.int == 3 * sent.value)
    let digest = #""digest":"\#(final.digest)""#
    for watcher in watchers {
      _ = try await watcher.output.line("the daemon's digest") { $0.contains(digest) }
      #expect(watcher.errors.lines == [])
    }
  }
}

private enum Attack: CaseIterable {
  case noise, garbage, mutants, halfOpen, questions, subscriptions, parts, deaf, absentRows, names
}

/// One kind of hostile peer, again and again.
private struct Storm {
  private let world: World
  private let generator: Generator

  init(_ world: World, seed: UInt64) {
    self.world = world
    generator = Generator(seed)
  }

  func run(_ attack: Attack, until end: ContinuousClock.Instant) async throws {
    while ContinuousClock().now < end {
      let peers = try (0..<4).map { _ in try peer(attack) }
      for peer in peers { try await peer.closed(within: .seconds(60)) }
    }
  }

  private func peer(_ attack: Attack) throws -> RawPeer {
    switch attack {
    case .noise: return try raw(generator.bytes(4096), flood: generator.bytes(4096))
    case .garbage: return try control((0..<200).map { _ in generator.bytes(generator.below(200)) })
    case .mutants: return try control((0..<200).map { _ in mutant() })
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
    }
  }

  // MARK: Connections

  private var path: String { "\(world.directory)/\(generator.below(2) == 0 ? "ctl" : "pub")" }

  private func raw(_ bytes: [UInt8], flood: [UInt8] = []) throws -> RawPeer {
    try RawPeer(path, sending: bytes, flood: flood)
  }

  private func control(_ frames: [[UInt8]]) throws -> RawPeer {
    try RawPeer(
      "\(world.directory)/ctl",
      as: "DEALER",
      sending: frames.flatMap { ZMTP.message(Array($0.prefix(255))) },
      afterwards: .hangsUp,
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

  private func identifier() -> Identifier {
    Identifier(high: generator.next(), low: generator.next())
  }

  private func hello() -> [UInt8] {
    ClientMessage.hello(
      ClientMessage.Hello(
        clientID: identifier(),
        token: nil,
        firstSequence: 1,
        name: "guest \(generator.next())",
        isListed: true,
      )
    )
    .encoded()
  }

  private func question(_ number: UInt64) -> [UInt8] {
    let question =
      number.isMultiple(of: 2)
      ? ClientMessage.describe(request: number) : ClientMessage.status(request: number)
    return question.encoded()
  }

  private func absentRows() -> [[UInt8]] {
    let name = "todos/items/\(UUID().uuidString)"
    let request = ClientMessage.JoinRequest(
      scope: name,
      mode: .sendOnly,
      stateHash: nil,
      actionHash: nil,
      position: nil,
    )
    let action = ClientMessage.ActionRequest(handle: 1, action: [0xf6], deadline: nil)
    let actions = (0..<100).map { ClientMessage.actions(first: 1 + $0, [action]).encoded() }
    return [ClientMessage.join(nonce: 1, [request]).encoded()] + actions
  }

  private func mutant() -> [UInt8] {
    let originals: [[UInt8]] = [hello(), question(1)] + absentRows().prefix(2)
    var frame = originals[generator.below(originals.count)]
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
  private let state: Watched<UInt64>

  init(_ seed: UInt64) { state = Watched(seed) }

  func next() -> UInt64 {
    // SplitMix64.
    var result: UInt64 = 0
    state.update { state in
      state &+= 0x9e37_79b9_7f4a_7c15
      result = state
    }
    result = (result ^ result >> 30) &* 0xbf58_476d_1ce4_e5b9
    result = (result ^ result >> 27) &* 0x94d0_49bb_1331_11eb
    return result ^ result >> 31
  }

  func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }
}
