import FarmHost
import Foundation
import PrintFarm
import StoreActor
import StoreClient
import StoreDaemon
import StoreTesting
import Testing

/// Tests of the history that a real farm keeps on the disk.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(2)))
struct HistoryTests {
  /// A layer is printed at once, but for one that is never printed.
  private static func hardware(stuckIn stuck: Int? = nil) -> Hardware {
    Hardware { layer, job in
      guard layer == stuck, job.id == 1 else { return }
      for await _ in AsyncStream<Never>.makeStream().stream {}
    }
  }

  /// Serves a host while a client works with its farm.
  private func serve<State, Action>(
    _ host: StoreHost<State, Action>,
    in directory: String,
    _ work: (StoreOf<Farm>, StoreConnection) async throws -> Void,
  ) async throws {
    let (ends, end) = AsyncStream.makeStream(of: HostError?.self)
    try host.start { end.yield($0) }
    let connection = try StoreConnection(to: StoreLocation(directory: directory), name: "test")
    try await work(connection.store("farm", Farm.self), connection)
    host.stop()
    for await error in ends {
      #expect(error == nil)
      break
    }
  }

  private func add(_ jobs: Int, to farm: StoreOf<Farm>) async throws {
    for _ in 0..<jobs {
      _ = try await farm.send(.addButtonTapped(file: "cube", layers: 60)).reply(Int.self)
    }
  }

  /// Waits until all jobs have ended, but for one.
  private func ends(of farm: StoreOf<Farm>, without job: Int? = nil) async {
    for await state in AsyncStream(statesOf: farm)
    where state.jobs.allSatisfy({ $0.isOver || $0.id == job }) { break }
  }

  private func inDirectory(_ body: (String) async throws -> Void) async throws {
    let name = "farm-\(UInt32.random(in: 0 ... .max))"
    let directory = FileManager.default.temporaryDirectory.appending(path: name)
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(directory.path)
  }

  @Test func `A history of effects, settings and a restart leads to the same states`()
    async throws
  {
    try await inDirectory { directory in
      // The journal keeps a date only if the live dependency has read it.
      let first = farmHost(in: directory) {
        $0.context = .live
        $0.hardware = Self.hardware(stuckIn: 30)
      }
      try await serve(first, in: directory) { farm, connection in
        let settings = withDependencies {
          connection.share(in: &$0)
        } operation: {
          Shared(wrappedValue: Settings(), .store("settings"))
        }
        try await Shared.update(settings) { $0.mostLayers = 60 }
        try await add(5, to: farm)
        await #expect(throws: ActionFailure.self) {
          try await farm.send(.addButtonTapped(file: "tower", layers: 61)).applied()
        }
        await ends(of: farm, without: 1)
      }
      let second = farmHost(in: directory) {
        $0.context = .live
        $0.hardware = Self.hardware()
      }
      try await serve(second, in: directory) { farm, _ in
        #expect(farm.settings.mostLayers == 60)
        await ends(of: farm)
      }
      let report = try farmHost(in: directory) { $0.context = .live }.replay()
      #expect(report.difference == nil, "\(report)")
      #expect(report.checked >= 300, "\(report)")
      #expect(report.unchecked == [:], "\(report)")
    }
  }

  /// An entry has one record here.
  ///
  /// The growth of an entry with many records approaches the growth of its records.
  @Test func `The forms of actions add at most 20 percent to an entry, and 30 to a record`()
    async throws
  {
    let kept = try await logSizes(of: Farm(), \.self)
    let formless = try await logSizes(of: FormlessFarm(), \.f)
    #expect(kept.entries * 100 <= formless.entries * 120, "\(kept), without forms \(formless)")
    #expect(kept.records * 100 <= formless.records * 130, "\(kept), without forms \(formless)")
  }

  /// The bytes of the log after five jobs on one printer: of its entries, and of their records.
  private func logSizes<Action: Sendable>(
    of farm: some Reducer<Farm.State, Action>,
    _ action: any CaseKeyPath<Action, Farm.Action> & Sendable,
  ) async throws -> (entries: Int, records: Int) {
    var sizes = (entries: 0, records: 0)
    try await inDirectory { directory in
      var configuration = HostConfiguration(directory: directory)
      configuration.data = "\(directory)/data"
      // Without `onStart` there is no schedule, which a root without forms cannot keep.
      configuration.startsSafely = true
      let host = StoreHost(
        initialState: Farm.State(printers: 1),
        exposures: [Expose("farm", state: \.self, action: action, replies: Int.self)],
        configuration: configuration,
        withDependencies: { $0.hardware = Self.hardware() },
      ) {
        farm
      }
      try await serve(host, in: directory) { farm, _ in
        try await add(5, to: farm)
        await ends(of: farm)
      }
      let log = URL(filePath: "\(directory)/data/log/00000000000000000001-1.log")
      // A head of 64 bytes has the size of the records; an entry begins at a multiple of eight.
      let bytes = try Data(contentsOf: log).dropFirst(4096)
      bytes.withUnsafeBytes { bytes in
        while sizes.entries + 64 <= bytes.count {
          let size = bytes.loadUnaligned(fromByteOffset: sizes.entries + 8, as: Int64.self)
          sizes.records += Int(size)
          sizes.entries += (64 + Int(size) + 7) / 8 * 8
        }
      }
    }
    return sizes
  }
}

/// The farm without forms: its journal has only the names of the actions that effects send.
///
/// The root's action is no `DurableAction`. Its case has a short name, because the log repeats it.
@Reducer
private struct FormlessFarm {
  typealias State = Farm.State

  enum Action: Equatable, Sendable, WireAction {
    case f(Farm.Action)
  }

  var body: some ReducerOf<Self> {
    Scope(\.self, action: \.f) { Farm() }
  }
}
