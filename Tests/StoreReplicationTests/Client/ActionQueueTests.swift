import StoreState
import Testing

@testable import StoreProtocol
@testable import StoreReplica

/// Compares a client's queue of actions with a model of plain lists.
@MainActor
@Suite("A client's line of actions", .timeLimit(.minutes(1)))
struct ActionQueueTests {
  /// The expected queue, with one list for each state of an action.
  private struct Twin {
    var waiting: [ActionTicket] = []
    var inFlight: [ActionTicket] = []
    var settling: [(sequence: UInt64, tickets: [ActionTicket])] = []
    var sent = 0
    var first: UInt64 = 1
  }

  private let window = 9
  private let scope: ClientScope

  init() throws {
    let daemon = try PlayedDaemon()
    try daemon.open()
    scope = daemon.scope
  }

  private func same(_ left: [ActionTicket], _ right: [ActionTicket]) -> Bool {
    left.elementsEqual(right) { $0 === $1 }
  }

  @Test("The queue equals the model after any operations", arguments: 0..<60 as Range<UInt64>)
  func agreement(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var (queue, twin) = (ActionQueue(), Twin())
    for _ in 0..<400 {
      switch UInt64.random(in: 0..<9, using: &random) {
      case 0...3: append(&queue, &twin, &random)
      case 4, 5: send(&queue, &twin, most: Int.random(in: 1...5, using: &random))
      case 6: decide(&queue, &twin, &random)
      case 7: reach(&queue, &twin, UInt64.random(in: 0..<400, using: &random))
      default: disturb(&queue, &twin, &random)
      }
      #expect(queue.count == twin.waiting.count + twin.inFlight.count)
      #expect(queue.hasUnsent == (twin.sent < twin.inFlight.count || !twin.waiting.isEmpty))
      #expect(queue.firstSequence == twin.first)
      #expect(same(queue.settlingTickets, twin.settling.flatMap(\.tickets)))
      let all = twin.settling.flatMap(\.tickets) + twin.inFlight + twin.waiting
      #expect(queue.earliestEnd == all.compactMap(\.end).min())
      let room = max(0, window - twin.inFlight.count)
      #expect(queue.sendable(window: window) == min(twin.waiting.count, room))
    }
    let rest = twin.settling.flatMap(\.tickets) + twin.inFlight + twin.waiting
    #expect(same(queue.removeAll(), rest))
    #expect(queue.count == 0)
    #expect(!queue.hasUnsent)
  }

  private func append(
    _ queue: inout ActionQueue,
    _ twin: inout Twin,
    _ random: inout SplitMix,
  ) {
    let deadline = UInt64.random(in: 0..<400, using: &random)
    let ticket = ActionTicket(
      scope: scope,
      action: [0x01],
      timeToLive: deadline < 200 ? .nanoseconds(Int64(deadline)) : nil,
    )
    queue.append(ticket)
    _ = queue.beginLives(at: Instant(nanoseconds: 0))
    twin.waiting.append(ticket)
  }

  private func send(_ queue: inout ActionQueue, _ twin: inout Twin, most: Int) {
    var wanted: [ActionTicket] = []
    let first = twin.first + UInt64(twin.sent)
    while wanted.count < most {
      if twin.sent == twin.inFlight.count {
        guard !twin.waiting.isEmpty, twin.inFlight.count < window else { break }
        twin.inFlight.append(twin.waiting.removeFirst())
      }
      wanted.append(twin.inFlight[twin.sent])
      twin.sent += 1
    }
    let batch = queue.nextBatch(
      window: window,
      count: most,
      bytes: 1_000,
      mostBytes: 1_000,
      sendsGone: false,
    )
    #expect(batch?.places.count ?? 0 == wanted.count)
    guard let batch else { return }
    #expect(batch.first == first)
    #expect(batch.bytes == wanted.reduce(0) { $0 + ($1.frameBytes(mostBytes: 1_000) ?? 0) })
    #expect(same(batch.places.map { queue[$0] }, wanted))
    #expect(wanted.map(\.sequence) == wanted.indices.map { first + UInt64($0) })
  }

  private func decide(
    _ queue: inout ActionQueue,
    _ twin: inout Twin,
    _ random: inout SplitMix,
  ) {
    let start = twin.first &+ UInt64.random(in: 0...3, using: &random) &- 1
    let count = UInt64.random(in: 0...4, using: &random)
    let watermark = DaemonMessage.Watermark(
      nonce: 1,
      sequence: .random(in: 0..<400, using: &random),
    )
    var outcomes: [Outcome] = []
    for sequence in start..<(start + count) {
      outcomes.append(.applied(revision: sequence, hasEffects: false))
    }
    // Only sent actions have outcomes. Outcomes for actions that are not in flight are ignored.
    guard start + count <= twin.first + UInt64(twin.sent) else { return }
    let acks = DaemonMessage.Acks(first: start, outcomes: outcomes, watermark: watermark)
    #expect(queue.decide(acks).isEmpty)
    let done = twin.inFlight.prefix { $0.decided != nil }
    guard !done.isEmpty else { return }
    twin.settling.append((watermark.sequence, Array(done)))
    twin.inFlight.removeFirst(done.count)
    twin.first += UInt64(done.count)
    twin.sent = max(0, twin.sent - done.count)
  }

  private func reach(_ queue: inout ActionQueue, _ twin: inout Twin, _ sequence: UInt64) {
    var wanted: [ActionTicket] = []
    while let group = twin.settling.first, group.sequence <= sequence {
      wanted += group.tickets
      twin.settling.removeFirst()
    }
    var found: [ActionTicket] = []
    while let ticket = queue.takeReached({ $0.sequence <= sequence }) { found.append(ticket) }
    #expect(same(found, wanted))
  }

  private func disturb(
    _ queue: inout ActionQueue,
    _ twin: inout Twin,
    _ random: inout SplitMix,
  ) {
    if Bool.random(using: &random) {
      let time = Instant(nanoseconds: Int64.random(in: 0..<200, using: &random))
      let expired = twin.waiting.filter { $0.end ?? .distantFuture <= time }
      twin.waiting.removeAll { $0.end ?? .distantFuture <= time }
      #expect(same(queue.removeExpiredWaiting(at: time), expired))
    } else {
      let back = UInt64.random(in: 0...4, using: &random)
      queue.rewind(to: twin.first + back)
      twin.sent = min(twin.sent, Int(back))
    }
  }
}

/// A generator that is determined by its seed.
private struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
