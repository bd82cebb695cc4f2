import Foundation
import StoreActor
import StoreClient
import StoreDaemon
import Testing

@Reducer
private struct Tally {
  @ObservableState
  struct State: Equatable, ReplicatedState, Sendable {
    var count = 0
  }

  enum Action: Equatable, Sendable, WireAction {
    case incrementButtonTapped
  }

  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.count += 1
      return .none
    }
  }
}

/// A user-defined daemon and its client in the test's process.
@MainActor
@Suite struct DaemonInProcessTests {
  @Test func `A daemon and its client run in one test`() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tally-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let host = StoreHost(
      initialState: Tally.State(),
      exposures: [Expose("tally", state: \.self, action: \.self)],
      configuration: HostConfiguration(directory: directory),
    ) {
      Tally()
    }
    try host.start()
    defer { host.stop() }
    let connection = try StoreConnection(to: StoreLocation(directory: directory), name: "test")
    let tally = try await connection.store("tally", Tally.self)
    try await tally.send(.incrementButtonTapped).applied()
    #expect(tally.count == 1)
    #expect(host.store.count == 1)
  }

  @Test func `A configuration names the program, and ignores an invalid name`() {
    var configuration = HostConfiguration(directory: "/run/app")
    let own = configuration.name
    #expect(!own.isEmpty)
    configuration.name = "farmd"
    #expect(configuration.name == "farmd")
    configuration.name = " "
    #expect(configuration.name == own)
  }
}
