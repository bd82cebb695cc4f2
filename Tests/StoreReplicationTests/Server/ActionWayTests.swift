import Foundation
import StoreActor
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreReplica
@testable import StoreServer

/// Follows the picture of an action's way in `docs/ARCHITECTURE.md`, step by step.
@MainActor
@Suite struct ActionWayTests {
  /// The steps of the picture in order: each has its type and its words.
  private func picture() throws -> [String] {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../docs/ARCHITECTURE.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let start = try #require(text.range(of: "store.send(.addButtonTapped)\n"))
    let end = try #require(text.range(of: "applied() returns"))
    let type = /[A-Z][a-z]+[A-Z]?[A-Za-z]*/
    return text[start.upperBound..<end.lowerBound].split(separator: "\n").flatMap { line in
      let places = line.ranges(of: type).map(\.lowerBound) + [line.endIndex]
      return zip(places, places.dropFirst()).map { place, next in
        line[place..<next].split(separator: " ").filter { !$0.contains("─") }
          .joined(separator: " ")
      }
    }
  }

  @Test("An action takes the steps of the picture on the architecture page")
  func walk() async throws {
    let journal = BenchJournal()
    var state = Deck.State()
    state.counter.numberFactAlert = "an older fact"
    let way = try Way(try picture(), ServerBench(state: state, journal: journal), journal)
    try await way.walk()
    #expect(way.rest == [], "the walk did not come to these steps")
  }
}

/// Runs a turn of a daemon and of a client, step by step.
///
/// It checks all conditions between any two distinguishable events. A step of the picture is taken
/// when its condition holds for the first time since the previous check, and after the preceding
/// step of the picture.
@MainActor
private final class Way {
  typealias Condition = @MainActor (Way) throws -> Bool

  private let bench: ServerBench
  private let journal: BenchJournal
  private let wire: BenchClient
  private let core: RemoteStoreCore<Deck.Counter, Deck.CounterAction>
  private let session: Session
  private let action = Deck.CounterAction.numberFactButtonTapped
  /// The counts before the action.
  private let before: (sent: Int, frames: UInt64, deltas: Int)
  /// The number of times that the store's observers were notified of a change.
  private var told = 0
  /// The frames that have left the daemon, in order.
  private var left: [String] = []
  /// The steps of the picture that were not observed.
  private(set) var rest: [String]
  /// Whether each condition held at the last check.
  private var held: [String: Bool] = [:]

  init(_ picture: [String], _ bench: ServerBench, _ journal: BenchJournal) throws {
    (self.bench, self.journal, rest) = (bench, journal, picture)
    wire = try BenchClient(bench)
    core = RemoteStoreCore("counter", of: wire.client)
    try bench.settle()
    session = try #require(bench.server.sessions.session(of: wire.peer))
    before = (wire.sent.count, bench.server.counters.controlFrames, bench.probe.deltas)
  }

  private static let conditions = [sending, reducing, keeping, telling].reduce(into: [:]) {
    $0.merge($1) { one, _ in one }
  }

  private var client: ReplicaClient { wire.client }

  /// Records the steps that have been taken since the last check.
  private func look() {
    left += bench.takeOrder()
    do {
      let now = try Self.conditions.mapValues { try $0(self) }
      while let step = rest.first, now[step] == true {
        #expect(held[step] == false, "this was so before its time: \(step)")
        rest.removeFirst()
      }
      held = now
    } catch {
      Issue.record(error)
    }
  }

  func walk() async throws {
    #expect(Set(rest) == Set(Self.conditions.keys), "the picture has other steps than the walk")
    #expect(core.state == Deck.Counter(numberFactAlert: "an older fact"))
    let subscription = core.observeChanges { self.told += 1 }
    bench.clock.advance(by: .milliseconds(5))
    _ = bench.takeOrder()
    bench.probe.onLook = { [unowned self] in look() }
    look()
    let task = core.send(action)
    look()
    // The turn ends, and has done no work yet.
    client.atNextTurn { [unowned self] _ in look() }
    wire.takeTurn()
    look()
    _ = bench.turn.receive()
    look()
    bench.turn.end()
    look()
    #expect(left.isEmpty, "A message left before its revision was durable")
    bench.turn.finish(.durable(through: 1))
    look()
    bench.turn.end()
    look()
    // The sender receives the outcome when the store shows the state.
    #expect(told == 0 && client.actions.count == 1)
    wire.takeTurn()
    look()
    #expect(try await task.applied() == 1)
    subscription.cancel()
    bench.probe.onLook = {}
  }
}

