import Foundation
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreJournal
@testable import StoreProtocol

/// Snapshots: the only one has two files, and those of other histories are skipped.
@Suite(.timeLimit(.minutes(1))) struct JournalSnapshotTests {
  private let directory: JournalDirectoryTests.Directory
  private let other: JournalDirectoryTests.Directory

  init() throws {
    directory = try JournalDirectoryTests.Directory()
    other = try JournalDirectoryTests.Directory()
  }

  private static let schema = SchemaRegistry.document(for: [Int].self)

  private func open(
    _ directory: JournalDirectoryTests.Directory? = nil,
    schema: SchemaDocument = schema,
  ) throws -> JournalDirectory {
    try JournalDirectory(
      directory: (directory ?? self.directory).path,
      root: "Test",
      schema: schema,
      durability: .full,
      epoch: 7,
      segmentBytes: 64 << 10,
    )
  }

  private static func snapshot(_ revision: UInt64) -> [UInt8] {
    SnapshotBytes.encode(revision: revision, KeptHistory()) { [Int(revision)].encode(to: &$0) }
  }

  private static func batch(_ revisions: ClosedRange<UInt64>, at time: UInt64 = 1) -> JournalBatch {
    var encoder = CBOREncoder.durable
    for revision in revisions {
      JournalRecord(revision: revision, wallMilliseconds: time, origin: .daemon, delta: nil)
        .encode(to: &encoder)
    }
    return JournalBatch(revisions: revisions, records: encoder.bytes, sessionNumbers: 1)
  }

  private static let initial: UInt64 = 77

  /// A history of some revisions, one per entry, which begins with a snapshot.
  private func history(
    _ last: UInt64 = 9,
    in directory: JournalDirectoryTests.Directory? = nil,
    at time: UInt64 = 1,
  ) throws -> JournalDirectory {
    let file = try open(directory)
    try file.begin(initial: Self.initial)
    try file.write(Self.snapshot(0), of: 0, after: file.mark(at: 0))
    for revision in 1...last {
      try file.append(Self.batch(revision...revision, at: time))
    }
    return file
  }

  private func keep(_ revision: UInt64, in file: JournalDirectory) throws {
    try file.write(Self.snapshot(revision), of: revision, after: file.mark(at: revision))
    JournalDirectory.remove(try file.unneededSnapshots())
  }

  private func path(_ name: String) -> String { "\(directory.path)/snapshots/\(name)" }

  private var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: "\(directory.path)/snapshots").sorted()
    }
  }

  private func damage(_ name: String) throws {
    let url = URL(fileURLWithPath: path(name))
    var bytes = try Data(contentsOf: url)
    bytes[bytes.count / 3] ^= 1
    try bytes.write(to: url)
  }

  /// Returns the revision of the snapshot with which a daemon begins, and its newest one.
  private func found(from initial: UInt64? = nil, atLeast least: Int = 0) throws -> [UInt64] {
    var (start, last): (UInt64?, UInt64) = (nil, 0)
    _ = try open().read(from: initial, atLeast: least) { (part) throws(CodecError) in
      switch part {
      case .build: break
      case .snapshot(let bytes): start = try SnapshotBytes.revision(of: bytes[...])
      case .records(let bytes, _):
        var decoder = CBORDecoder(bytes)
        while decoder.offset < bytes.count {
          last = try JournalRecord(from: &decoder).revision
        }
      }
    }
    return start.map { [$0, last] } ?? [last]
  }

  private func refusal(_ body: () throws -> Void) -> JournalError? {
    do {
      try body()
      return nil
    } catch {
      return error as? JournalError
    }
  }

  // MARK: Too few records

  @Test func `If few records follow the newest snapshot, reading begins at the one before`() throws
  {
    do {
      let file = try history(9)
      try keep(4, in: file)
      try keep(7, in: file)
    }
    #expect(try found(atLeast: 2) == [7, 9])
    #expect(try found(atLeast: 3) == [4, 9])
    let counts = try (2...3).map { least in
      try open().read(atLeast: least) { (_) throws(CodecError) in }.bytes
    }
    #expect(counts[0] > 0 && counts[0] == counts[1], "Records after the newest snapshot count")
    try damage("4.snapshot")
    #expect(try found(atLeast: 3) == [7, 9])
  }

  @Test func `A damaged newest snapshot is found, although the one before would do`() throws {
    do {
      let file = try history(9)
      try keep(4, in: file)
      try keep(7, in: file)
    }
    let few = try open().read(atLeast: 3) { (_) throws(CodecError) in }.bytes
    try damage("7.snapshot")
    let file = try open()
    let bytes = try file.read(atLeast: 3) { (_) throws(CodecError) in }.bytes
    #expect(try file.loneSnapshot?.revision == 4)
    // All records after the only intact snapshot count for the next one.
    #expect(bytes > few)
  }

  @Test func `Reading begins at no snapshot of another build, whose state this one has converted`()
    throws
  {
    do {
      let file = try history(9)
      try keep(4, in: file)
      try keep(7, in: file)
    }
    let otherBuild = SchemaRegistry.document(for: [String].self)
    let later = try open(schema: otherBuild)
    var starts: [UInt64] = []
    for least in [0, 9] {
      _ = try later.read(atLeast: least) { (part) throws(CodecError) in
        if case .snapshot(let bytes) = part {
          starts.append(try SnapshotBytes.revision(of: bytes[...]))
        }
      }
    }
    #expect(starts == [7, 7])
    // It keeps the converted state in a snapshot, and does not read its predecessor's again.
    try later.begin(at: 9)
    try later.write(Self.snapshot(9), of: 9, after: later.mark(at: 9))
    try later.append(Self.batch(10...10))
    JournalDirectory.remove(try later.unneededSnapshots())
    #expect(try names.count == 2)
    try later.close()
    let again = try open(schema: otherBuild)
    starts = []
    let reading = try again.read(atLeast: 9) { (part) throws(CodecError) in
      if case .snapshot(let bytes) = part {
        starts.append(try SnapshotBytes.revision(of: bytes[...]))
      }
    }
    #expect(starts == [9] && reading.obstacle == nil)
  }

  @Test func `If history before the newest snapshot is damaged, reading begins again there`() throws
  {
    do {
      let file = try history(9)
      try keep(4, in: file)
      try keep(7, in: file)
    }
    let segment = try #require(LogSegment.all(in: directory.path).last).path(in: directory.path)
    try SegmentEditor(segment).write { $0.wipe(entry: 5) }
    var snapshots: [UInt64] = []
    let reading = try open().read(atLeast: 9) { (part) throws(CodecError) in
      guard case .snapshot(let bytes) = part else { return }
      snapshots.append(try SnapshotBytes.revision(of: bytes[...]))
    }
    #expect(snapshots == [4, 7])
    #expect(reading.obstacle?.code == .corrupt)
    #expect(try found(atLeast: 9) == [7, 9])
  }

  @Test func `A snapshot from which the log does not lead on is no second one`() throws {
    do {
      let file = try history(9)
      try keep(4, in: file)
      try keep(7, in: file)
    }
    let segment = try #require(LogSegment.all(in: directory.path).last).path(in: directory.path)
    try SegmentEditor(segment).write { $0.wipe(entry: 5) }
    let file = try open()
    _ = try file.read(atLeast: 9) { _ throws(CodecError) in }
    try file.begin()
    #expect(try file.loneSnapshot?.revision == 7)
    try file.completeSnapshots()
    let names = {
      try FileManager.default.contentsOfDirectory(atPath: "\(directory.path)/snapshots")
    }
    #expect(try Set(names()) == ["4.snapshot", "7.snapshot", "7.copy"])
    JournalDirectory.remove(try file.unneededSnapshots())
    #expect(try Set(names()) == ["4.snapshot", "7.snapshot", "7.copy"])
    try keep(9, in: file)
    #expect(try Set(names()) == ["7.snapshot", "9.snapshot"])
    #expect(try file.loneSnapshot == nil)
  }

  @Test func `Reading begins at the newest snapshot if the log does not lead to it`() throws {
    do {
      let file = try history(5)
      try keep(4, in: file)
      // The records up to the second snapshot are lost.
      try file.write(Self.snapshot(8), of: 8, after: nil)
    }
    #expect(try found(atLeast: 9) == [8, 0])
  }

  // MARK: Two files

  @Test(arguments: ["0.snapshot", "0.copy"])
  func `Either file of the only snapshot is enough, and the other one is made again`(
    damaged: String
  ) throws {
    try history().close()
    #expect(try names == ["0.copy", "0.snapshot"])
    let whole = try Data(contentsOf: URL(fileURLWithPath: path(damaged)))
    try damage(damaged)
    #expect(try found() == [0, 9])
    #expect(try JournalReader(directory: directory.path).copy(to: other.path) == 9)
    let file = try open()
    _ = try file.read { (_) throws(CodecError) in }
    try file.begin()
    #expect(try names == ["0.copy", "0.snapshot"])
    try file.completeSnapshots()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path(damaged))) == whole)
    try FileManager.default.removeItem(atPath: path("0.snapshot"))
    #expect(try found() == [0, 9])
  }

  @Test func `The second file is removed when two revisions have snapshots that can be read`()
    throws
  {
    let file = try history()
    try keep(9, in: file)
    #expect(try names == ["0.snapshot", "9.snapshot"])
    try file.append(Self.batch(10...10))
    try damage("9.snapshot")
    try keep(10, in: file)
    #expect(try names == ["0.snapshot", "10.snapshot"], "The one of revision 9 cannot be read")
    try file.append(Self.batch(11...11))
    for name in ["0.snapshot", "10.snapshot"] { try damage(name) }
    try keep(11, in: file)
    #expect(try names == ["11.copy", "11.snapshot"])
  }

  @Test func `A second file stays that is the only one of its revision that can be read`() throws {
    let file = try history()
    try damage("0.snapshot")
    try keep(9, in: file)
    #expect(try names == ["0.copy", "0.snapshot", "9.snapshot"])
    try damage("9.snapshot")
    #expect(try found() == [0, 9])
  }

  @Test func `The only snapshot of a copy has two files`() throws {
    let file = try history()
    let reader = try JournalReader(directory: directory.path)
    _ = try reader.copy(to: other.path)
    let folder = "\(other.path)/snapshots"
    let manager = FileManager.default
    #expect(
      try manager.contentsOfDirectory(atPath: folder).sorted() == ["0.copy", "0.snapshot"]
    )
    #expect(manager.contentsEqual(atPath: "\(folder)/0.copy", andPath: "\(folder)/0.snapshot"))
    try manager.removeItem(atPath: other.path)
    try keep(9, in: file)
    _ = try reader.copy(to: other.path)
    #expect(
      try manager.contentsOfDirectory(atPath: folder).sorted() == ["0.snapshot", "9.snapshot"]
    )
  }

  @Test func `The only snapshot is known with its size, as long as there is no other one`() throws {
    let file = try history()
    let lone = try #require(try file.loneSnapshot)
    #expect(lone.revision == 0 && lone.bytes > 32)
    try keep(9, in: file)
    #expect(try file.loneSnapshot == nil)
  }

  // MARK: Other histories

  /// Copies a snapshot of another history to the directory.
  private func putForeign(_ revision: UInt64, as name: String) throws {
    let file = try history(revision, in: other, at: 2)
    try file.write(Self.snapshot(revision), of: revision, after: file.mark(at: revision))
    let source = "\(other.path)/snapshots/\(revision).snapshot"
    try? FileManager.default.removeItem(atPath: path(name))
    try FileManager.default.copyItem(atPath: source, toPath: path(name))
  }

  @Test(arguments: [5, 9, 29] as [UInt64])
  func `A snapshot of another history is passed over, named, and never removed`(
    revision: UInt64
  ) throws {
    let file = try history()
    let name = "\(revision).snapshot"
    try putForeign(revision, as: name)
    #expect(try found() == [0, 9])
    let reader = try JournalReader(directory: directory.path)
    #expect(try reader.extent().snapshots == [0] && reader.extent().newest == 9)
    #expect(reader.foreignNote.contains(path(name)))
    let again = try open()
    #expect(again.opening.newest == 9 && again.opening.doubt == nil)
    _ = try again.read { (_) throws(CodecError) in }
    try again.begin()
    #expect(again.foreignSnapshots == [path(name)])
    #expect(try names == ["0.copy", "0.snapshot", name], "It is not one of the two")
    for revision in 10...40 as ClosedRange<UInt64> {
      try again.append(Self.batch(revision...revision))
      if revision.isMultiple(of: 10) { try keep(revision, in: again) }
    }
    #expect(try names == ["30.snapshot", "40.snapshot", name].sorted())
    withExtendedLifetime(file) {}
  }

  @Test func `A snapshot of the same history that went another way is passed over`() throws {
    try history(5).close()
    try FileManager.default.removeItem(atPath: other.path)
    try FileManager.default.copyItem(atPath: directory.path, toPath: other.path)
    for (directory, time) in zip([directory, other], [1, 2] as [UInt64]) {
      let file = try open(directory)
      _ = try file.read { (_) throws(CodecError) in }
      try file.begin()
      try file.append(Self.batch(6...6, at: time))
      try keep(6, in: file)
    }
    #expect(try found() == [6, 0])
    try FileManager.default.removeItem(atPath: path("6.snapshot"))
    try FileManager.default.copyItem(
      atPath: "\(other.path)/snapshots/6.snapshot",
      toPath: path("6.snapshot"),
    )
    #expect(try found() == [0, 6])
  }

  @Test
  func `If a snapshot of another history is the only one, it is named, and no history begins`()
    throws
  {
    let file = try history()
    try putForeign(9, as: "9.snapshot")
    for name in ["0.snapshot", "0.copy"] {
      try FileManager.default.removeItem(atPath: path(name))
    }
    let refusal = try #require(refusal { _ = try found() })
    #expect(refusal.code == .corrupt && refusal.message.contains(path("9.snapshot")))
    #expect(refusal.message.contains("another history"), "\(refusal)")
    #expect(try names == ["9.snapshot"])
    withExtendedLifetime(file) {}
  }

  @Test func `A snapshot whose name another history's file has is kept in the second one`() throws {
    let file = try history()
    try putForeign(9, as: "9.snapshot")
    let foreign = try Data(contentsOf: URL(fileURLWithPath: path("9.snapshot")))
    let again = try open()
    _ = try again.read { (_) throws(CodecError) in }
    try again.begin()
    try again.write(Self.snapshot(9), of: 9, after: again.mark(at: 9))
    JournalDirectory.remove(try again.unneededSnapshots())
    #expect(try Data(contentsOf: URL(fileURLWithPath: path("9.snapshot"))) == foreign)
    try again.append(Self.batch(10...10))
    #expect(try found() == [9, 10])
    withExtendedLifetime(file) {}
  }

  @Test func `If the log is older than a snapshot, the history continues from the snapshot`() throws
  {
    let file = try history(5)
    let segment = try #require(LogSegment.all(in: directory.path).first)
    let url = URL(fileURLWithPath: segment.path(in: directory.path))
    let log = try Data(contentsOf: url)
    try file.append(Self.batch(6...9))
    try keep(9, in: file)
    try log.write(to: url)
    let again = try open()
    #expect(again.opening.newest == 9 && again.opening.doubt != nil)
    _ = try again.read { (_) throws(CodecError) in }
    try again.begin()
    try again.append(Self.batch(10...10))
    #expect(try found() == [9, 10], "It is not of another history")
    try keep(10, in: again)
    #expect(try names == ["10.snapshot", "9.snapshot"])
  }

  // MARK: No snapshot

  @Test func `Without a snapshot history continues from the initial state that it began with`()
    throws
  {
    try history().close()
    for name in ["0.snapshot", "0.copy"] { try damage(name) }
    let refused = try #require(refusal { _ = try found() })
    #expect(refused.code == .corrupt && refused.message.contains("--from-initial-state"))
    #expect(try found(from: Self.initial) == [9])
    let other = try #require(refusal { _ = try found(from: 78) })
    #expect(other.message.contains("another one"), "\(other)")
    // A readable snapshot takes precedence.
    let file = try open()
    _ = try file.read(from: Self.initial) { (_) throws(CodecError) in }
    try file.begin()
    try keep(9, in: file)
    #expect(try found(from: 78) == [9, 0])
  }

  @Test func `Records that do not begin with the first one need a snapshot`() throws {
    let file = try open()
    try file.begin(at: 4)
    try file.append(Self.batch(5...6))
    let refused = try #require(refusal { _ = try found(from: Self.initial) })
    #expect(refused.message.contains("after revision 1"), "\(refused)")
    #expect(refusal { _ = try found() }?.message.contains("--from-initial-state") == false)
  }

  @Test func `Records are listed without a snapshot, and without a state`() throws {
    try history().close()
    for name in ["0.snapshot", "0.copy"] {
      try FileManager.default.removeItem(atPath: path(name))
    }
    let reader = try JournalReader(directory: directory.path)
    let extent = try reader.extent()
    #expect(extent.oldestState == nil && extent.beforeRecords == 0 && extent.newest == 9)
    var past = PastReader(reader, GenericPast(), telling: .all)
    let log = HistoryQuery.log(after: 0, count: 100, scope: nil, client: nil)
    guard case .log(let entries, 9, 9) = past.answer(log) else {
      Issue.record("There is no log")
      return
    }
    #expect(entries.count == 9)
    for query in [HistoryQuery.verify, .state(revision: 3, scope: "")] {
      guard case .failed(let error) = past.answer(query) else {
        Issue.record("There is a state")
        return
      }
      #expect(error.code == .corrupt && error.message.contains("salvage"), "\(error)")
    }
    let copy = #expect(throws: HistoryError.self) { try reader.copy(to: other.path) }
    #expect(copy?.code == .corrupt)
  }

  @Test func `A log that ends before a snapshot is listed to its end, and there is no more`() throws
  {
    let file = try history()
    try keep(9, in: file)
    let segment = try #require(LogSegment.all(in: directory.path).last)
    try SegmentEditor(segment.path(in: directory.path)).write {
      for entry in 6...8 { $0.wipe(entry: entry) }
    }
    let reader = try JournalReader(directory: directory.path)
    #expect(try reader.endOfRecords() == 6)
    var past = PastReader(reader, GenericPast(), telling: .all)
    // All entries were examined.
    for (after, count) in [(0, 6), (4, 2), (6, 0), (8, 0)] as [(UInt64, Int)] {
      let log = HistoryQuery.log(after: after, count: 100, scope: nil, client: nil)
      guard case .log(let entries, 9, 9) = past.answer(log) else {
        Issue.record("\(past.answer(log))")
        return
      }
      #expect(entries.count == count)
    }
    // A full page is not the last one.
    let log = HistoryQuery.log(after: 0, count: 6, scope: nil, client: nil)
    guard case .log(_, 6, 9) = past.answer(log) else {
      Issue.record("\(past.answer(log))")
      return
    }
    withExtendedLifetime(file) {}
  }

  #if os(Linux)
  /// The number of bytes that this thread has read.
  private var readBytes: Int {
    get throws {
      let text = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
      let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("rchar: ") })
      return try #require(Int(line.dropFirst("rchar: ".count)))
    }
  }

  @Test func `A segment is read once, however many snapshots it leads to`() throws {
    let file = try open()
    try file.begin()
    for revision in 1...40 as ClosedRange<UInt64> {
      try file.append(Self.batch(revision...revision))
      try file.write(Self.snapshot(revision), of: revision, after: file.mark(at: revision))
    }
    // Unneeded snapshots are removed only with the next snapshot.
    let segment = try #require(LogSegment.all(in: directory.path).last).path(in: directory.path)
    let size = try #require(try DurableFile.size(of: segment))
    try #require(size > 60_000)
    let kept = KeptSnapshots(in: directory.path, of: file.opening.history)
    let before = try readBytes
    #expect(try kept.revisions().count == 40)
    let count = try readBytes - before
    #expect(count < 2 * size, "\(count) bytes for a segment of \(size)")
    withExtendedLifetime(file) {}
  }
  #endif

  @Test func `Records that come before a snapshot that is damaged are listed`() throws {
    let file = try history()
    try keep(9, in: file)
    try file.append(Self.batch(10...12))
    try file.close()
    try damage("0.snapshot")
    var past = PastReader(
      try JournalReader(directory: directory.path),
      GenericPast(),
      telling: .all,
    )
    guard
      case .log(let entries, 12, 12) = past.answer(
        .log(after: 0, count: 100, scope: nil, client: nil)
      )
    else {
      Issue.record("There is no log")
      return
    }
    #expect(entries.count == 12)
  }

  @Test func `An export without a state is marked so, and is not imported`() throws {
    try history().close()
    for name in ["0.snapshot", "0.copy"] { try damage(name) }
    let reader = try JournalReader(directory: directory.path)
    var export = try PastExport(try reader.heading(), format: JournalDirectory.format, reader)
    #expect(export.lacksState)
    var lines = export.begin()
    try reader.records(after: export.revision) { (part) throws(HistoryError) in
      lines += try export.lines(of: part)
      return true
    }
    // The header, the types, nine records.
    #expect(lines.count == 11 && export.revision == 9)
    var past = PastImport()
    let error = #expect(throws: HistoryError.self) { try past.take(lines[0]) }
    #expect(error?.message.contains("--from-initial-state") == true, "\(error as Any)")
  }

  @Test func `An export begins with the oldest snapshot that can be read`() throws {
    let file = try history()
    try keep(9, in: file)
    try file.append(Self.batch(10...12))
    try file.close()
    try damage("0.snapshot")
    let reader = try JournalReader(directory: directory.path)
    let export = try PastExport(try reader.heading(), format: JournalDirectory.format, reader)
    #expect(export.revision == 9 && !export.lacksState)
  }
}
