import StoreActor
import StoreState
import Testing

@testable import StoreReplication

/// Outputs of the daemon: docs/PROTOCOL.md §8.
@Suite(.timeLimit(.minutes(1)))
@MainActor
struct ServerOutputTests {
  /// What was published, in short.
  private func kinds(_ messages: [PublishedMessage]) -> [String] {
    messages.map {
      switch $0 {
      case .echo: "echo"
      case .deltas(let run): "deltas \(run.sequence)+\(run.steps.count - 1)"
      case .bookmark: "bookmark"
      case .outputs(let outputs):
        "outputs behind \(outputs.sequence): \(outputs.outputs.map(\.revision))"
      }
    }
  }

  @Test("§8: the outputs of a turn are one message, right behind the run of its revisions")
  func behindTheRun() throws {
    let bench = OutputBench()
    _ = bench.follow("bell")
    bench.holdsPublished = true
    bench.send(.bell(.rung), .bell(.touched), .bell(.rungTwice))
    bench.send(.bell(.rung))
    #expect(
      kinds(try bench.messages()) == [
        "deltas 1+1", "outputs behind 2: [1, 2, 3, 3]", "deltas 3+0", "outputs behind 3: [4]",
      ]
    )
  }

  @Test("§8: an output whose revision changes nothing of the view comes without a run")
  func withoutRun() throws {
    let bench = OutputBench()
    _ = bench.follow("bell")
    bench.holdsPublished = true
    bench.send(.batsCame, .bell(.touched))
    #expect(kinds(try bench.messages()) == ["outputs behind 0: [2]"])
    #expect(bench.server.nextDeadline != nil, "leases still end")
  }

  @Test("§8: an output belongs to the scopes whose action made it, by the scopes' index")
  func scopes() throws {
    let bench = OutputBench()
    _ = bench.follow("row/2")
    _ = bench.follow("bell")
    _ = bench.follow("row/1")
    bench.holdsPublished = true
    // By name: bell, row/1, row/2.
    bench.send(.rows(.element(id: 2, action: .rung)), .bell(.rung), .spare(.rung), .batsCame)
    let indices = try bench.messages().flatMap { message -> [Int] in
      if case .outputs(let outputs) = message { outputs.outputs.map(\.index) } else { [] }
    }
    #expect(indices == [2, 0])
  }

  @Test("Outputs of a scope that names no type, or another one, stay with the daemon")
  func unnamed() throws {
    let bench = OutputBench()
    _ = bench.follow("mute")
    bench.holdsPublished = true
    bench.send(.bell(.rungTwice))
    #expect(kinds(try bench.messages()) == ["deltas 1+0"])
    #expect(bench.server.counters.outputs == 0)
  }

  @Test("A daemon none of whose scopes names a type of outputs does not look at them")
  func none() throws {
    let bench = OutputBench(exposures: [Expose("mute", state: \.bell, action: \.bell)])
    #expect(bench.root.onOutput == nil)
  }

  @Test("§8.1: the description has the outputs' schema where there is one")
  func description() throws {
    let descriptions = Yard.exposures.map(\.description)
    let sound = SchemaRegistry.document(for: Yard.Sound.self)
    #expect(descriptions.map(\.output) == [sound, nil, sound, sound])
    for description in descriptions {
      var encoder = CBOREncoder()
      description.encode(to: &encoder)
      var decoder = CBORDecoder(encoder.bytes[...])
      #expect(try ScopeDescription(from: &decoder) == description)
      try decoder.finish()
      // Nothing more than before where there are no outputs.
      #expect(encoder.bytes.first == (description.output == nil ? 0x85 : 0x86))
    }
  }

  @Test("An output that may not travel is left out, with nothing of it written")
  func privateCase() throws {
    let outputs = try #require(ScopeOutputs(Yard.BellAction.self))
    var encoder = CBOREncoder()
    func encode(_ output: any Sendable) -> [UInt8]? {
      let mark = encoder.mark
      defer { encoder.truncate(to: mark) }
      return outputs.encode(output, into: &encoder) ? encoder.bytes : nil
    }
    #expect(encode(Yard.BellAction.rung) == "rung".encoded())
    #expect(encode(Yard.BellAction.touched) == nil)
    #expect(encoder.bytes.isEmpty)
    #expect(encode(Yard.Sound()) == nil)
  }
}
