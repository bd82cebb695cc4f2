import StoreDaemon
import Testing

@MainActor
@Suite struct StoreHostTests {
  @Test("A second daemon and a directory that cannot be made are told apart")
  func codes() {
    #expect(HostError.Code.alreadyRunning != .cannotCreate)
    #expect(HostError.Code.alreadyRunning.exitStatus == HostError.Code.cannotCreate.exitStatus)
  }

  @Test("A daemon that exposes two scopes under one name does not start, and says which")
  func repeatedNames() {
    let host = StoreHost(
      initialState: Feature.State(),
      exposures: [
        Expose("one", state: \Feature.State.count),
        Expose("one", state: \.count),
      ],
      configuration: HostConfiguration(directory: "/nowhere"),
    ) {
      Feature()
    }
    let error = #expect(throws: HostError.self) { try host.start() }
    #expect(error?.code == .usage)
    #expect(error?.message.contains("\"one\"") == true)
  }
}

private struct Feature: Reducer {
  struct State: Equatable, Sendable {
    var count = 0
  }

  enum Action: Sendable {}

  var body: some ReducerOf<Self> { EmptyReducer() }
}
