import StoreServer
import StoreState
import Testing

@testable import StoreSimulation

/// Runs the protocol on a network that drops, delays, cuts and duplicates.
@MainActor
@Suite(.timeLimit(.minutes(2)))
struct SimulationTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `A world is gone after its run`(seed: UInt64) {
    weak var world: World?
    weak var client: SimulatedClient?
    weak var daemon: SimulatedDaemon?
    func run() {
      let new = World(seed: seed)
      _ = new.run()
      (world, client, daemon) = (new, new.clients.first, new.daemon)
    }
    run()
    #expect(world == nil && client == nil && daemon == nil)
  }

  @Test("A hundred simulated runs keep every promise")
  func seeds() {
    var faults: UInt64 = 0
    var markers: UInt64 = 0
    var steps: UInt64 = 0
    var refusals = 0
    for seed: UInt64 in 1...100 {
      let history = World.history(ofSeed: seed)
      let violations = Validator.check(history)
      #expect(violations.isEmpty, "seed \(seed); run simulator --seed \(seed) --verbose")
      faults += history.resyncs + (history.counters["duplicates"] ?? 0)
      markers += history.counters["markers"] ?? 0
      steps += history.counters["deltas"] ?? 0
      refusals += history.refusals.count { !history.mayHave($0.client, $0.scope) }
    }
    #expect(refusals > 10, "no client was refused for missing rights")
    #expect(markers > 20 && steps > 2 * markers, "\(markers) of \(steps) steps are too large")
    #expect(faults > 0, "no message was lost or sent again, so the runs test no repair")
  }

  @Test("Three hundred runs of daemons that restart from their disk keep every promise")
  func disks() {
    var (recoveries, fencings) = (0, 0)
    var pauses: UInt64 = 0
    for seed: UInt64 in 1...300 {
      let options = SimulationOptions(seed: seed).withDisk(seed: seed)
      let history = World.history(ofSeed: seed, options: options)
      let violations = Validator.check(history)
      let settings = options.differences(fromSeed: seed).map { "--set \($0)" }
      #expect(
        violations == [],
        "simulator --seed \(seed) \(settings.joined(separator: " ")) --verbose",
      )
      recoveries += history.recoveries
      fencings += history.fencings
      pauses += history.counters["pauses"] ?? 0
    }
    #expect(recoveries > 300)
    #expect(pauses > 100, "frames were left unfinished \(pauses) times, while the disk wrote")
    #expect(fencings > 10, "no daemon was fenced while it had records to write")
  }

  @Test("Equal seeds give equal runs, and different seeds different ones")
  func determinism() {
    let first = World.history(ofSeed: 7).fingerprint
    #expect(World.history(ofSeed: 7).fingerprint == first)
    #expect(World.history(ofSeed: 8).fingerprint != first)
  }
}

/// Every validator finds its violations in a history that was doctored.
@MainActor
@Suite struct ValidatorTests {
  static let history = World.history(ofSeed: 3, options: SimulationOptions())

  private var history: History { Self.history }

  @Test("An honest history has no violations")
  func honest() {
    #expect(Validator.check(history) == [])
  }

  @Test("An action that was reduced twice is found")
  func twice() throws {
    var doctored = history
    let first = try #require(doctored.epochs[0].reductions.first)
    doctored.epochs[0].reductions.append(first)
    #expect(!ExactlyOnce.check(doctored).isEmpty)
  }

  @Test("An action without an outcome is found")
  func noOutcome() throws {
    var doctored = history
    let client = try #require(doctored.clients.firstIndex { !settled(in: $0).isEmpty })
    let place = try #require(settled(in: doctored.clients[client]).first)
    doctored.clients[client].remove(at: place)
    #expect(!ExactlyOnce.check(doctored).isEmpty)
  }

  @Test("Actions out of their order are found")
  func disorder() {
    var doctored = history
    doctored.epochs[0].reductions.swapAt(0, doctored.epochs[0].reductions.count - 1)
    #expect(!SerialOrder.check(doctored).isEmpty)
  }

  @Test("A state that no revision had is found")
  func falseState() throws {
    var doctored = history
    try change(&doctored) { shown in
      guard !shown.scopes.isEmpty else { return false }
      shown.scopes[0].bytes = [0x18, 0x2a]
      return true
    }
    #expect(!CutConsistency.check(doctored).isEmpty)
  }

  @Test("A delta that was applied twice is found")
  func repeated() throws {
    var doctored = history
    for client in doctored.clients.indices {
      guard
        let place = doctored.clients[client].firstIndex(where: {
          if case .applied = $0 { true } else { false }
        })
      else { continue }
      doctored.clients[client].insert(doctored.clients[client][place], at: place)
      break
    }
    #expect(!DeltaOrder.check(doctored).isEmpty)
  }

  @Test("A write that its author cannot read is found")
  func unread() {
    var doctored = history
    for client in doctored.clients.indices {
      var first: History.Record?
      doctored.clients[client] = doctored.clients[client].map { record in
        guard case .shown = record else { return record }
        first = first ?? record
        return first ?? record
      }
    }
    #expect(!ReadYourWrites.check(doctored).isEmpty)
  }

  @Test("A copy that drifted apart is found")
  func drift() {
    var doctored = history
    doctored.endings[0].ours = Digest(rawValue: ~doctored.endings[0].theirs.rawValue)
    #expect(!Identity.check(doctored).isEmpty)
  }

  @Test("A session that was added twice is found")
  func sessionTwice() throws {
    var doctored = history
    let last = doctored.epochs.count - 1
    let change = try #require(doctored.epochs[last].sessions.first)
    doctored.epochs[last].sessions.append(change)
    #expect(!SessionBound.check(doctored).isEmpty)
  }

  @Test("A new history without a client's notification is found")
  func untold() throws {
    let histories = (1...20).lazy.map { World.history(ofSeed: $0) }
    var doctored = try #require(histories.first { $0.epochs.count > 1 })
    for client in doctored.clients.indices {
      doctored.clients[client].removeAll { if case .newEpoch = $0 { true } else { false } }
    }
    #expect(!Resumption.check(doctored).isEmpty)
  }

  @Test("A revision that was shown and reverted is found, and so is a state that differs")
  func takenBack() throws {
    var doctored = history
    doctored.epochs[0].released = 2
    let root = doctored.epochs[0].roots[1]
    doctored.resume(from: 1, root)
    #expect(Durable.check(doctored).count >= 2)
    #expect(doctored.epochs[0].roots.count == 2)
    doctored.losses = []
    doctored.resume(from: 1, Board.State())
    #expect(Durable.check(doctored).count == 1)
  }

  @Test("A run that does not come to rest is found")
  func restless() {
    var doctored = history
    doctored.unrest = "a client still joins"
    #expect(!Rest.check(doctored).isEmpty)
  }

  private func settled(in records: [History.Record]) -> [Int] {
    records.indices.filter { if case .settled = records[$0] { true } else { false } }
  }

  /// Changes the first shown state for which `body` returns true.
  private func change(
    _ history: inout History,
    _ body: (inout History.Shown) -> Bool,
  ) throws {
    for client in history.clients.indices {
      for place in history.clients[client].indices {
        guard case .shown(var shown) = history.clients[client][place], body(&shown) else {
          continue
        }
        history.clients[client][place] = .shown(shown)
        return
      }
    }
    Issue.record("No state was shown that could be changed")
  }
}
