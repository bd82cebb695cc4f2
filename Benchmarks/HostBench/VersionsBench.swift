import StoreActor
import StoredWorkspace

/// The memory of a large state, and of a daemon that keeps versions of it.
@MainActor
enum VersionsBench {
  static func run(_ arguments: inout Arguments) throws {
    let rows = arguments.number("--rows", or: 1_000_000)
    if arguments.flag("--state") {
      stateFigures(rows: rows).printLine()
    } else {
      try figures(rows: rows, versions: arguments.number("--versions", or: 1000)).printLine()
    }
  }

  /// Measures the state alone: for a separate process, since freed memory stays with the process.
  static func stateFigures(rows: Int) -> Figures {
    let start = Machine.memoryBytes
    let todos = BenchDaemon.todos(rows)
    var figures = Figures()
    figures.set("rows", rows)
    figures.set("mib", withExtendedLifetime(todos) { mebibytes(since: start) })
    return figures
  }

  /// Measures a daemon with a client after a number of changes of one row each.
  static func figures(rows: Int, versions: Int) throws -> Figures {
    let start = Machine.memoryBytes
    let bench = try ChangeBench(rows: rows)
    let before = mebibytes(since: start)
    // In small batches, since the frames' memory is not the daemon's.
    for _ in 0..<max(1, versions / 100) {
      bench.take(try bench.frames(min(versions, 100)))
    }
    let all = withExtendedLifetime(bench) { mebibytes(since: start) }
    var figures = Figures()
    figures.set("rows", rows)
    figures.set("versions", versions)
    // The ids are the benchmark's own.
    let ids = Double(rows * 16) / 1_048_576
    figures.set("mib", all - ids)
    figures.set("versions_mib", all - before)
    return figures
  }

  private static func mebibytes(since start: Int) -> Double {
    Double(Machine.memoryBytes - start) / 1_048_576
  }
}
