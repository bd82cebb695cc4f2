import StoreActor
import StoreState
import Testing

@testable import StoreReplication

/// Outputs as a client gets them: docs/PROTOCOL.md §8, §9.
@Suite(.timeLimit(.minutes(1)))
@MainActor
struct ClientOutputTests {
  @Test("§8: outputs come in order, behind the state of their revision, when all have seen it")
  func order() {
    let bench = OutputBench()
    let bell = bench.follow("bell").replica
    bench.send(.bell(.rungTwice), .bell(.rung))
    #expect(
      bell.log.dropFirst(3) == [
        "applied 1", "applied 2", "settled at 2", "announced", "bell 1 at 1", "bell 1 again at 1",
        "bell 2 at 2",
      ]
    )
  }

  @Test("An effect's output comes between revisions, to whoever follows the scope")
  func effect() async {
    let bench = OutputBench()
    let bell = bench.follow("bell").replica
    let row = bench.follow("row/1").replica
    bench.send(.bell(.rungLater))
    await eventually { bench.gate.waiting == 1 }
    bench.gate.open()
    await eventually {
      bench.pump()
      return !bell.sounds.isEmpty
    }
    #expect(bell.sounds == ["late"])
    #expect(bench.client.resyncs == 0)
    #expect(row.sounds == [])
  }

  @Test("Two followers of a scope get each output once, and one who left gets no more")
  func followers() {
    let bench = OutputBench()
    let (one, scope) = bench.follow("bell")
    let other = bench.follow("bell").replica
    bench.send(.bell(.rung))
    bench.unfollow(scope)
    bench.send(.bell(.rung))
    #expect(one.sounds == ["bell 1"])
    #expect(other.sounds == ["bell 1", "bell 2"])
  }

  @Test("An optional scope and a row have outputs as well")
  func kinds() {
    let bench = OutputBench()
    let spare = bench.follow("spare").replica
    let row = bench.follow("row/2").replica
    bench.send(
      .spare(.touched),
      .rows(.element(id: 1, action: .rung)),
      .rows(.element(id: 2, action: .rung)),
    )
    #expect(spare.sounds == ["spare 0"])
    #expect(row.sounds == ["row 2"])
  }

  @Test("§9: a scope that stays misses no output and gets none twice while another one is joined")
  func keptAcrossJoin() throws {
    let bench = OutputBench()
    let bell = bench.follow("bell").replica
    bench.holdsPublished = true
    bench.send(.bell(.rung))
    let row = YardReplica()
    _ = bench.client.add("row/1", mode: .follow, replica: row)
    // The join, its fence and its echo; revisions on either side of it.
    bench.pump()
    bench.send(.bell(.rung), .rows(.element(id: 1, action: .rung)))
    bench.holdsPublished = false
    bench.deliverPublished()
    bench.pump()
    bench.send(.bell(.rung))
    #expect(bell.sounds == ["bell 1", "bell 2", "bell 3"])
    #expect(row.sounds == ["row 1"])
    #expect(bench.client.resyncs == 0)
  }

  @Test("§9: outputs behind the echo wait for the snapshot, and come behind their deltas then")
  func waitForCaptures() {
    let bench = OutputBench()
    let bell = bench.follow("bell").replica
    bench.holdsJobs = true
    let row = bench.follow("row/1").replica
    bench.send(.bell(.rung))
    bench.send(.rows(.element(id: 1, action: .rung)))
    #expect(bell.sounds == [])
    bench.holdsJobs = false
    bench.pump()
    #expect(bell.log.suffix(4) == ["applied 1", "settled at 1", "announced", "bell 1 at 1"])
    #expect(
      row.log == [
        "reset at 0", "settled at 0", "announced", "applied 2", "settled at 2", "announced",
        "row 1 at 2",
      ]
    )
  }

  @Test("§9: outputs that come ahead of their deltas show a loss, and are lost with them")
  func lostDeltas() throws {
    let bench = OutputBench()
    let bell = bench.follow("bell").replica
    bench.holdsPublished = true
    bench.send(.bell(.rung))
    bench.loseFirst()
    bench.holdsPublished = false
    bench.deliverPublished()
    bench.pump()
    #expect(bench.client.resyncs == 1)
    #expect(bell.sounds == [])
    #expect(bell.log.contains("applied 1"), "the state is repaired: \(bell.log)")
    bench.send(.bell(.rung))
    #expect(bell.sounds == ["bell 2"])
  }

  @Test("A lost message of outputs disturbs nothing")
  func lostOutputs() throws {
    let bench = OutputBench()
    let bell = bench.follow("bell").replica
    bench.holdsPublished = true
    bench.send(.bell(.touched))
    bench.send(.bell(.rung))
    bench.loseFirst()
    bench.holdsPublished = false
    bench.deliverPublished()
    bench.pump()
    #expect(bell.sounds == ["bell 1"])
    #expect(bench.client.resyncs == 0)
  }

  @Test("Outputs of a break are not repeated after it")
  func breaks() {
    let bench = OutputBench()
    let bell = bench.follow("bell").replica
    bench.holdsPublished = true
    bench.send(.bell(.rung))
    // The connection breaks, and with it what was on the way.
    while !bench.published.isEmpty { bench.loseFirst() }
    bench.holdsPublished = false
    bench.connect()
    #expect(bell.log.contains("applied 1"))
    #expect(bell.sounds == [])
    bench.send(.bell(.rung))
    #expect(bell.sounds == ["bell 2"])
  }

  @Test("An output of a scope that the view does not have is counted, and the others are told")
  func strangeIndex() throws {
    let bench = OutputBench()
    let bell = bench.follow("bell").replica
    bench.holdsPublished = true
    bench.send(.bell(.touched))
    let topic = try #require(bench.published.first?.topic)
    guard case .outputs(var outputs)? = try bench.messages().first else {
      Issue.record("No outputs")
      return
    }
    outputs.outputs.insert(outputs.outputs[0], at: 0)
    outputs.outputs[0].index = 7
    let frame = PublishedMessage.outputs(outputs).encoded()
    let now = Moment(instant: Instant(nanoseconds: 0), wallMilliseconds: 1_000)
    bench.client.receive(topic: topic[...], body: frame[...], at: now)
    #expect(bench.client.malformed == 1)
    #expect(bell.sounds == ["bell 0"])
  }
}
