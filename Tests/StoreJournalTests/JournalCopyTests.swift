import Foundation
import GRDB
import StoreState
import Synchronization
import Testing

@testable import StoreJournal
@testable import StoreReplication

/// Copies of a journal: as a whole, up to a revision, or not at all.
@Suite(.timeLimit(.minutes(1))) struct JournalCopyTests {
  private let source: JournalFileTests.Directory
  private let target: JournalFileTests.Directory

  init() throws {
    source = try JournalFileTests.Directory()
    target = try JournalFileTests.Directory()
  }

  private static let schema = SchemaRegistry.document(for: [Int].self)

  private func open(_ directory: String, epoch: UInt64 = 7) throws -> JournalFile {
    try JournalFile(
      directory: directory,
      root: "Test",
      schema: Self.schema,
      durability: .full,
      epoch: epoch,
    )
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

  /// A journal of ten revisions, three a row, with snapshots of 0 and 6.
  private func begun() throws -> JournalFile {
    let file = try open(source.path)
    try file.begin()
    _ = try file.keep(try file.write(Self.snapshot(0), of: 0))
    for revisions in [1...3, 4...6, 7...9] as [ClosedRange<UInt64>] {
      try file.append(Self.batch(revisions))
    }
    _ = try file.keep(try file.write(Self.snapshot(6), of: 6))
    try file.append(Self.batch(10...10))
    return file
  }

  /// What a daemon would read, in words.
  private func parts(_ file: JournalFile) throws -> [String] {
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

  /// Changes a file behind the journal's back.
  private func tamper(_ sql: String) throws {
    let queue = try DatabaseQueue(path: "\(source.path)/journal.sqlite")
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
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
    #expect(try open(target.path).opening.epoch == again.opening.epoch, "It is said once")
  }

  @Test func `A copy of a journal that was closed says so, wherever its file is`() throws {
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
  func `A copy up to a revision has nothing behind it`(
    _ revision: UInt64,
    _ found: [String],
  ) throws {
    try begun().close()
    #expect(try copy(through: revision) == revision)
    let again = try open(target.path)
    #expect(try parts(again).filter { !$0.hasPrefix("sessions") } == found)
    #expect(!again.opening.isClean)
  }

  @Test func `Revisions that are to come, or gone, are refused, and nothing is left behind`() throws
  {
    let file = try begun()
    func code(_ revision: UInt64) -> HistoryError.Code? {
      do {
        _ = try copy(through: revision)
        return nil
      } catch { return (error as? HistoryError)?.code }
    }
    #expect(code(11) == .future)
    _ = try file.keep(try file.write(Self.snapshot(10), of: 10))
    #expect(code(5) == .gone)
    #expect(try FileManager.default.contentsOfDirectory(atPath: target.path).isEmpty)
  }

  @Test func `Damage is not copied, and what was copied of it goes`() throws {
    try begun().close()
    try tamper("UPDATE log SET records = x'00' WHERE first = 7")
    let error = #expect(throws: HistoryError.self) { try copy() }
    #expect(error?.code == .corrupt)
    #expect(error?.message.contains("--through 6") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == ["lock"])
    // What is before the damage can be had.
    #expect(try copy(through: 6) == 6)
    #expect(try parts(try open(target.path)) == ["snapshot 6"])
  }

  @Test func `Damage that no restart needs is left out of a copy, which begins behind it`() throws {
    try begun().close()
    try tamper("UPDATE log SET records = x'00' WHERE first = 4")
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

  @Test func `What is before damage can be had up to a revision, also where more is behind it`()
    throws
  {
    try begun().close()
    try tamper("UPDATE log SET records = x'00' WHERE first = 4")
    #expect(try copy(through: 3) == 3)
    try FileManager.default.removeItem(atPath: target.path)
    #expect(throws: HistoryError.self) { try copy(through: 5) }
  }

  @Test func `A page of old rows that is gone keeps no daemon from going on, and no copy`() throws {
    let file = try begun()
    for revision in 11...400 as ClosedRange<UInt64> {
      try file.append(Self.batch(revision...revision))
      if revision == 380 {
        for path in try file.keep(try file.write(Self.snapshot(380), of: 380)) {
          try FileManager.default.removeItem(atPath: path)
        }
      }
    }
    try file.close()
    // The first leaf of the log: it has the rows that were kept first.
    let path = "\(source.path)/journal.sqlite"
    let queue = try DatabaseQueue(path: path)
    let pages = try queue.read { try Int.fetchAll($0, sql: "SELECT rootpage FROM sqlite_master") }
    try queue.close()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let leaves = stride(from: 0, to: bytes.count, by: 4096).filter {
      bytes[$0] == 13 && !pages.contains($0 / 4096 + 1)
    }
    let leaf = try #require(leaves.first)
    try #require(leaves.count > 1)
    bytes.replaceSubrange(leaf..<leaf + 4096, with: Data(count: 4096))
    try bytes.write(to: URL(fileURLWithPath: path))
    var notes: [HistoryError] = []
    let reader = try JournalReader(directory: source.path)
    #expect(try reader.copy(to: target.path, noting: { notes.append($0) }) == 400)
    #expect(notes.count == 1)
    #expect(try parts(try open(target.path)).first == "snapshot 380")
    let again = try open(source.path)
    #expect(try parts(again).first == "snapshot 380")
    try again.begin()
    try again.append(Self.batch(401...401))
    #expect(refusal { _ = try again.trim(.nothing) } == .corrupt)
    try again.append(Self.batch(402...402))
  }

  @Test func `A snapshot that cannot be read is left out of a copy, where another one can`() throws
  {
    try begun().close()
    let folder = "\(source.path)/snapshots"
    try Data([7]).write(to: URL(fileURLWithPath: "\(folder)/6.snapshot"))
    #expect(try copy() == 10)
    #expect(try parts(try open(target.path)).first == "snapshot 0")
    try FileManager.default.removeItem(atPath: target.path)
    try FileManager.default.removeItem(atPath: "\(folder)/0.snapshot")
    let error = #expect(throws: HistoryError.self) { try copy() }
    #expect(error?.code == .corrupt)
  }

  @Test func `Rows of two histories are not copied as one`() throws {
    try begun().close()
    try tamper("UPDATE log SET before = before + 1 WHERE first = 7")
    #expect(throws: HistoryError.self) { try copy() }
  }

  private func refusal(_ body: () throws -> Void) -> JournalError.Code? {
    do {
      try body()
      return nil
    } catch { return (error as? JournalError)?.code }
  }

  @Test func `A copy for which there is no room says so, and is not there`() throws {
    try begun().close()
    let reader = try JournalReader(directory: source.path)
    let part = try #require(try reader.snapshot(upTo: 6))
    let copy = try JournalCopy(try reader.heading(), to: target.path)
    try copy.add(snapshot: part, of: 6)
    try copy.database.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA max_page_count = 1")
    }
    let other = SchemaRegistry.document(for: [String: [Double]].self)
    let large = HistoryPart(schema: other, bytes: part.bytes)
    let error = #expect(throws: JournalError.self) {
      for revision in 7...2_000 as ClosedRange<UInt64> {
        try copy.add(snapshot: large, of: revision)
      }
    }
    #expect(error?.code == .full && error?.message.contains("the disk is full") == true)
  }

  @Test func `A directory that somebody uses gets no copy`() throws {
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
    // Of the form before, and of this one.
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

  @Test func `Whoever looks who has a directory keeps nobody from taking it`() async throws {
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

  @Test func `A directory with anything but a lock gets no copy, and keeps what it has`() throws {
    try begun().close()
    let note = "\(target.path)/notes.txt"
    try Data([1]).write(to: URL(fileURLWithPath: note))
    #expect(refusal { _ = try copy() } == .occupied)
    #expect(FileManager.default.fileExists(atPath: note))
    #expect(DirectoryLock.holder(of: target.path) == nil)
  }

  @Test func `A copy that was not finished is no history that begins`() throws {
    try Data().write(to: URL(fileURLWithPath: "\(target.path)/journal.sqlite.new"))
    #expect(refusal { _ = try open(target.path) } == .corrupt)
  }

  @Test func `What is no journal, or one of another release, is not copied`() throws {
    #expect(refusal { _ = try copy() } == .missing)
    try begun().close()
    try tamper("UPDATE meta SET value = '99' WHERE name = 'format'")
    #expect(refusal { _ = try copy() } == .newer)
  }

  @Test func `A journal whose file breaks off is not copied`() throws {
    let file = try begun()
    for revision in 11...400 as ClosedRange<UInt64> {
      try file.append(Self.batch(revision...revision))
    }
    try file.close()
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: "\(source.path)/journal.sqlite"))
    try handle.truncate(atOffset: try handle.seekToEnd() / 2)
    try handle.close()
    #expect(throws: (any Error).self) { try copy() }
    let left = try FileManager.default.contentsOfDirectory(atPath: target.path)
    #expect(!left.contains { $0.hasPrefix("journal") })
  }

  @Test func `A copy is read by nobody else`() throws {
    try begun().close()
    _ = try copy()
    for name in ["journal.sqlite", "snapshots/6.snapshot"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(target.path)/\(name)")
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
    }
  }

  @Test func `Who writes on while a copy is made loses nothing, and the copy is whole`() throws {
    let file = try begun()
    let reader = try JournalReader(directory: source.path)
    let extent = try reader.extent()
    // A snapshot is kept meanwhile, and with the old one the oldest records go.
    for revision in 11...300 as ClosedRange<UInt64> {
      try file.append(Self.batch(revision...revision))
    }
    _ = try file.keep(try file.write(Self.snapshot(300), of: 300))
    while try file.trim(.nothing) {}
    #expect(try reader.extent() != extent)
    #expect(try reader.copy(to: target.path) == 300)
    #expect(try parts(try open(target.path)) == ["snapshot 300"])
  }
}