// MARK: - Conditions after the steps

extension Way {
  private static let sending: [String: Condition] = [
    "RemoteStoreCore encodes": { way in
      let bytes = try way.action.encoded()
      return way.waiting?.frameBytes(mostBytes: .max) == ActionTicket.frameBytes(bytes)
    },
    "ReplicaClient queues": { $0.waiting?.sequence == nil && $0.client.pendingActions == 1 },
    "ClientTurn ends:": { !$0.wire.isBusy },
    "ReplicaClient numbers, batches": { $0.waiting?.sequence == 1 },
    "ClientSockets DEALER ROUTER": { way in
      guard way.wire.sent.count == way.before.sent + 1,
        case .actions(1, let requests)? = way.wire.sent.last
      else { return false }
      return try requests.map { Array($0.action) } == [way.action.encoded()]
    },
    "HostSockets": { $0.bench.hasIncoming },
  ]

  /// The client's action while it has no outcome.
  private var waiting: ActionTicket? { client.actions.count == 1 ? client.actions[0] : nil }

  private static let reducing: [String: Condition] = [
    "DaemonTurn takes frames, in turn": {
      !$0.bench.hasIncoming && $0.bench.server.counters.controlFrames == $0.before.frames + 1
    },
    "Sessions the session, its lease": {
      $0.session.clientID == $0.client.identity.clientID
        && $0.session.lastHeard == $0.bench.now.instant
    },
    "ReplicaServer known? too late? allowed?": {
      $0.bench.probe.sends.given == 1 && $0.bench.probe.origins.last == $0.session.origin
    },
    "ErasedScope decodes, embeds: pull back": { $0.bench.probe.sends.taken == 1 },
    "RootCore reduces: one revision": {
      $0.bench.root.revision == 1 && $0.bench.root.state.counter == Deck.Counter()
    },
    "TypedRoot old → new: a record": { $0.bench.server.recorder?.newest == 1 },
    "Recorder holds it and later ones": {
      $0.bench.server.hasUnreleased && $0.bench.server.revision == 0
    },
    "OutcomeTable keeps the outcome": {
      $0.session.actions.last == 1 && $0.bench.server.outcomes.hasUnsent
    },
  ]

  private static let keeping: [String: Condition] = [
    "DaemonTurn ends: passes on a batch": { $0.journal.batches.count == 1 },
    "Journal makes it durable,": { way in
      let recovered = try way.journal.recover(1)
      return recovered.revision == 1 && recovered.root == way.bench.root.state
    },
    "DaemonTurn receives the result": { !$0.bench.turn.awaitsJournal },
    "Recorder releases the revision": { $0.bench.server.revision == 1 },
    "TypedRoot old → new: the delta": { $0.bench.probe.deltas == $0.before.deltas + 1 },
    "Subscriptions collects a turn's deltas": { $0.bench.server.subscriptions.isDirty },
  ]

  private static let telling: [String: Condition] = [
    "DaemonTurn ends: the outbox leaves,": { $0.left == ["deltas", "acks"] },
    "ClientSockets XSUB deltas XPUB deltas first,": { $0.wire.published.hasArrived },
    "ClientSockets DEALER outcome ROUTER then outcomes;": { $0.wire.control.hasArrived },
    "RootCore effects start": { !$0.bench.root.hasEffectsToStart(through: 1) },
    "ClientTurn takes messages": {
      !$0.wire.published.hasArrived && !$0.wire.control.hasArrived
    },
    "ReplicaClient applies a step to all its scopes": { $0.client.revision == 1 },
    "TypedReplica shows it, in all scopes: a commit of their trees;": {
      $0.core.state == Deck.Counter() && $0.told == 1
    },
  ]
}
