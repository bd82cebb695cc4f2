import StoreActor
import StoreState
import Testing

@testable import StoreProtocol
@testable import StoreReplica
@testable import StoreServer

/// Outputs between programs of different builds: docs/PROTOCOL.md §2.1, §8.
@MainActor
@Suite("Outputs of a daemon of another build", .timeLimit(.minutes(1)))
struct OutputEvolutionTests {
  /// Follows the scope and reads its outputs as one type.
  private func listen<Output: Sendable>(
    _ bench: BenchClient,
    as type: Output.Type,
  ) throws -> Listener<Output> {
    let (_, replica) = try bench.follow("chimes", Chimes.self)
    return Listener(replica)
  }

  private func leftOut(_ bench: BenchClient) -> [String] {
    bench.events.compactMap {
      if case .outputsLeftOut(scope: "chimes", let reason) = $0 { reason } else { nil }
    }
  }

  private func descriptions(_ bench: BenchClient) -> Int {
    bench.sent.filter { if case .describe = $0 { true } else { false } }.count
  }

  @Test("§2.1: a newer client reads an older daemon's by its own names, defaults and kinds")
  func newerClient() throws {
    let daemon = BenchOf(chimes: OldSound.self)
    let bench = try BenchClient(daemon)
    let listener = try listen(bench, as: NewSound.self)
    try daemon.put([.struck(.init(pitch: 3, name: "low")), .rest, .echoed(.near)])
    let struck = NewSound.struck(.init(label: "low", volume: 5, pitch: 3))
    #expect(listener.heard == [struck, .rest, .echoed(.near)])
    #expect(leftOut(bench) == [])
    #expect(bench.resynchronizations == [])
  }

