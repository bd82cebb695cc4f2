import Foundation
import StoreActor
import StoreHistory
import StoreJournal
import StoreServer
import StoreState
import StoredWorkspace

/// Measures the size of a daemon's persisted data, and the time of a commit under load.
@MainActor
enum KeepBench {
  static func run(_ arguments: inout Arguments) throws {
    guard let path = arguments.text("--data") else { throw BenchError("keep needs --data") }
    let toggles = arguments.number("--toggles", or: 1_000_000)
    let rows = arguments.number("--rows", or: 1000)
    let hasSnapshots = !arguments.flag("--no-snapshots")
    let retention = Retention(bytes: arguments.number("--retain", or: Retention().bytes))
    HostBench.runToEnd {
      try await figures(
        path,
        toggles: toggles,
        rows: rows,
        hasSnapshots: hasSnapshots,
        retention: retention,
      )
      .printLine()
    }
  }

  static func figures(
    _ path: String,
    toggles: Int,
    rows: Int,
    hasSnapshots: Bool,
    retention: Retention = Retention(),
  ) async throws -> Figures {
    let daemon = try KeptDaemon(
      data: path,
      rows: rows,
      hasSnapshots: hasSnapshots,
      retention: retention,
    )
    let start = Machine.writtenBytes
    try await daemon.toggle(toggles)
    let journal = try await daemon.close()
    var figures = Figures()
    figures.set("toggles", toggles)
    figures.set("record_bytes", journal.recordBytes)
    figures.set("data_bytes", try bytes(of: path))
    figures.set("written_bytes", Machine.writtenBytes - start)
    let sorted = journal.commits.values.sorted()
    figures.set("commits", sorted.count)
    figures.set("snapshots", journal.snapshots)
    figures.set("commit_p50_ms", journal.commits.median)
    figures.set("commit_p99_ms", sorted.isEmpty ? 0 : sorted[(sorted.count * 99) / 100])
    figures.set("commit_most_ms", journal.commits.greatest)
    return figures
  }

  /// Returns the bytes of a directory's files.
  private static func bytes(of path: String) throws -> Int {
    try FileManager.default.subpathsOfDirectory(atPath: path).reduce(0) { sum, name in
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
      guard attributes[.type] as? FileAttributeType == .typeRegular else { return sum }
      return sum + (attributes[.size] as? Int ?? 0)
    }
  }
}

/// Measures the recovered records per second.
@MainActor
enum RecoverBench {
  static func run(_ arguments: inout Arguments) throws {
    guard let path = arguments.text("--data") else { throw BenchError("recover needs --data") }
    try figures(path, rounds: arguments.number("--rounds", or: 3)).printLine()
  }

  static func figures(_ path: String, rounds: Int) throws -> Figures {
    var (samples, records) = (Samples(), 0)
    for _ in 0..<rounds {
      let start = Machine.nanoseconds
      let file = try KeptDaemon.open(path)
      let recovery = Recovery(KeptDaemon.form, initial: WorkspaceFeature.State())
      _ = try file.read { (part) throws(CodecError) in
        switch part {
        case .build(let schema): try recovery.written(by: schema)
        case .snapshot(let bytes): try recovery.take(snapshot: bytes[...])
        case .records(let bytes, let sessionNumbers):
          try recovery.take(records: bytes[...])
          recovery.take(sessionNumbers: sessionNumbers)
        }
      }
      records = Int(recovery.finish().revision)
      let seconds = Double(Machine.nanoseconds - start) / 1e9
      samples.append(Double(records) / seconds)
    }
    var figures = Figures()
    figures.set("records", records)
    figures.set("records_per_s", samples)
    return figures
  }
}

/// Measures the read of a large snapshot, in turn with decoding and hashing its bytes.
@MainActor
enum ReadBench {
  static func run(_ arguments: inout Arguments) throws {
    guard let path = arguments.text("--data") else { throw BenchError("read needs --data") }
    try figures(
      path,
      rows: arguments.number("--rows", or: 1_400_000),
      rounds: arguments.number("--rounds", or: 3),
    )
    .printLine()
  }

  static func figures(_ path: String, rows: Int, rounds: Int) throws -> Figures {
    let form = KeptDaemon.form
    let state = WorkspaceFeature.State(todos: BenchDaemon.todos(rows))
    let item = form.encoded(state)
    let snapshot = Recovery(form, initial: state).finish().snapshot(form)
    let file = try KeptDaemon.open(path)
    try file.begin()
    try file.write(snapshot, of: 0)
    var (reads, bare) = (Samples(), Samples())
    for _ in 0..<rounds {
      let start = Machine.nanoseconds
      let recovery = Recovery(form, initial: WorkspaceFeature.State())
      _ = try file.read { (part) throws(CodecError) in
        if case .snapshot(let bytes) = part { try recovery.take(snapshot: bytes[...]) }
      }
      reads.append(Double(Machine.nanoseconds - start) / 1e6)
      guard recovery.finish().root == state else { throw BenchError("another state was read") }
      let bareStart = Machine.nanoseconds
      let sum = SipHash24.hash(item[...])
      let root = try form.decoded(item[...])
      bare.append(Double(Machine.nanoseconds - bareStart) / 1e6)
      guard root == state, sum != 0 else { throw BenchError("another state was decoded") }
    }
    var figures = Figures()
    figures.set("rows", rows)
    figures.set("mb", Double(snapshot.count) / 1e6)
    figures.set("read_ms", reads)
    figures.set("ratio", reads / bare)
    return figures
  }
}
