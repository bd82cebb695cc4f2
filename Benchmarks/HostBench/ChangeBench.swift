import StoreActor
import StoreServer

/// Measures the daemon's work for one action that changes one field of any row: it decodes the
/// client's frame, reduces, compares, publishes, answers, keeps the version and occasionally sends
/// a bookmark.
@MainActor
final class ChangeBench {
  let daemon: BenchDaemon
  private var numbers = Pseudorandom(seed: 3)
  private var sequence: UInt64 = 1

  init(rows: Int) throws {
    daemon = BenchDaemon(rows: rows)
    try daemon.follow("todos")
  }

  /// Returns the frames of a number of actions.
  func frames(_ count: Int) throws -> [[UInt8]] {
    try (0..<count).map { _ in
      let id = daemon.ids[Int.random(in: daemon.ids.indices, using: &numbers)]
      defer { sequence += 1 }
      return try BenchDaemon.toggle(id, sequence: sequence)
    }
  }

  /// Takes the frames, each in a separate turn.
  func take(_ frames: [[UInt8]]) { for frame in frames { daemon.turn(frame) } }

  /// Returns the CPU time per action in nanoseconds.
  func nanoseconds(_ count: Int) throws -> Double {
    let frames = try frames(count)
    let applied = daemon.server.counters.actionsApplied
    let cost = Machine.cost { take(frames) }
    let done = Int(daemon.server.counters.actionsApplied - applied)
    guard done == count else { throw BenchError("\(done) of \(count) actions were applied") }
    return Double(cost) / Double(count)
  }

  private static let warmUp = 600

  static func run(_ arguments: inout Arguments) throws {
    let rows = arguments.numbers("--rows", or: [1000, 1_000_000])
    let actions = arguments.number("--actions", or: 2000)
    if rows.count == 1 {
      return try runOnce(rows: rows[0], actions: actions, isIdle: arguments.flag("--idle"))
    }
    let rounds = arguments.number("--rounds", or: 9)
    try compare(rows[0], rows[1], actions: actions, rounds: rounds).printLine()
  }

  /// For a program that counts instructions: runs with or without the work, all else equal.
  private static func runOnce(rows: Int, actions: Int, isIdle: Bool) throws {
    let bench = try ChangeBench(rows: rows)
    // Warms up, which includes some bookmarks, so that these costs are not part of the difference.
    bench.take(try bench.frames(warmUp))
    let frames = try bench.frames(actions)
    if !isIdle { bench.take(frames) }
  }

  static func compare(_ few: Int, _ many: Int, actions: Int, rounds: Int) throws -> Figures {
    let benches = try [few, many].map { try ChangeBench(rows: $0) }
    // Warms up, and fills the ring of versions.
    for bench in benches { _ = try bench.nanoseconds(actions) }
    var samples = [Samples(), Samples()]
    for _ in 0..<rounds {
      for (index, bench) in benches.enumerated() {
        samples[index].append(try bench.nanoseconds(actions))
      }
    }
    var figures = Figures()
    figures.set("few_rows", few)
    figures.set("many_rows", many)
    figures.set("few_ns", samples[0])
    figures.set("many_ns", samples[1])
    figures.set("ratio", samples[1] / samples[0])
    return figures
  }
}
