import StoreActor
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreReplica
@testable import StoreServer

/// Outputs as a client receives them: docs/PROTOCOL.md §8, §9.
@Suite(.timeLimit(.minutes(1)))
@MainActor
struct ClientOutputTests {
  private let yard = BenchOf<Yard.State, Yard.Action>()
  private let wire: BenchClient

  init() throws { wire = try BenchClient(yard) }

  private func follow(_ name: String) throws -> Watched {
    try wire.watch(name, Yard.exposures.map(\.description))
  }

  @Test("§8: outputs arrive in order, after all scopes show the state of their revision")
  func order() throws {
    let bell = try follow("bell")
    try yard.send(.bell(.rungTwice), .bell(.rung))
    #expect(
      bell.log.dropFirst(2) == [
        "delta 1", "delta 2", "shown 2", "output 1", "output 1", "output 2",
      ]
    )
    #expect(bell.sounds == ["bell 1", "bell 1 again", "bell 2"])
  }

  @Test("An effect's output arrives between revisions, for each follower of the scope")
  func effect() async throws {
    let bell = try follow("bell")
    let row = try follow("row/1")
    try yard.send(.bell(.rungLater))
    await eventually { yard.gate.waiting == 1 }
    yard.gate.open()
    try await eventually {
      try yard.settle()
      return !bell.sounds.isEmpty
    }
    #expect(bell.sounds == ["late"])
    #expect(wire.client.resyncs == 0)
    #expect(row.sounds == [])
  }

  @Test("Two followers of a scope each get an output once, and a follower that left gets no more")
  func followers() throws {
    let one = try follow("bell")
    let other = try follow("bell")
    try yard.send(.bell(.rung))
    wire.client.timing.linger = .zero
    wire.client.release(one.scope)
    try wire.settle()
    try yard.send(.bell(.rung))
    #expect(one.sounds == ["bell 1"])
    #expect(other.sounds == ["bell 1", "bell 2"])
  }

  @Test("An optional scope and a row have outputs as well")
  func kinds() throws {
    let spare = try follow("spare")
    let row = try follow("row/2")
    try yard.send(
      .spare(.touched),
      .rows(.element(id: 1, action: .rung)),
      .rows(.element(id: 2, action: .rung)),
    )
    #expect(spare.sounds == ["spare 0"])
    #expect(row.sounds == ["row 2"])
  }

  @Test("§9: a kept scope gets each output exactly once while another one is joined")
  func keptAcrossJoin() throws {
    let bell = try follow("bell")
    wire.published.isHeld = true
    try yard.send(.bell(.rung))
    // The join, its fence and its echo, with revisions before and after it.
    let row = try follow("row/1")
    try yard.send(.bell(.rung), .rows(.element(id: 1, action: .rung)))
    wire.published.isHeld = false
    try yard.settle()
    try yard.send(.bell(.rung))
    #expect(bell.sounds == ["bell 1", "bell 2", "bell 3"])
    #expect(row.sounds == ["row 1"])
    #expect(wire.client.resyncs == 0)
  }

  @Test("§9: outputs after the echo wait for the snapshot, and then follow their deltas")
  func waitForCaptures() throws {
    let bell = try follow("bell")
    yard.holdsJobs = true
    let row = try follow("row/1")
    try yard.send(.bell(.rung))
    try yard.send(.rows(.element(id: 1, action: .rung)))
    #expect(bell.sounds == [])
    yard.holdsJobs = false
    try yard.settle()
    #expect(bell.log.suffix(3) == ["delta 1", "shown 1", "output 1"])
    #expect(
      row.log == [
        "snapshot 0", "shown 0", "delta 2", "shown 2", "output 2",
      ]
    )
  }

  @Test("§9: outputs that arrive before their deltas show a loss, and are lost with them")
  func lostDeltas() throws {
    let bell = try follow("bell")
    wire.published.isHeld = true
    try yard.send(.bell(.rung))
    wire.published.lose(1)
    wire.published.isHeld = false
    try yard.settle()
    #expect(wire.client.resyncs == 1)
    #expect(bell.sounds == [])
    #expect(bell.log.contains("delta 1"), "the state is repaired: \(bell.log)")
    try yard.send(.bell(.rung))
    #expect(bell.sounds == ["bell 2"])
  }

  @Test("A lost message of outputs has no other effect")
  func lostOutputs() throws {
    let bell = try follow("bell")
    wire.published.isHeld = true
    try yard.send(.bell(.touched))
    try yard.send(.bell(.rung))
    wire.published.lose(1)
    wire.published.isHeld = false
    try yard.settle()
    #expect(bell.sounds == ["bell 1"])
    #expect(wire.client.resyncs == 0)
  }

  @Test("Outputs of a break are not repeated after it")
  func breaks() throws {
    let bell = try follow("bell")
    wire.published.isHeld = true
    try yard.send(.bell(.rung))
    // The connection breaks, and the messages in flight are lost.
    wire.published.lose()
    wire.published.isHeld = false
    try wire.greet()
    #expect(bell.log.contains("delta 1"))
    #expect(bell.sounds == [])
    try yard.send(.bell(.rung))
    #expect(bell.sounds == ["bell 2"])
  }

  @Test("§9: a view on the other socket that begins before the shown revision repeats no output")
  func crossingSockets() throws {
    let yard = BenchOf<Yard.State, Yard.Action>()
    let bells = try #require(ScopePattern("bell"))
    yard.addresses = [
      PeerID(bytes: [2, 1]): "localhost:999:100:1", Bench.peer(1): "localhost:1000:100:2",
    ]
    let line = Grants.Line(grantee: .user(1000), scopes: [bells], sees: true, sends: .nothing)
    yard.turn.apply(Grants(owner: 999, lines: [line]))
    // Another client follows the bell, so the bell is published while this client follows it.
    let hello = try yard.hello(1, features: .known)
    try yard.join(1, hello, nonce: 1, [.follow("bell")])
    let wire = try BenchClient(yard)
    let bell = try wire.watch("bell", Yard.exposures.map(\.description))
    try yard.send(.bell(.rung))
    // A row is for its owner only: a view with a row uses the control socket, which is slow.
    wire.control.isHeld = true
    let row = try wire.watch("row/1", Yard.exposures.map(\.description))
    try yard.send(.bell(.rung))
    try yard.send(.bell(.rungTwice))
    #expect(bell.sounds == ["bell 1", "bell 2", "bell 3", "bell 3 again"])
    wire.control.isHeld = false
    try yard.settle()
    try yard.send(.bell(.rung), .rows(.element(id: 1, action: .rung)))
    #expect(bell.sounds == ["bell 1", "bell 2", "bell 3", "bell 3 again", "bell 4"])
    #expect(row.sounds == ["row 1"])
    let shown = bell.log.filter { $0.hasPrefix("shown") }
    #expect(shown == ["shown 0", "shown 1", "shown 2", "shown 3", "shown 3", "shown 5"])
    #expect(wire.client.resyncs == 0)
  }

  @Test("An output of a scope outside the view is counted, and the others are delivered")
  func strangeIndex() throws {
    let bell = try follow("bell")
    wire.alterPublished { message in
      guard case .outputs(var outputs) = message else { return message }
      outputs.outputs.insert(outputs.outputs[0], at: 0)
      outputs.outputs[0].index = 7
      return .outputs(outputs)
    }
    try yard.send(.bell(.touched))
    #expect(wire.client.malformed == 1)
    #expect(bell.sounds == ["bell 0"])
  }
}
