import StoreState
import Testing

@testable import StoreReplication

/// A client's machine, with a daemon that a test plays by hand.
@MainActor
final class ClientBench {
  let client: ReplicaClient
  let replica = LoggingReplica()
  let token = Identifier(high: 1, low: 2)
  /// Everything that the client wanted done so far.
  private(set) var outgoing: [ReplicaClient.Outgoing] = []

  private let privateTopic = Topic(.session, Identifier(high: 3, low: 4))
  private let topic = Topic(.view, Identifier(high: 5, low: 6))
  private var taken = 0
  private var nanoseconds: Int64 = 0
  private var scope: ClientScope?

  init() {
    let identity = ReplicaClient.Identity(
      clientID: Identifier(high: 7, low: 8),
      name: "bench",
      isListed: false,
    )
    client = ReplicaClient(
      identity: identity,
      now: Moment(instant: Instant(nanoseconds: 0), wallMilliseconds: 0),
      generator: Counting(),
    )
  }

  private var moment: Moment {
    Moment(
      instant: Instant(nanoseconds: nanoseconds),
      wallMilliseconds: UInt64(nanoseconds / 1_000_000),
    )
  }

  // MARK: The daemon's part

  /// Everything up to the answer to the join of one scope, `counter`.
  @discardableResult
  func open() -> ClientScope {
    let scope = client.add("counter", mode: .follow, replica: replica)
    self.scope = scope
    client.receive(welcome: Welcome(epoch: 77).encoded()[...], at: moment)
    greet()
    helloOK(last: 0, isResumed: false)
    answer()
    return scope
  }

  /// A whole join, shown at a revision.
  @discardableResult
  func join(revision: UInt64) throws -> ClientScope {
    let scope = open()
    let fences = outgoing.filter { if case .upstream = $0 { true } else { false } }
    try #require(fences.count == 1, "one fence goes upstream")
    echo(revision: revision, sequence: 0)
    snapshot(revision: revision)
    return scope
  }

  func greet() { control([]) }

  func helloOK(epoch: UInt64 = 77, last: UInt64, isResumed: Bool) {
    send(
      .helloOK(
        DaemonMessage.HelloOK(
          session: 1,
          token: token,
          epoch: epoch,
          revision: 0,
          privateTopic: privateTopic,
          lastSequence: last,
          isResumed: isResumed,
          leaseMilliseconds: 10_000,
          frameBytes: 1 << 20,
          window: 1024,
          scopes: 1024,
          running: [],
        )
      )
    )
  }

  private func answer() {
    send(.joined(nonce: client.lastNonce, topic: topic, [.accepted(handle: 1)]))
  }

  func echo(revision: UInt64, sequence: UInt64) {
    publish(
      .echo(
        PublishedMessage.Echo(
          nonce: client.lastNonce,
          revision: revision,
          sequence: sequence,
          previousSequence: 0,
        )
      ),
      privateTopic,
    )
  }

  func snapshot(revision: UInt64) {
    send(
      .snapshot(
        DaemonMessage.SnapshotPiece(
          nonce: client.lastNonce,
          handle: 1,
          revision: revision,
          total: 1,
          offset: 0,
          bytes: [0x00],
        )
      )
    )
  }

  /// One step a revision, from a sequence on.
  func publish(sequence: UInt64, revisions: ClosedRange<UInt64>) {
    let steps = revisions.map {
      PublishedMessage.Step(
        revision: $0,
        changes: [PublishedMessage.Change(index: 0, delta: [0x01])],
      )
    }
    publish(.deltas(PublishedMessage.DeltaRun(sequence: sequence, steps: steps)), topic)
  }

  func bookmark(revision: UInt64, sequence: UInt64, digest: Digest) {
    publish(
      .bookmark(
        PublishedMessage.Bookmark(
          revision: revision,
          sequence: sequence,
          durableRevision: nil,
          digests: [digest],
        )
      ),
      topic,
    )
  }

  func acks(first: UInt64, revisions: [UInt64], nonce: UInt64, sequence: UInt64) {
    send(
      .acks(
        DaemonMessage.Acks(
          first: first,
          outcomes: revisions.map { .applied(revision: $0, hasEffects: false) },
          reach: DaemonMessage.Reach(nonce: nonce, sequence: sequence),
        )
      )
    )
  }

  func acksRunning(first: UInt64, revision: UInt64) {
    let outcome = Outcome.applied(revision: revision, hasEffects: true)
    let reach = DaemonMessage.Reach(nonce: 0, sequence: 0)
    send(.acks(DaemonMessage.Acks(first: first, outcomes: [outcome], reach: reach)))
  }

  func finished(_ sequences: [UInt64], nonce: UInt64, sequence: UInt64) {
    send(.finished(sequences, reach: DaemonMessage.Reach(nonce: nonce, sequence: sequence)))
  }

  private func send(_ message: DaemonMessage) { control(message.encoded()) }

  private func control(_ frame: [UInt8]) {
    client.receive(control: frame[...], at: moment)
    endTurn()
  }

  private func publish(_ message: PublishedMessage, _ topic: Topic) {
    client.receive(topic: topic.bytes[...], body: message.encoded()[...], at: moment)
    endTurn()
  }

  // MARK: What the client does

  func endTurn() {
    client.endTurn(moment)
    outgoing += client.takeOutgoing()
  }

  func advance(by duration: Duration) {
    nanoseconds += duration.wholeNanoseconds
    client.tick(moment)
    outgoing += client.takeOutgoing()
  }

  /// The messages since the last call.
  func take() -> [ClientMessage] {
    defer { taken = outgoing.count }
    return messages(from: taken)
  }

  func joins() -> [[ClientMessage.JoinRequest]] {
    messages(from: 0).compactMap { if case .join(_, let requests) = $0 { requests } else { nil } }
  }

  func hellos() -> [ClientMessage.Hello] {
    messages(from: 0).compactMap { if case .hello(let hello) = $0 { hello } else { nil } }
  }

  private func messages(from start: Int) -> [ClientMessage] {
    outgoing[start...].compactMap { outgoing in
      guard case .control(let frame) = outgoing else { return nil }
      do {
        return try ClientMessage(frame: frame[...])
      } catch {
        Issue.record("The client sent what is no message: \(error)")
        return nil
      }
    }
  }
}

/// A replica that notes what it is told.
@MainActor
final class LoggingReplica: Replica {
  private(set) var log: [String] = []
  var digest: Digest { Digest(rawValue: 42) }
  let encoding: [UInt8] = [0xf6]
  let isPresent = true

  func reset(to snapshot: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    log.append("reset at \(revision)")
  }

  func apply(_ delta: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    log.append("applied \(revision)")
  }

  func show(revision: UInt64) { log.append("settled at \(revision)") }

  func announce() {}

  func received(_: PublishedMessage.Output) {}

  func statusChanged(_ status: ScopeStatus) {}
}

/// Numbers one after the other: the same in every run.
private struct Counting: RandomNumberGenerator {
  private var state: UInt64 = 0

  mutating func next() -> UInt64 {
    state += 1
    return state
  }
}
