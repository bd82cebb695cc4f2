import Foundation
public import StoreState

@testable import StoreHistory
@testable import StoreJournal
@testable import StoreProtocol
@testable import StoreServer

extension Array: DurableState where Element == Int {}

/// A history whose state at a revision is that revision's number, and its daemon.
///
/// Each entry has two revisions, and each segment has a few entries.
struct KeptNumbers {
  static let initial: UInt64 = 77
  static let last: UInt64 = 20
  static let schema = SchemaRegistry.document(for: [Int].self)

  /// The directory's path.
  let path: String

  init(_ path: String) { self.path = path }

  func open() throws -> JournalDirectory {
    try JournalDirectory(
      directory: path,
      root: "Test",
      schema: Self.schema,
      durability: .none,
      epoch: 7,
      segmentBytes: LogHeader.pageBytes + 300,
    )
  }

  var segments: [LogSegment] { get throws { try LogSegment.all(in: path) } }

  func edit(_ segment: LogSegment, _ change: (inout SegmentEditor) throws -> Void) throws {
    try SegmentEditor(segment.path(in: path)).write(change)
  }

  func file(_ revision: UInt64, isCopy: Bool = false) -> String {
    SnapshotFile.path(of: revision, in: path, isCopy: isCopy)
  }

  static func snapshot(_ revision: UInt64) -> [UInt8] {
    SnapshotBytes.encode(revision: revision, KeptHistory()) { [Int(revision)].encode(to: &$0) }
  }

  static func record(
    _ revision: UInt64,
    by origin: JournalRecord.Origin = .daemon,
    delta: [UInt8]? = nil,
  ) -> [UInt8] {
    var changes = CBOREncoder.durable
    var record = CBOREncoder.durable
    _ = [Int(revision)].encodeDelta(from: [Int(revision) - 1], to: &changes)
    JournalRecord(
      revision: revision,
      wallMilliseconds: 1,
      origin: origin,
      delta: delta ?? changes.bytes,
    ).encode(to: &record)
    return record.bytes
  }

  static func batch(_ revisions: ClosedRange<UInt64>, _ records: [UInt8]? = nil) -> JournalBatch {
    JournalBatch(
      revisions: revisions,
      records: records ?? revisions.flatMap { record($0) },
      sessionNumbers: 1,
    )
  }

  /// Writes the history.
  ///
  /// - Parameters:
  ///   - snapshots: The revisions that have a snapshot.
  ///   - last: The last revision.
  ///   - entry: The first revision and the records of an entry with other contents.
  ///   - snapshot: The revision and the bytes of a snapshot with other contents.
  /// - Throws: The journal's errors.
  func write(
    snapshots: Set<UInt64>,
    through last: UInt64 = last,
    entry: (first: UInt64, records: [UInt8])? = nil,
    snapshot: (revision: UInt64, content: [UInt8])? = nil,
  ) throws {
    let file = try open()
    try file.begin(initial: Self.initial)
    for revision in stride(from: 0, through: last, by: 2) as StrideThrough<UInt64> {
      if revision > 0 {
        let records = entry?.first == revision - 1 ? entry?.records : nil
        try file.append(Self.batch(revision - 1...revision, records))
      }
      guard snapshots.contains(revision) else { continue }
      let content = snapshot?.revision == revision ? snapshot?.content : nil
      let bytes = content ?? Self.snapshot(revision)
      try file.write(bytes, of: revision, after: file.mark(at: revision))
    }
    withExtendedLifetime(file) {}
  }

  /// Starts a daemon and appends to the journal.
  ///
  /// - Returns: The revision from which the daemon continues.
  /// - Throws: The error that prevents the start.
  @MainActor
  func start() throws -> UInt64 {
    let file = try open()
    let recovery = Recovery(DurableForm([Int].self), initial: [0])
    _ = try file.read { (part) throws(CodecError) in
      switch part {
      case .build(let schema): try recovery.written(by: schema)
      case .snapshot(let bytes): try recovery.take(snapshot: bytes[...])
      case .records(let bytes, let sessionNumbers):
        try recovery.take(records: bytes[...])
        recovery.take(sessionNumbers: sessionNumbers)
      }
    }
    let recovered = recovery.finish(wasStopped: file.opening.isClean)
    try file.begin(at: recovered.revision)
    try file.append(Self.batch(recovered.revision + 1...recovered.revision + 1))
    try file.close()
    return recovered.revision
  }

  /// The damage that `storectl verify --data` reports.
  var damage: [String] {
    get throws {
      let survey = try LogSurvey(path)
      var texts = survey.problems.filter { $0.severity == .damage }.map(\.text)
      do {
        let reader = try JournalReader.whole(directory: path)
        var past = PastReader(reader, GenericPast(), limits: .unlimited, telling: .all)
        if case .failed(let error) = past.answer(.verify) { throw error }
      } catch {
        texts.append("\(error)")
      }
      return texts
    }
  }
}
