import Foundation
import StoreActor
import StoreHistory
import StoreJournal
import StoreProtocol
import StoreServer
import StoreState
import StoredWorkspace

/// Measures a daemon's start after a large entry that was written in part, in turn with a start
/// after a whole one.
@MainActor
enum TornBench {
  static func run(_ arguments: inout Arguments) throws {
    guard let path = arguments.text("--data") else { throw BenchError("torn needs --data") }
    try figures(
      path,
      bytes: arguments.number("--bytes", or: 8 << 20),
      rounds: arguments.number("--rounds", or: 7),
    )
    .printLine()
  }

  static func figures(_ path: String, bytes: Int, rounds: Int) throws -> Figures {
    var (whole, torn) = (Samples(), Samples())
    for round in 0..<rounds {
      whole.append(try start("\(path)/whole\(round)", bytes, isTorn: false))
      torn.append(try start("\(path)/torn\(round)", bytes, isTorn: true))
    }
    var figures = Figures()
    figures.set("bytes", bytes)
    figures.set("whole_ms", whole)
    figures.set("torn_ms", torn)
    figures.set("ratio", torn / whole)
    return figures
  }

  /// Writes a history of one entry with a large action, and starts after it.
  ///
  /// - Returns: The time of the start in milliseconds.
  private static func start(_ path: String, _ bytes: Int, isTorn: Bool) throws -> Double {
    let form = KeptDaemon.form
    let state = WorkspaceFeature.State()
    try write(path, bytes)
    if isTorn {
      let log = "\(path)/log"
      let name = try FileManager.default.contentsOfDirectory(atPath: log).filter {
        $0.hasSuffix(".log")
      }
      .max()
      guard let name else { throw BenchError("there is no segment in \(log)") }
      let url = URL(fileURLWithPath: "\(log)/\(name)")
      // The file may have preallocated zeros after the entry.
      guard let last = try Data(contentsOf: url).lastIndex(where: { $0 != 0 }) else {
        throw BenchError("there is no entry in \(log)/\(name)")
      }
      let handle = try FileHandle(forWritingTo: url)
      try handle.truncate(atOffset: UInt64(last - bytes / 16))
      try handle.close()
    }
    let start = Machine.nanoseconds
    let file = try KeptDaemon.open(path)
    let recovery = Recovery(form, initial: state)
    _ = try file.read { (part) throws(CodecError) in
      switch part {
      case .build(let schema): try recovery.written(by: schema)
      case .snapshot(let bytes): try recovery.take(snapshot: bytes[...])
      case .records(let bytes, _): try recovery.take(records: bytes[...])
      }
    }
    let recovered = recovery.finish()
    try file.begin(at: recovered.revision)
    let end = Machine.nanoseconds
    guard recovered.revision == (isTorn ? 0 : 1), (file.opening.tornBytes > 0) == isTorn else {
      throw BenchError("revision \(recovered.revision), \(file.opening.tornBytes) bytes torn")
    }
    return Double(end - start) / 1e6
  }

  private static func write(_ path: String, _ bytes: Int) throws {
    let file = try KeptDaemon.open(path)
    try file.begin()
    let recovered = Recovery(KeptDaemon.form, initial: WorkspaceFeature.State()).finish()
    try file.write(recovered.snapshot(KeptDaemon.form), of: 0)
    let action = JournalRecord.ClientAction(
      client: Identifier(high: 1, low: 1),
      session: 1,
      sequence: 1,
      scope: "todos",
      action: Array(repeating: 0x61, count: bytes),
    )
    var encoder = CBOREncoder.durable
    JournalRecord(revision: 1, wallMilliseconds: 1, origin: .client(action), delta: nil)
      .encode(to: &encoder)
    try file.append(JournalBatch(revisions: 1...1, records: encoder.bytes, sessionNumbers: 1))
  }
}
