import StoreProtocol
import StoreServer
import StoreSimulation
import StoreState
import Testing

/// Outputs and clients of a later build on a bad network.
///
/// Planted faults prove that the validators find violations.
@MainActor
@Suite("Outputs and builds in simulated runs", .timeLimit(.minutes(2)))
struct OutputSimulationTests {
  /// A world whose only faults are planted.
  private func calm(
    _ seed: UInt64,
    laterClients: Double = 0.3,
    _ planted: PlantedFault? = nil,
  ) -> History {
    var options = SimulationOptions()
    options.clients = 5
    options.laterClients = laterClients
    options.planted = planted
    return World.history(ofSeed: seed, options: options)
  }

  @Test("Without faults every output arrives, in order, and in each client's build")
  func calmRuns() {
    var heard = 0
    var leftOut = 0
    var later = 0
    var refused = 0
    for seed: UInt64 in 1...12 {
      let history = calm(seed, laterClients: 0.7)
      #expect(history.isCalm)
      #expect(Validator.check(history) == [], "seed \(seed)")
      heard += history.outputsHeard
      leftOut += history.outputsLeftOut
      later += history.laterScopes
      refused += history.refusals.count
    }
    #expect(heard > 200 && leftOut > 3 && later > 100 && refused > 0)
  }

  @Test("Rough runs lose outputs, and keep every promise about the others")
  func roughRuns() {
    var heard = 0
    for seed: UInt64 in 200...220 {
      let history = World.history(ofSeed: seed)
      #expect(Validator.check(history) == [], "seed \(seed)")
      heard += history.outputsHeard
    }
    #expect(heard > 100)
  }

  // MARK: Planted faults

  /// The promises that runs with a planted fault break.
  private func broken(
    _ planted: PlantedFault,
    laterClients: Double = 0.3,
  ) -> Set<String> {
    var broken: Set<String> = []
    for seed: UInt64 in 1...6 {
      let history = calm(seed, laterClients: laterClients, planted)
      broken.formUnion(Validator.check(history).map(\.promise))
    }
    return broken
  }

  @Test("Outputs that arrive twice are found")
  func repeated() {
    #expect(broken(.repeatedOutputs).contains("Outputs in order"))
  }

  @Test("Outputs that arrive in another order are found")
  func swapped() {
    #expect(broken(.swappedOutputs).contains("Outputs in order"))
  }

  @Test("Outputs that arrive at another scope are found")
  func stray() {
    #expect(broken(.strayOutputs).contains("Outputs in place"))
  }

  @Test("Outputs that arrive before their state are found")
  func early() {
    #expect(broken(.earlyOutputs).contains("Outputs in place"))
  }

  @Test("Outputs that do not arrive in a run without other faults are found")
  func dropped() {
    #expect(broken(.droppedOutputs) == ["Outputs arrive"])
  }

  @Test("A client that reads a later build differently from its types is found")
  func otherDefault() {
    let broken = broken(.otherDefault, laterClients: 1)
    #expect(broken.isSuperset(of: ["Cut-consistent", "Identical", "Read your writes"]))
  }

  // MARK: Doctored histories

  @Test("An output that is changed in flight, or invented, is found")
  func changed() throws {
    for change in [[UInt8](), [0x01]] {
      var doctored = calm(2)
      try doctor(&doctored) { record in
        guard case .heard(let replica, let scope, let number, _, let isLater) = record else {
          return nil
        }
        return .heard(
          replica: replica,
          scope: scope,
          number: change.isEmpty ? number + 1_000 : number,
          bytes: change,
          isLater: isLater,
        )
      }
      #expect(!OutputPlace.check(doctored).isEmpty)
    }
  }

  @Test("An action that the daemon's build does not know, and that was applied, is found")
  func unknownApplied() throws {
    var doctored = calm(2, laterClients: 1)
    let unknown = doctored.clients.joined().compactMap { record -> UInt64? in
      if case .submitted(let tag, _, isKnown: false) = record { tag } else { nil }
    }
    let tag = try #require(unknown.first)
    #expect(ExactlyOnce.check(doctored) == [])
    doctored.epochs[0].reductions.append(History.Reduction(revision: 1, tag: tag))
    #expect(!ExactlyOnce.check(doctored).isEmpty)
  }

  @Test("An action that was rejected though the daemon's build knows it is found")
  func knownRejected() throws {
    var doctored = calm(2, laterClients: 1)
    try doctor(&doctored) { record in
      guard case .submitted(let tag, let scope, isKnown: false) = record else { return nil }
      return .submitted(tag: tag, scope: scope, isKnown: true)
    }
    #expect(!ExactlyOnce.check(doctored).isEmpty)
  }

  @Test("A copy of a later build that shows a wrong state is found")
  func laterEnding() throws {
    var doctored = calm(2, laterClients: 1)
    #expect(Identity.check(doctored) == [])
    doctored.endings[doctored.endings.count - 1].shown = [0xf6, 0x01]
    #expect(!Identity.check(doctored).isEmpty)
  }

  @Test("A readable scope that is refused, and a refusal without a reason, are found")
  func refusals() {
    var doctored = calm(2)
    let failure = JoinFailure(code: "schemaMismatch", message: "differs")
    for isReadable in [true, false] {
      doctored.refusals = [
        History.Refusal(client: 1, scope: "list", failure: failure, isReadable: isReadable)
      ]
      #expect(Builds.check(doctored).count == 1)
    }
  }

  @Test("A scope that is followed though it is unreadable, and omitted outputs, are found")
  func unreadable() {
    var doctored = calm(2)
    doctored.endings[0].isReadable = false
    doctored.clients[0].append(.outputsLeftOut(scope: "accounts", reason: "whatever"))
    #expect(Builds.check(doctored).count == 2)
  }

  /// Changes the first record for which `change` returns a value.
  private func doctor(
    _ history: inout History,
    _ change: (History.Record) -> History.Record?,
  ) throws {
    for client in history.clients.indices {
      for place in history.clients[client].indices {
        guard let changed = change(history.clients[client][place]) else { continue }
        history.clients[client][place] = changed
        return
      }
    }
    Issue.record("There was no record to change")
  }
}
