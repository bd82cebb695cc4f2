import Foundation
import StoreState
import Synchronization
import Testing

@testable import StoreHistory
@testable import StoreJournal
@testable import StoreProtocol

/// Copies of a journal: as a whole, up to a revision, or not at all.
@Suite(.timeLimit(.minutes(1))) struct JournalCopyTests {
  private let source: JournalDirectoryTests.Directory
  private let target: JournalDirectoryTests.Directory

  init() throws {
    source = try JournalDirectoryTests.Directory()
    target = try JournalDirectoryTests.Directory()
  }

  private static let schema = SchemaRegistry.document(for: [Int].self)

  private func open(
    _ directory: String,
    epoch: UInt64 = 7,
    segmentBytes: Int = 64 << 10,
  ) throws -> JournalDirectory {
    try JournalDirectory(
      directory: directory,
      root: "Test",
      schema: Self.schema,
      durability: .full,
      epoch: epoch,
      segmentBytes: segmentBytes,
    )
  }

  private func keep(_ revision: UInt64, in file: JournalDirectory) throws {
    try file.write(Self.snapshot(revision), of: revision)
    JournalDirectory.remove(try file.unneededSnapshots())
  }

  private static func snapshot(_ revision: UInt64) -> [UInt8] {
    SnapshotBytes.encode(revision: revision, KeptHistory()) {
      [Int(revision)].encode(to: &$0)
    }
  }

  private static func records(_ revisions: ClosedRange<UInt64>) -> [UInt8] {
    var encoder = CBOREncoder.durable
    for revision in revisions {
      JournalRecord(revision: revision, wallMilliseconds: 1, origin: .daemon, delta: nil)
        .encode(to: &encoder)
    }
    return encoder.bytes
  }

  private static func batch(_ revisions: ClosedRange<UInt64>) -> JournalBatch {
    JournalBatch(
      revisions: revisions,
      records: records(revisions),
      sessionNumbers: revisions.upperBound,
    )
  }

  /// A journal of ten revisions, three in an entry, with snapshots of 0 and 6.
  private func begun(segmentBytes: Int = 64 << 10) throws -> JournalDirectory {
    let file = try open(source.path, segmentBytes: segmentBytes)
    try file.begin()
    try file.write(Self.snapshot(0), of: 0)
    for revisions in [1...3, 4...6, 7...9] as [ClosedRange<UInt64>] {
      try file.append(Self.batch(revisions))
    }
    try file.write(Self.snapshot(6), of: 6)
    try file.append(Self.batch(10...10))
    return file
  }

  /// Returns the number of a history, which its newest segment and all its snapshots contain.
  private func number(_ directory: String) throws -> UInt64 {
    let newest = try #require(LogSegment.all(in: directory).last)
    let number = try LogHeader(of: newest, in: directory).history
    let snapshots = KeptSnapshots(in: directory, of: 0)
    for revision in try snapshots.revisions() {
      #expect(try snapshots.read(revision)?.fields.history == number, "\(revision)")
    }
    return number
  }

  @Test func `A history has one number in all of its epochs, and a copy of it has another one`()
    throws
  {
    let file = try begun()
    let first = try number(source.path)
    #expect(first != 0)
    try file.renew(epoch: 9)
    try file.append(Self.batch(11...11))
    try file.close()
    #expect(try number(source.path) == first)
    // Simulates a copied file, which begins another epoch.
    let newest = try #require(LogSegment.all(in: source.path).last).path(in: source.path)
    try SegmentEditor(newest).write { $0.header.file = "1.1" }
    let again = try open(source.path)
    #expect(again.opening.doubt != nil && again.opening.epoch != 9)
    _ = try again.read { _ throws(CodecError) in }
    try again.begin()
    try again.append(Self.batch(12...12))
    try again.write(Self.snapshot(12), of: 12)
    #expect(try number(source.path) == first)
    try again.close()
    #expect(try JournalReader(directory: source.path).copy(to: target.path) == 12)
    let copied = try number(target.path)
    #expect(copied != 0 && copied != first)
    let restored = try JournalDirectoryTests.Directory()
    #expect(try JournalReader(directory: target.path).copy(to: restored.path, through: 11) == 11)
    #expect(try ![0, first, copied].contains(number(restored.path)))
  }

  /// Describes the parts that a daemon reads.
  private func parts(_ file: JournalDirectory) throws -> [String] {
    var parts: [String] = []
    _ = try file.read { part throws(CodecError) in
      switch part {
      case .build: break
      case .snapshot(let bytes):
        parts.append("snapshot \(try SnapshotBytes.decode(bytes[...]).revision)")
      case .records(let bytes, let sessions):
        var decoder = CBORDecoder(bytes)
        while decoder.offset < bytes.count {
          parts.append("\(try JournalRecord(from: &decoder).revision)")
        }
        parts.append("sessions \(sessions)")
      }
    }
    return parts
  }

  /// Changes the first segment without the journal's knowledge.
  private func tamper(_ change: (inout SegmentEditor) -> Void) throws {
    let segment = try #require(LogSegment.all(in: source.path).first)
    try SegmentEditor(segment.path(in: source.path)).write(change)
  }

  /// Changes the first record of an entry.
  private func damage(entry: Int) throws {
    try tamper { $0.bytes[$0.entries[entry].lowerBound + LogEntry.Head.bytes] ^= 1 }
  }

  private func copy(through revision: UInt64? = nil) throws -> UInt64 {
    try JournalReader(directory: source.path).copy(to: target.path, through: revision)
  }

  @Test func `A copy of a journal that is being written has all, and begins another epoch`() throws
  {
    let file = try begun()
    #expect(try copy() == 10)
    try file.append(Self.batch(11...11))
    let again = try open(target.path)
    #expect(try parts(again) == ["snapshot 6", "7", "8", "9", "10", "sessions 10"])
    #expect(again.opening.epoch != 7 && !again.opening.isClean)
    #expect(again.opening.doubt?.contains("copy") == true)
    try again.begin()
    try again.append(Self.batch(11...11))
    try again.close()
    let reader = try JournalReader(directory: target.path)
    #expect(try reader.extent().oldestState == 0)
    #expect(try open(target.path).opening.epoch == again.opening.epoch, "The epoch changes once")
  }

  @Test func `A copy of a closed journal is closed, wherever its file is`() throws {
    try begun().close()
    #expect(try copy() == 10)
    let heading = try JournalReader(directory: target.path).heading()
    #expect(heading == HistoryHeading(root: "Test", epoch: 7, wasStopped: true))
  }

  @Test(
    arguments: [
      (0, ["snapshot 0"]), (5, ["snapshot 0", "1", "2", "3", "4", "5"]), (6, ["snapshot 6"]),
    ] as [(UInt64, [String])]
  )
  func `A copy up to a revision has no later entries`(
    _ revision: UInt64,
    _ found: [String],
  ) throws {
    try begun().close()
    #expect(try copy(through: revision) == revision)
    let again = try open(target.path)
    #expect(try parts(again).filter { !$0.hasPrefix("sessions") } == found)
    #expect(!again.opening.isClean)
  }

  @Test func `Future or removed revisions are refused, and no files are left`() throws {
    let file = try begun()
    func code(_ revision: UInt64) -> HistoryError.Code? {
      do {
        _ = try copy(through: revision)
        return nil
      } catch { return (error as? HistoryError)?.code }
    }
    #expect(code(11) == .future)
    try keep(10, in: file)
    #expect(code(5) == .gone)
    #expect(try FileManager.default.contentsOfDirectory(atPath: target.path).isEmpty)
  }

  @Test func `Damage is not copied, and a partial copy is removed`() throws {
    try begun().close()
    try damage(entry: 2)
    let error = #expect(throws: HistoryError.self) { try copy() }
    #expect(error?.code == .corrupt)
    #expect(error?.message.contains("--through 6") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == ["lock"])
    // The revisions before the damage can be copied.
    #expect(try copy(through: 6) == 6)
    #expect(try parts(try open(target.path)) == ["snapshot 6"])
  }

  @Test func `Damage that no restart needs is omitted from a copy, which begins after it`() throws {
    try begun().close()
    try damage(entry: 1)
    let error = #expect(throws: HistoryError.self) {
      try JournalReader(directory: source.path).records(after: 0) { _ in true }
    }
    #expect(error?.message.contains("snapshot of revision 6") == true)
    var notes: [HistoryError] = []
    let reader = try JournalReader(directory: source.path)
    #expect(try reader.copy(to: target.path, noting: { notes.append($0) }) == 10)
    #expect(notes == [error])
    #expect(try parts(try open(target.path)).first == "snapshot 6")
    #expect(try JournalReader(directory: target.path).extent().beforeRecords == 6)
  }

  @Test func `Revisions before damage can be copied up to a revision, also with more damage later`()
    throws
  {
    try begun().close()
    try damage(entry: 1)
    #expect(try copy(through: 3) == 3)
    try FileManager.default.removeItem(atPath: target.path)
    #expect(throws: HistoryError.self) { try copy(through: 5) }
  }

  @Test func `A segment of old records that is gone keeps no daemon from going on, and no copy`()
    throws
  {
    let file = try begun(segmentBytes: 1)
    for revision in 11...40 as ClosedRange<UInt64> {
      try file.append(Self.batch(revision...revision))
      if revision == 38 { try keep(38, in: file) }
    }
    try file.close()
    let second = try LogSegment.all(in: source.path)[1]
    try FileManager.default.removeItem(atPath: second.path(in: source.path))
    var notes: [HistoryError] = []
    let reader = try JournalReader(directory: source.path)
    #expect(try reader.copy(to: target.path, noting: { notes.append($0) }) == 40)
    #expect(notes.count == 1)
    #expect(try JournalReader(directory: target.path).extent().beforeRecords == 6)
    let again = try open(source.path)
    #expect(try parts(again).first == "snapshot 38")
    try again.begin()
    try again.append(Self.batch(41...41))
    while try again.trim(.nothing) {}
    try again.append(Self.batch(42...42))
  }

  @Test func `A snapshot that cannot be read is left out of a copy, where another one can`() throws
  {
    try begun().close()
    let folder = "\(source.path)/snapshots"
    try Data([7]).write(to: URL(fileURLWithPath: "\(folder)/6.snapshot"))
    #expect(try copy() == 10)
    #expect(try parts(try open(target.path)).first == "snapshot 0")
    try FileManager.default.removeItem(atPath: target.path)
    for name in ["0.snapshot", "0.copy"] {
      try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    }
    let error = #expect(throws: HistoryError.self) { try copy() }
    #expect(error?.code == .corrupt)
  }

  @Test func `Entries of two histories are not copied as one`() throws {
    try begun().close()
    try tamper { segment in
      let head = LogEntry.Head(
        kind: .records,
        count: Self.records(7...9).count,
        first: 7,
        last: 9,
        sessionNumbers: 9,
        before: segment.before(entry: 2) + 1,
      )
      segment.replace(entry: 2, with: head, Self.records(7...9))
    }
    #expect(throws: HistoryError.self) { try copy() }
  }

  private func refusal(_ body: () throws -> Void) -> JournalError.Code? {
    do {
      try body()
      return nil
    } catch { return (error as? JournalError)?.code }
  }

  @Test func `A directory in use gets no copy`() throws {
    try begun().close()
    let lock = try DirectoryLock(target.path)
    #expect(refusal { _ = try copy() } == .busy)
    #expect(DirectoryLock.holder(of: target.path) == "\(getpid())")
    withExtendedLifetime(lock) {}
  }

  @Test func `A lock that another process with the same pid has taken is not ours`() throws {
    let lock = try DirectoryLock(source.path)
    let others = try DirectoryLock(target.path)
    #expect(lock.isOurs && others.isOurs)
    let other = try Data(contentsOf: URL(filePath: DirectoryLock.file(in: target.path)))
    // The text of the earlier form, and of this one.
    for text in [Data("\(getpid())\n".utf8), other] {
      let file = try FileHandle(forWritingTo: URL(filePath: DirectoryLock.file(in: source.path)))
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: text)
      try file.close()
      #expect(!lock.isOurs)
      #expect(DirectoryLock.holder(of: source.path) == "\(getpid())")
    }
    #expect(others.isOurs)
  }

  @Test func `A look at a directory's owner keeps no process from taking it`() async throws {
    let path = source.path
    _ = try DirectoryLock(path)
    let isOver = Mutex(false)
    async let looks = Task.detached {
      while !isOver.withLock({ $0 }) { _ = DirectoryLock.holder(of: path) }
    }.value
    let taken = Result {
      for _ in 0..<2_000 { withExtendedLifetime(try DirectoryLock(path)) {} }
    }
    isOver.withLock { $0 = true }
    await looks
    try taken.get()
  }

  @Test func `A directory with anything but a lock gets no copy, and keeps its files`() throws {
    try begun().close()
    let note = "\(target.path)/notes.txt"
    try Data([1]).write(to: URL(fileURLWithPath: note))
    #expect(refusal { _ = try copy() } == .occupied)
    #expect(FileManager.default.fileExists(atPath: note))
    #expect(DirectoryLock.holder(of: target.path) == nil)
  }

  @Test func `A copy that was not finished is no history that begins`() throws {
    try FileManager.default.createDirectory(
      atPath: "\(target.path)/log.new",
      withIntermediateDirectories: false,
    )
    #expect(refusal { _ = try open(target.path) } == .corrupt)
  }

  @Test func `An invalid journal, or one of another release, is not copied`() throws {
    #expect(refusal { _ = try copy() } == .missing)
    try begun().close()
    try tamper { $0.set(format: 99) }
    #expect(refusal { _ = try copy() } == .newer)
  }

  @Test func `A journal of which a segment breaks off is not copied beyond it`() throws {
    let file = try begun(segmentBytes: 1)
    for revision in 11...40 as ClosedRange<UInt64> {
      try file.append(Self.batch(revision...revision))
    }
    try file.close()
    let segment = try LogSegment.all(in: source.path)[10]
    try SegmentEditor(segment.path(in: source.path)).write {
      $0.bytes.removeSubrange(($0.entries[0].upperBound - 10)...)
    }
    #expect(throws: (any Error).self) { try copy() }
    #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == ["lock"])
    #expect(try copy(through: segment.first - 1) == segment.first - 1)
  }

  @Test func `Only its owner can read a copy`() throws {
    try begun().close()
    _ = try copy()
    for name in ["log/00000000000000000001-1.log", "snapshots/6.snapshot"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(target.path)/\(name)")
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
    }
  }

  @Test func `A writer loses no record during a copy, and the copy is whole`() throws {
    let file = try begun(segmentBytes: 1)
    let reader = try JournalReader(directory: source.path)
    let extent = try reader.extent()
    // The new snapshot replaces the old one, whose oldest records are removed.
    for revision in 11...300 as ClosedRange<UInt64> {
      try file.append(Self.batch(revision...revision))
    }
    try keep(300, in: file)
    while try file.trim(.nothing) {}
    #expect(try reader.extent() != extent)
    #expect(try reader.copy(to: target.path) == 300)
    #expect(try parts(try open(target.path)) == ["snapshot 300"])
  }
}
