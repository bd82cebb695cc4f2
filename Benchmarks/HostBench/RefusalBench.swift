import StoreActor
import StoreDaemon
import StoreProtocol
import StoreReplica
import StoreState
import ZeroMQ

/// A feature that accepts an action, which changes nothing, and refuses another one.
private struct Decision: Reducer {
  struct State: Equatable, Sendable, ReplicatedRecord {
    var count = 0

    static let layout = RecordLayout<Self>("Decision", [.field("count", \.count)])
  }

  enum Action: Sendable, WireChoiceAction {
    case accepted
    case refused

    static let layout = ActionLayout<Self>(
      "Decision.Action",
      [.case("accepted", .accepted), .case("refused", .refused)],
    )
  }

  var body: some ReducerOf<Self> {
    Reduce { _, action in
      switch action {
      case .accepted: .none
      case .refused: .refuse("The queue is full.", code: "full")
      }
    }
  }
}

/// Compares a refused action with one that changes nothing, over real sockets.
@MainActor
enum RefusalBench {
  /// Runs the daemon until it is killed.
  static func serve(_ arguments: inout Arguments) throws {
    let host = StoreHost(
      initialState: Decision.State(),
      exposures: [Expose("decision", state: \.self, action: \.self)],
      configuration: HostConfiguration(directory: try directory(&arguments)),
    ) {
      Decision()
    }
    try host.run { _ in Machine.announce("ready rows=0") }
  }

  /// Sends one action at a time, in rounds of both kinds, and prints the ratio of their medians.
  static func run(_ arguments: inout Arguments) throws {
    let client = try Follower(
      1,
      of: StoreLocation(directory: try directory(&arguments)),
      scope: "decision",
      replica: nil,
      context: try Context(),
    )
    let poller = Poller(client.sockets.map { .socket($0) })
    func turn() throws {
      _ = try poller.wait(timeout: .milliseconds(1))
      try client.turn()
    }
    while !client.isReady { try turn() }
    func latency(_ count: Int, _ action: [UInt8], refused isRefused: Bool) throws -> Double {
      var samples = Samples()
      for _ in 0..<count {
        let start = Machine.nanoseconds
        var outcome: Outcome?
        try client.submit(action).whenSettled { outcome = $0 }
        while outcome == nil { try turn() }
        samples.append(Double(Machine.nanoseconds - start) / 1000)
        if case .failed(let failure)? = outcome {
          guard isRefused else { throw BenchError("The action was refused: \(failure.message)") }
        } else if isRefused {
          throw BenchError("The action was not refused.")
        }
      }
      return samples.median
    }
    let actions = arguments.number("--actions", or: 2000)
    let (accepted, refused) = (
      try Decision.Action.accepted.encoded(), try Decision.Action.refused.encoded(),
    )
    _ = try latency(actions, accepted, refused: false)
    var (ratios, unchanged) = (Samples(), Samples())
    for _ in 0..<arguments.number("--rounds", or: 7) {
      let one = try latency(actions, accepted, refused: false)
      unchanged.append(one)
      ratios.append(try latency(actions, refused, refused: true) / one)
    }
    var figures = Figures()
    figures.set("ratio", ratios)
    figures.set("unchanged_us", unchanged)
    figures.printLine()
  }

  private static func directory(_ arguments: inout Arguments) throws -> String {
    guard let directory = arguments.text("--dir") else {
      throw BenchError("The option --dir DIR is missing.")
    }
    return directory
  }
}
