import StoreActor
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreProtocol
@testable import StoreServer

/// Outputs of the daemon: docs/PROTOCOL.md §8.
@Suite(.timeLimit(.minutes(1)))
@MainActor
struct ServerOutputTests {
  private let yard = BenchOf<Yard.State, Yard.Action>()
  private let wire: BenchClient

  init() throws { wire = try BenchClient(yard) }

  private func follow(_ name: String) throws {
    _ = try wire.watch(name, Yard.exposures.map(\.description))
  }

  /// A short description of the published messages.
  private func kinds(_ messages: [PublishedMessage]) -> [String] {
    messages.map {
      switch $0 {
      case .echo: "echo"
      case .deltas(let run): "deltas \(run.sequence)+\(run.steps.count - 1)"
      case .bookmark: "bookmark"
      case .outputs(let outputs):
        "outputs after \(outputs.sequence): \(outputs.outputs.map(\.revision))"
      case .marker(let marker): "marker \(marker.sequence)"
      }
    }
  }

  @Test("§8: the outputs of a turn are one message, directly after the run of its revisions")
  func behindTheRun() throws {
    try follow("bell")
    wire.published.isHeld = true
    try yard.send(.bell(.rung), .bell(.touched), .bell(.rungTwice))
    try yard.send(.bell(.rung))
    #expect(
      kinds(try wire.heldMessages()) == [
        "deltas 1+1", "outputs after 2: [1, 2, 3, 3]", "deltas 3+0", "outputs after 3: [4]",
      ]
    )
  }

  @Test("§8: an output whose revision does not change the view arrives without a run")
  func withoutRun() throws {
    try follow("bell")
    wire.published.isHeld = true
    try yard.send(.batsCame, .bell(.touched))
    #expect(kinds(try wire.heldMessages()) == ["outputs after 0: [2]"])
    #expect(yard.server.nextDeadline != nil, "leases still end")
  }

  @Test("§8: an output belongs to the scopes of its action, by the scopes' index")
  func scopes() throws {
    try follow("row/2")
    try follow("bell")
    try follow("row/1")
    wire.published.isHeld = true
    // In the order of names: bell, row/1, row/2.
    try yard.send(.rows(.element(id: 2, action: .rung)), .bell(.rung), .spare(.rung), .batsCame)
    let indices = try wire.heldMessages().flatMap { message -> [Int] in
      if case .outputs(let outputs) = message { outputs.outputs.map(\.index) } else { [] }
    }
    #expect(indices == [2, 0])
  }

  @Test("Outputs of a scope that names no type, or another one, stay with the daemon")
  func unnamed() throws {
    try follow("mute")
    wire.published.isHeld = true
    try yard.send(.bell(.rungTwice))
    #expect(kinds(try wire.heldMessages()) == ["deltas 1+0"])
    #expect(yard.server.counters.outputs == 0)
  }

  @Test("A daemon whose scopes name no output type does not inspect outputs")
  func none() throws {
    let yard = BenchOf(exposures: [Expose("mute", state: \.bell, action: \.bell)])
    #expect(yard.root.onOutput == nil)
  }

  @Test("§8.1: the description has the outputs' schema, if there is one")
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
      // Without outputs the encoding is as before.
      #expect(encoder.bytes.first == (description.output == nil ? 0x85 : 0x86))
    }
  }

  @Test("A private output is omitted, and no byte of it is written")
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