  @Test("An older client omits an unknown case, reports it once, and receives the other outputs")
  func olderClient() throws {
    let daemon = BenchOf(chimes: MiddleSound.self)
    let bench = try BenchClient(daemon)
    let listener = try listen(bench, as: OldSound.self)
    let struck = MiddleSound.struck(.init(label: "a", pitch: 7))
    try daemon.put([.swung, struck, .swung, .echoed(.far), .echoed(.near), .rest])
    try daemon.put([.swung])
    #expect(listener.heard == [.struck(.init(pitch: 7, name: "none")), .echoed(.near), .rest])
    #expect(
      leftOut(bench) == [
        "OldSound has no \"swung\" here. Update this program",
        "OldSound has no \"echoed.far\" here. Update this program",
      ]
    )
    #expect(bench.resynchronizations == [])
  }

  @Test("Unreadable outputs are refused once, with the fields that differ, and the state continues")
  func refused() throws {
    let daemon = BenchOf(chimes: OldSound.self)
    let bench = try BenchClient(daemon)
    let listener = try listen(bench, as: OtherSound.self)
    try daemon.put([.rest, .struck(.init(pitch: 1, name: "x"))])
    try daemon.put([.rest])
    #expect(listener.heard == [])
    #expect(
      leftOut(bench) == [
        """
        they cannot be read as OtherSound: Sound.struck.key: only here, \
        without a default; Sound.struck._0.pitch: text here, int32 there
        """
      ]
    )
    #expect(listener.replica.shown?.strikes == 2)
    #expect(descriptions(bench) == 1)
  }

  @Test("A type without a common field is not filled with defaults")
  func stranger() throws {
    let daemon = BenchOf(chimes: OldSound.self)
    let bench = try BenchClient(daemon)
    let record = try listen(bench, as: Postcard.self)
    let choice = try listen(bench, as: Weather.self)
    let text = try listen(bench, as: String.self)
    let local = try listen(bench, as: LocalOnly.self)
    try daemon.put([.rest])
    #expect(record.heard == [] && choice.heard == [] && text.heard == [] && local.heard == [])
    #expect(
      leftOut(bench) == [
        "they cannot be read as Postcard: Postcard: a choice there, a record here",
        "they cannot be read as Weather: nothing in common with Sound",
        "they cannot be read as String: $: text here, Sound there",
      ]
    )
    let other = BenchOf(chimes: Postcard.self, epoch: 2)
    try bench.connect(to: other)
    let letter = try listen(bench, as: Letter.self)
    try other.put([Postcard(text: "x")])
    #expect(letter.heard == [])
    #expect(leftOut(bench).last == "they cannot be read as Letter: nothing in common with Postcard")
  }

  @Test("A program of the same build sends no question, and receives outputs at once")
  func sameBuild() throws {
    let daemon = BenchOf(chimes: OldSound.self)
    let bench = try BenchClient(daemon)
    let listener = try listen(bench, as: OldSound.self)
    try daemon.put([.rest])
    #expect(listener.heard == [.rest])
    #expect(descriptions(bench) == 0)
  }

  @Test("Outputs that arrive before their schema wait for it, and stay in order")
  func waiting() throws {
    let daemon = BenchOf(chimes: OldSound.self)
    let bench = try BenchClient(daemon)
    let listener = try listen(bench, as: NewSound.self)
    var kept: DaemonMessage?
    bench.alter { message in
      guard case .description = message else { return message }
      kept = message
      return .pong(
        number: 0,
        revision: 0,
        watermark: DaemonMessage.Watermark(nonce: 0, sequence: 0),
      )
    }
    try daemon.put([.rest, .struck(.init(pitch: 1, name: "x"))])
    try daemon.put([.echoed(.near)])
    #expect(listener.heard == [])
    #expect(listener.replica.shown?.strikes == 2, "the state does not wait")
    bench.alter { $0 }
    try bench.deliver(try #require(kept))
    #expect(
      listener.heard
        == [.rest, .struck(.init(label: "x", volume: 5, pitch: 1)), .echoed(.near)]
    )
    try daemon.put([.rest])
    #expect(listener.heard.last == .rest)
    #expect(descriptions(bench) == 1)
  }

  @Test("After a restart as another build the next outputs are read by its schema")
  func restart() throws {
    let daemon = BenchOf(chimes: OldSound.self)
    let bench = try BenchClient(daemon)
    let listener = try listen(bench, as: NewSound.self)
    try daemon.put([.struck(.init(pitch: 1, name: "old"))])
    let middle = BenchOf(chimes: MiddleSound.self, epoch: 2)
    try bench.connect(to: middle)
    try middle.put([.struck(.init(label: "mid", pitch: 2))])
    let new = BenchOf(chimes: NewSound.self, epoch: 3)
    try bench.connect(to: new)
    try new.put([.swung])
    #expect(
      listener.heard == [
        .struck(.init(label: "old", volume: 5, pitch: 1)),
        .struck(.init(label: "mid", volume: 5, pitch: 2)), .swung,
      ]
    )
    #expect(descriptions(bench) == 2)
    #expect(leftOut(bench) == [])
  }

  @Test("Two listeners share one question, and both receive every output")
  func twoListeners() throws {
    let daemon = BenchOf(chimes: MiddleSound.self)
    let bench = try BenchClient(daemon)
    let new = try listen(bench, as: NewSound.self)
    let old = try listen(bench, as: OldSound.self)
    try daemon.put([.struck(.init(label: "a", pitch: 2))])
    #expect(new.heard == [.struck(.init(label: "a", volume: 5, pitch: 2))])
    #expect(old.heard == [.struck(.init(pitch: 2, name: "none"))])
    #expect(descriptions(bench) == 1)
  }

  @Test("A daemon whose outputs contradict its description is asked once, and not believed")
  func liar() throws {
    let daemon = BenchOf(chimes: OldSound.self)
    let bench = try BenchClient(daemon)
    let listener = try listen(bench, as: NewSound.self)
    bench.alterPublished { message in
      guard case .outputs(var outputs) = message else { return message }
      for index in outputs.outputs.indices { outputs.outputs[index].schema = Digest(rawValue: 1) }
      return .outputs(outputs)
    }
    for _ in 0..<3 { try daemon.put([.rest]) }
    #expect(listener.heard == [])
    #expect(leftOut(bench) == ["the daemon does not say what they are"])
    #expect(descriptions(bench) == 1)
    bench.alterPublished { $0 }
    try daemon.put([.rest])
    #expect(listener.heard == [.rest])
  }

  @Test("An output that does not match its own schema is omitted, and later ones are delivered")
  func malformed() throws {
    let daemon = BenchOf(chimes: OldSound.self)
    let bench = try BenchClient(daemon)
    let listener = try listen(bench, as: NewSound.self)
    bench.alterPublished { message in
      guard case .outputs(var outputs) = message else { return message }
      outputs.outputs[0].value = [0x05]
      return .outputs(outputs)
    }
    try daemon.put([.rest, .echoed(.near)])
    #expect(listener.heard == [.echoed(.near)])
    #expect(leftOut(bench).count == 1)
    #expect(leftOut(bench).first?.hasPrefix("one cannot be read as NewSound: ") == true)
  }

  @Test("If too many outputs wait for a schema, the oldest are lost")
  func flood() throws {
    let origin = SilentOrigin()
    var heard: [NewSound] = []
    let feed = OutputFeed(NewSound.self) { heard.append($0) }
    let document = SchemaRegistry.document(for: OldSound.self)
    for tone in 0..<300 {
      let sound = OldSound.struck(.init(pitch: Int32(tone), name: ""))
      feed.take(
        EncodedOutput(bytes: sound.encoded()[...], schema: document.hash, origin: origin)
      )
    }
    #expect(heard.isEmpty && origin.bodies.count == 1)
    origin.bodies.first?(document)
    #expect(heard.count == 256)
    #expect(heard.first == .struck(.init(label: "", volume: 5, pitch: 44)))
    #expect(heard.last == .struck(.init(label: "", volume: 5, pitch: 299)))
  }
}

/// Answers a schema request only when a test calls its body.
@MainActor
private final class SilentOrigin: OutputOrigin {
  var bodies: [@MainActor (SchemaDocument?) -> Void] = []

  func findSchema(
    _ hash: Digest,
    _ body: @escaping @MainActor (SchemaDocument?) -> Void,
  ) { bodies.append(body) }

  func leftOut(_ reason: String) {}
}

/// Records the outputs of one type.
@MainActor
private final class Listener<Output: Sendable> {
  let replica: TypedReplica<Chimes>
  private(set) var heard: [Output] = []
  private var subscription: StoreSubscription?

  init(_ replica: TypedReplica<Chimes>) {
    self.replica = replica
    let feed = OutputFeed(Output.self) { [weak self] in self?.heard.append($0) }
    subscription = replica.outputs.add { feed.take($0) }
  }
}
