import StoreState
import Testing

@testable import StoreExposures
@testable import StoreProtocol
@testable import StoreReplica

/// A daemon that a test plays by hand, for one client that follows the scope `counter`.
///
/// The counter counts the revisions.
@MainActor
final class PlayedDaemon {
  let wire = BenchClient()
  let token = Identifier(high: 1, low: 2)
  /// The client's copy of the scope.
  let copy: Watched
  private let privateTopic = Topic(.session, Identifier(high: 3, low: 4))
  private let topic: Topic
  private var taken = 0

  var client: ReplicaClient { wire.client }
  var scope: ClientScope { copy.scope }
  var log: [String] { copy.log }

  // The kind of the topic states whether the view is published, or sent to this client alone.
  init(topic kind: Topic.Kind = .view) throws {
    topic = Topic(kind, Identifier(high: 5, low: 6))
    copy = try wire.watch("counter", Deck.exposures.map(\.description))
  }

  // MARK: The daemon's part

  /// Plays everything up to the answer to the join of the scope.
  func open(actions: UInt64 = 128) throws {
    wire.published.append((Welcome(epoch: 77).encoded(), nil))
    try greet()
    try helloOK(last: 0, isResumed: false, actions: actions)
    try send(.joined(nonce: client.lastNonce, topic: topic, [.accepted(handle: 1)]))
  }

  /// Plays a whole join, shown at a revision.
  @discardableResult
  func join(revision: UInt64, actions: UInt64 = 128) throws -> ClientScope {
    try open(actions: actions)
    let fences = wire.upstream.filter { $0.first == Fence.mark }
    try #require(fences.count == (topic.kind == .unicastView ? 0 : 1))
    try echo(revision: revision, sequence: 0)
    try snapshot(revision: revision)
    return scope
  }

  /// Answers the join in progress, and ends with a snapshot of the scope.
  func answer(accepting scopes: UInt64 = 1, revision: UInt64, sequence: UInt64) throws {
    let answers = (1...scopes).map { DaemonMessage.JoinAnswer.accepted(handle: $0) }
    try send(.joined(nonce: client.lastNonce, topic: topic, answers))
    try echo(revision: revision, sequence: sequence)
    try snapshot(revision: revision)
  }

  func greet() throws {
    wire.control.append([])
    try wire.settle()
  }

  func helloOK(
    epoch: UInt64 = 77,
    last: UInt64,
    isResumed: Bool,
    frameBytes: UInt64 = 1 << 20,
    actions: UInt64 = 128,
    scopes: UInt64 = 1024,
    features: ProtocolFeatures = [],
  ) throws {
    try send(
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
          frameBytes: frameBytes,
          window: 1024,
          scopes: scopes,
          actions: actions,
          running: [],
          features: features,
        )
      )
    )
  }

  func echo(revision: UInt64, sequence: UInt64) throws {
    try publish(
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

  func snapshot(revision: UInt64, total: UInt64? = nil) throws {
    let bytes = state(revision).encoded()
    try send(
      .snapshot(
        DaemonMessage.SnapshotPiece(
          nonce: client.lastNonce,
          handle: 1,
          revision: revision,
          total: total ?? UInt64(bytes.count),
          offset: 0,
          bytes: bytes[...],
        )
      )
    )
  }

  private func state(_ revision: UInt64) -> Deck.Counter? { Deck.Counter(count: Int(revision)) }

  /// Publishes one step for each revision, from a sequence on.
  func publish(sequence: UInt64, revisions: ClosedRange<UInt64>) throws {
    let steps = try revisions.map { revision in
      let delta = try #require(state(revision).delta(from: state(revision - 1)))
      return PublishedMessage.Step(
        revision: revision,
        changes: [PublishedMessage.Change(index: 0, delta: delta[...])],
      )
    }
    try publish(.deltas(PublishedMessage.DeltaRun(sequence: sequence, steps: steps)), topic)
  }

  func bookmark(revision: UInt64, sequence: UInt64, digest: Digest) throws {
    try publish(
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

  func acks(
    first: UInt64,
    revisions: [UInt64],
    hasEffects: Bool = false,
    nonce: UInt64,
    sequence: UInt64,
  ) throws {
    try send(
      .acks(
        DaemonMessage.Acks(
          first: first,
          outcomes: revisions.map { .applied(revision: $0, hasEffects: hasEffects) },
          watermark: DaemonMessage.Watermark(nonce: nonce, sequence: sequence),
        )
      )
    )
  }

  func send(_ message: DaemonMessage) throws { try wire.deliver(message) }

  private func publish(_ message: PublishedMessage, _ topic: Topic) throws {
    if self.topic.kind == .unicastView { return try send(.unicast(message)) }
    wire.published.append((topic.bytes, message.encoded()))
    try wire.settle()
  }

  // MARK: The client's messages

  /// The messages since the last call.
  func take() -> [ClientMessage] {
    defer { taken = wire.sent.count }
    return Array(wire.sent[taken...])
  }

  var hellos: [ClientMessage.Hello] {
    wire.sent.compactMap { if case .hello(let hello) = $0 { hello } else { nil } }
  }
}
