import Foundation
import StoreHistory
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A daemon that is killed again and again while clients send to it.
struct CrashLoop {
  /// How often a daemon is killed; `CRASH_ROUNDS` sets it.
  static let rounds =
    ProcessInfo.processInfo.environment["CRASH_ROUNDS"].flatMap { Int($0) } ?? 21

  /// Whether daemons can be ended at named places.
  static let hasFailpoints =
    ProcessInfo.processInfo.environment["PROGRAMS"] == nil
    || ProcessInfo.processInfo.environment["FAILPOINTS"] != nil

  let world: World
  let program: Program
  let arguments: [String]
  /// Whether the daemon keeps so little history that it reaches all failpoints.
  let reachesAll: Bool

  /// Starts a daemon that may end at a failpoint, also before it is ready.
  func startDaemon(_ round: Int) async throws -> ChildProcess {
    let environment = CrashPlace(round: round)?.environment(in: world) ?? [:]
    let daemon = try world.start(program, arguments, environment: environment)
    try await waitForFirst([
      { _ = try await daemon.output.lines(atLeast: 1) }, { _ = try await daemon.ended() },
    ])
    return daemon
  }

  /// Ends a daemon in the middle of its round, as a client sees it.
  ///
  /// If the round certainly reaches a failpoint, it waits for that end instead.
  func end(
    _ daemon: ChildProcess,
    _ round: Int,
    when client: ChildProcess,
    hasSeen lines: Int,
  ) async throws {
    if !reachesAll || CrashPlace(round: round)?.isSure != true {
      try await waitForFirst([
        { _ = try await client.output.lines(atLeast: lines) }, { _ = try await daemon.ended() },
      ])
      daemon.send(signal: SIGKILL)
    }
    #expect(try await daemon.ended(within: .seconds(30)) == .signal(SIGKILL), "round \(round)")
  }

  /// Expects that each failpoint has ended a daemon.
  func checkPlaces() throws {
    let sure = (0..<Self.rounds).compactMap(CrashPlace.init).filter(\.isSure)
    guard !sure.isEmpty else { return }
    let names = sure.map(\.point.rawValue)
    let notes = try String(contentsOfFile: "\(world.directory)/places", encoding: .utf8)
    let reached = Set(notes.split(separator: "\n").map(String.init))
    #expect(reached.isSuperset(of: names), "\(Set(names).subtracting(reached)) was not reached")
    #expect(Self.rounds < 21 || sure.count == Failpoint.allCases.count)
  }
}

/// A failpoint at which a daemon ends.
struct CrashPlace {
  let point: Failpoint
  /// The number of the pass at which the daemon ends.
  let count: Int
  /// Whether a round certainly reaches that pass.
  let isSure: Bool

  /// Each failpoint in turn, between rounds in which only a signal ends the daemon.
  ///
  /// Those of the recovery are first, since they need the data of a daemon without a failpoint.
  init?(round: Int) {
    guard CrashLoop.hasFailpoints, !round.isMultiple(of: 3) else { return nil }
    let first: [Failpoint] = [.duringRecovery, .afterRecovery]
    let points = first + Failpoint.allCases.filter { !first.contains($0) }
    let number = round * 2 / 3
    point = points[number % points.count]
    isSure = number < points.count
    let sure =
      switch point {
      // The first pass is the daemon's own at its start.
      case .beforeAppend, .afterAppend, .beforeCommit, .afterCommit: 2
      // After answers to hellos and joins.
      case .beforeAck, .afterAck: 8
      case .beforePublishing, .afterPublishing, .duringSnapshot, .afterSnapshot,
        .duringRotation, .duringTruncation, .duringRecovery, .afterRecovery:
        1
      }
    count = isSure || first.contains(point) ? sure : .random(in: 1...20)
  }

  /// The environment in which a daemon ends here, and often writes snapshots and segments.
  func environment(in world: World) -> [String: String] {
    [
      "STOREACTOR_FAILPOINT": "\(point.rawValue):\(count)",
      "STOREACTOR_FAILPOINT_NOTES": "\(world.directory)/places",
      "STOREACTOR_SNAPSHOT_BYTES": "2000",
      "STOREACTOR_SEGMENT_BYTES": "10000",
    ]
  }
}
