import Foundation
import GRDB
import StoreReplication
import StoreState
import Synchronization
import Testing

@testable import StoreJournal

/// A journal's file: what was appended is read, and nothing else.
@Suite(.timeLimit(.minutes(1))) struct JournalFileTests {
  /// A directory that goes with its test.
  final class Directory: Sendable {
    let path: String

    init() throws {
      path = "\(NSTemporaryDirectory())/journal-\(UUID())"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  private let directory: Directory

  init() throws { directory = try Directory() }

  private static let schema = SchemaRegistry.document(for: [Int].self)

  private func open(
    root: String = "Test",
    schema: SchemaDocument = schema,
    durability: Durability = .full,
    epoch: UInt64 = 7,
  ) throws -> JournalFile {
    let file = try unbegun(root: root, schema: schema, durability: durability, epoch: epoch)
    try file.begin()
    return file
  }

  /// A file that was opened, and of which nothing was changed yet.
  private func unbegun(
    root: String = "Test",
    schema: SchemaDocument = schema,
    durability: Durability = .full,
    epoch: UInt64 = 7,
  ) throws -> JournalFile {
    try JournalFile(
      directory: directory.path,
      root: root,
      schema: schema,
      durability: durability,
      epoch: epoch,
    )
  }

  /// Keeps a snapshot, and removes the files that it stands for.
  private func keep(_ bytes: [UInt8], of revision: UInt64, in file: JournalFile) throws {
    for path in try file.keep(try file.write(bytes, of: revision)) {
      try FileManager.default.removeItem(atPath: path)
    }
  }

  private var snapshots: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: "\(directory.path)/snapshots").sorted()
    }
  }

  private func batch(_ revisions: ClosedRange<UInt64>) -> JournalBatch {
    JournalBatch(revisions: revisions, records: [UInt8(revisions.lowerBound)], sessionNumbers: 3)
  }

  /// What is read, in words.
  private func parts(_ file: JournalFile) throws -> [String] {
    var parts: [String] = []
    _ = try file.read { part throws(CodecError) in
      switch part {
      case .build: parts.append("build")
      case .snapshot(let bytes): parts.append("snapshot \(bytes)")
      case .records(let bytes, let sessions): parts.append("records \(bytes) \(sessions)")
      }
    }
    return parts
  }

  /// Changes the file behind the journal's back.
  private func tamper(_ sql: String) throws {
    let queue = try DatabaseQueue(path: "\(directory.path)/journal.sqlite")
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }

  /// A file that begins with the state of revision 0.
  private func begin(durability: Durability = .full) throws -> JournalFile {
    let file = try open(durability: durability)
    try keep([0], of: 0, in: file)
    return file
  }

  @Test func `What was appended is read again, in its order`() throws {
    let file = try begin()
    try file.append(batch(1...2))
    try file.append(batch(3...3))
    try file.close()
    let again = try open(epoch: 8)
    let opening = JournalFile.Opening(
      epoch: 7,
      isClean: true,
      isSameBuild: true,
      newest: 3,
      term: 1,
    )
    #expect(again.opening == opening)
    #expect(try parts(again) == ["build", "snapshot [0]", "records [1] 3", "records [3] 3"])
  }

  @Test func `Nobody else may read what is kept, whoever may enter the directory`() throws {
    func modes() throws -> [Int] {
      try ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm", "snapshots"].map {
        let attributes = try FileManager.default.attributesOfItem(
          atPath: "\(directory.path)/\($0)"
        )
        return try #require(attributes[.posixPermissions] as? Int)
      }
    }
    let file = try begin()
    #expect(try modes() == [0o600, 0o600, 0o600, 0o700])
    // Nor what an earlier release has made.
    for name in ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm"] {
      try #require(chmod("\(directory.path)/\(name)", 0o644) == 0)
    }
    let again = try open()
    try again.append(batch(1...1))
    #expect(try modes() == [0o600, 0o600, 0o600, 0o700])
    try again.close()
    withExtendedLifetime(file) {}
  }

  @Test func `A history that was not closed says so, and goes on in its epoch`() throws {
    let file = try open()
    try file.append(batch(1...1))
    let again = try open(epoch: 8)
    let opening = JournalFile.Opening(
      epoch: 7,
      isClean: false,
      isSameBuild: true,
      newest: 1,
      term: 1,
    )
    #expect(again.opening == opening)
  }

  @Test(arguments: [Durability.batched, .none])
  func `After an end of the machine a history that was not synced has another epoch`(
    _ durability: Durability
  ) throws {
    _ = try open(durability: durability)
    #expect(try open(durability: durability).opening.epoch == 7, "The machine did not end")
    try tamper("UPDATE meta SET value = 'another' WHERE name = 'boot'")
    #expect(try open(durability: durability).opening.epoch != 7)
  }

  @Test func `A copy of a history has another epoch, for the history may have gone on`() throws {
    try open().close()
    let path = "\(directory.path)/journal.sqlite"
    try FileManager.default.copyItem(atPath: path, toPath: "\(path).copy")
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: "\(path).copy", toPath: path)
    #expect(try open().opening.epoch != 7)
  }

  @Test func `A history that was synced keeps its epoch, whatever ended`() throws {
    _ = try open()
    try tamper("UPDATE meta SET value = 'another' WHERE name = 'boot'")
    #expect(try open().opening.epoch == 7)
  }

  @Test(arguments: Durability.allCases)
  func `SQLite syncs as it was asked to`(_ durability: Durability) throws {
    let file = try open(durability: durability)
    let (synchronous, checkpoint) = try file.promised()
    #expect(synchronous == durability.synchronous.value)
    #expect(checkpoint == 0)
  }

  @Test func `A snapshot stands for all before it`() throws {
    let file = try open()
    try file.append(batch(1...2))
    try keep([9, 9], of: 2, in: file)
    try file.append(batch(3...3))
    #expect(try parts(file) == ["build", "snapshot [9, 9]", "records [3] 3"])
  }

  @Test func `A snapshot that is damaged is passed over for the one before`() throws {
    let file = try open()
    try file.append(batch(1...1))
    try keep([8], of: 1, in: file)
    try file.append(batch(2...2))
    try keep([9], of: 2, in: file)
    try Data([7]).write(to: URL(fileURLWithPath: "\(directory.path)/snapshots/2.snapshot"))
    #expect(try parts(file) == ["build", "snapshot [8]", "records [2] 3"])
    try FileManager.default.removeItem(atPath: "\(directory.path)/snapshots/1.snapshot")
    let refusal = try #require(message { _ = try parts(file) })
    #expect(refusal.0 == .corrupt && refusal.1.contains("snapshots"))
  }

  @Test func `Old history goes piece by piece, and what is needed stays`() throws {
    let file = try open()
    for revision in 1...200 as ClosedRange<UInt64> {
      try file.append(batch(revision...revision))
      if revision.isMultiple(of: 50) { try keep([UInt8(revision)], of: revision, in: file) }
    }
    #expect(try !file.trim(Retention(bytes: 1000)))
    #expect(try parts(file).count == 2 + 0, "All is in the newest snapshot")
    var pieces = 0
    while try file.trim(.nothing) { pieces += 1 }
    #expect(pieces == 3)
    #expect(try snapshots == ["150.snapshot", "200.snapshot"])
    // The one before the newest is kept, and what follows it.
    try FileManager.default.removeItem(atPath: "\(directory.path)/snapshots/200.snapshot")
    #expect(try parts(file).filter { $0.hasPrefix("records") }.count == 50)
  }

  @Test func `History that is too old goes, however few bytes it has`() throws {
    let file = try open()
    try append((1...9).map { 1000 * $0 }, to: file)
    let (day, all) = (Retention(age: .seconds(5)), Retention())
    #expect(try !file.trim(day, at: 6000), "Nothing is older than five seconds")
    #expect(try !file.trim(all, at: 1_000_000))
    #expect(try file.trim(day, at: 9000))
    #expect(try firstRevision(file) == 4)
    // The clock goes ahead of what is kept, which is as old as it was.
    #expect(try !file.trim(day, at: 1_000_000))
    // What the older of the snapshots needs stays, however old it is.
    while try file.trim(Retention(age: .zero), at: 1_000_000) {}
    #expect(try firstRevision(file) == 9)
  }

  @Test func `What was kept while the clock was wrong goes with what comes next`() throws {
    let file = try open()
    let times: [UInt64?] = [1000, 2_000_000_000, nil, 4000, 5000, 6000, 7000, 8000, 9000]
    try append(times, to: file)
    #expect(try file.trim(Retention(age: .milliseconds(4500)), at: 9000))
    #expect(try firstRevision(file) == 5)
  }

  /// Appends a record for each time.
  ///
  /// One without a time cannot be read. From the seventh on revisions have snapshots.
  private func append(_ times: [UInt64?], to file: JournalFile) throws {
    for (revision, time) in zip(UInt64(1)..., times) {
      let record = JournalRecord(
        revision: revision,
        wallMilliseconds: time ?? 0,
        origin: .internal(JournalRecord.InternalAction(name: "ticked")),
        delta: nil,
      )
      var encoder = CBOREncoder()
      record.encode(to: &encoder)
      try file.append(
        JournalBatch(
          revisions: revision...revision,
          records: time == nil ? [0] : encoder.bytes,
          sessionNumbers: 0,
        )
      )
      if revision >= 7 { try keep([UInt8(revision)], of: revision, in: file) }
    }
  }

  private func firstRevision(_ file: JournalFile) throws -> Int64? {
    try file.database.read { try Int64.fetchOne($0, sql: "SELECT MIN(first) FROM log") }
  }

  @Test func `Rows behind a revision are found by their key, however many there are before`()
    throws
  {
    let plan = try begin().database.read { db in
      try Row.fetchAll(
        db,
        sql: "EXPLAIN QUERY PLAN \(LogRow.select)",
        arguments: LogRow.arguments(7, 16),
      )
      .map { $0["detail"] as String }
    }
    #expect(plan.contains { $0.contains("SEARCH log") })
    #expect(!plan.contains { $0.contains("SCAN log") }, "\(plan)")
  }

  @Test func `The row that has a revision in its middle is the first that is read behind it`()
    throws
  {
    let file = try begin()
    for revisions in [1...3, 4...6, 7...9] as [ClosedRange<UInt64>] {
      try file.append(batch(revisions))
    }
    let found = try file.database.read { db in
      try (0...9).map { try LogRow.fetch(16, after: $0, in: db).map(\.first) }
    }
    let (all, last): ([Int64], [Int64]) = ([1, 4, 7], [7])
    #expect(found == [all, all, all, [4, 7], [4, 7], [4, 7], last, last, last, []])
  }

  @Test func `A snapshot that cannot be read is none of the two that are kept`() throws {
    let file = try open()
    for revision in 1...3 as ClosedRange<UInt64> {
      try file.append(batch(revision...revision))
      if revision < 3 { try keep([UInt8(revision)], of: revision, in: file) }
    }
    try Data([7]).write(to: URL(fileURLWithPath: "\(directory.path)/snapshots/2.snapshot"))
    try file.checkNewestSnapshot()
    try keep([3], of: 3, in: file)
    #expect(try snapshots == ["1.snapshot", "3.snapshot"])
    while try file.trim(.nothing) {}
    try FileManager.default.removeItem(atPath: "\(directory.path)/snapshots/3.snapshot")
    #expect(try parts(file).filter { $0.hasPrefix("records") }.count == 2)
  }

  @Test func `Files of snapshots that were never kept go when a daemon begins`() throws {
    let file = try open()
    try file.append(batch(1...1))
    try keep([1], of: 1, in: file)
    _ = try file.write([9], of: 0)
    let folder = "\(directory.path)/snapshots"
    try Data([1]).write(to: URL(fileURLWithPath: "\(folder)/3.snapshot.new"))
    try Data([1]).write(to: URL(fileURLWithPath: "\(folder)/notes.txt"))
    try file.close()
    let again = try open()
    #expect(again.opening.epoch == 7)
    #expect(try snapshots == ["1.snapshot", "notes.txt"])
  }

  @Test func `A file takes another's place by a name that nobody knows, or not at all`() throws {
    let folder = directory.path
    let path = "\(folder)/file"
    // What somebody has put where a draft might be.
    let other = path + DurableFile.draftSuffix
    try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: path)
    for (byte, isOutdated) in [(1, false), (2, true), (3, false)] as [(UInt8, Bool)] {
      let isWritten = try DurableFile.write([byte], to: path) { isOutdated }
      #expect(isWritten == !isOutdated)
      #expect(try Data(contentsOf: URL(filePath: path)) == Data([isOutdated ? 1 : byte]))
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(names.sorted() == ["file", "file.new"])
  }

  // MARK: What does not go on

  @Test func `Opening a history changes nothing of what it says, until all of it could be read`()
    throws
  {
    try open().close()
    _ = try unbegun(schema: SchemaRegistry.document(for: [String].self))
    #expect(try unbegun().opening.isClean, "Nobody has begun to write")
    _ = try open()
    #expect(try !unbegun().opening.isClean)
  }

  @Test func `A snapshot of a revision behind the end tells that an older file was put back`()
    throws
  {
    let file = try begin()
    try file.append(batch(1...1))
    try file.close()
    let path = "\(directory.path)/journal.sqlite"
    let old = try Data(contentsOf: URL(fileURLWithPath: path))
    let later = try open()
    try later.append(batch(2...2))
    try keep([2], of: 2, in: later)
    try later.close()
    // The same file, by its number, with what it had before.
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: old)
    try handle.close()
    let again = try open()
    #expect(again.opening.epoch != 7)
    #expect(again.opening.doubt?.contains("revision 2") == true)
    #expect(try open().opening.epoch == again.opening.epoch, "It is said once")
  }

  @Test func `Another epoch is there after any end`() throws {
    let file = try open()
    try file.renew(epoch: 99)
    #expect(try open().opening.epoch == 99)
  }

  /// Copies what the disk has of a journal that is still open, so that no program has closed it.
  private func crash() throws -> (log: String, bytes: [UInt8]) {
    let log = "\(directory.path)/journal.sqlite-wal"
    return (log, [UInt8](try Data(contentsOf: URL(fileURLWithPath: log))))
  }

  @Test func `A write-ahead log that breaks off before its end is refused, not cut short`() throws {
    let file = try begin()
    let empty = try crash().bytes.count
    for revision in 1...5 as ClosedRange<UInt64> { try file.append(batch(revision...revision)) }
    var (log, bytes) = try crash()
    #expect(WriteAheadLog.commitsBehindDamage(log) == 0)
    let copy = try Directory()
    func copied(_ bytes: [UInt8]) throws -> (JournalError.Code, String)? {
      let database = "journal.sqlite"
      for name in [database, "\(database)-wal", "snapshots"] {
        let path = "\(copy.path)/\(name)"
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: "\(directory.path)/\(name)", toPath: path)
      }
      try Data(bytes).write(to: URL(fileURLWithPath: "\(copy.path)/\(database)-wal"))
      return message {
        let file = try JournalFile(
          directory: copy.path,
          root: "Test",
          schema: Self.schema,
          durability: .full,
          epoch: 7,
        )
        _ = try parts(file)
      }
    }
    #expect(try copied(bytes) == nil)
    // What was under way when the machine ended goes.
    #expect(try copied(bytes.dropLast(100)) == nil)
    bytes[bytes.count - 100] ^= 1
    #expect(try copied(bytes) == nil)
    bytes[bytes.count - 100] ^= 1
    bytes[max(empty, 32) + 200] ^= 1
    #expect(WriteAheadLog.commitsBehindDamage(log) == 0)
    let refusal = try #require(try copied(bytes))
    #expect(refusal.0 == .corrupt && refusal.1.contains("writes at its end"))
    #expect(refusal.1.contains("storectl restore \(copy.path) --data DIRECTORY --through 0"))
    #expect(message { _ = try JournalReader(directory: copy.path) }?.0 == .corrupt)
    let partial = try JournalReader(directory: copy.path, isPartial: true)
    #expect(try partial.extent().newest == 0 && partial.damage?.message == refusal.1)
    // And again: being refused has taken nothing away.
    #expect(try copied(bytes)?.0 == .corrupt)
    bytes[max(empty, 32) + 200] ^= 1
    bytes[17] ^= 1
    #expect(try copied(bytes)?.0 == .corrupt)
  }

  /// The bytes of a frame of a log, which has a page.
  private static let frameBytes = 24 + 4096

  @Test func `A last write that is not as it was written is counted, and said to be cut off`()
    throws
  {
    let file = try begin()
    for revision in 1...5 as ClosedRange<UInt64> { try file.append(batch(revision...revision)) }
    var (log, bytes) = try crash()
    func commits(flipping place: Int) throws -> Int {
      bytes[place] ^= 1
      defer { bytes[place] ^= 1 }
      let copy = "\(log).copy"
      try Data(bytes).write(to: URL(fileURLWithPath: copy))
      return WriteAheadLog.commitsBehindDamage(copy)
    }
    let (last, before) = (bytes.count - Self.frameBytes, bytes.count - 2 * Self.frameBytes)
    #expect(try commits(flipping: last + 100) == 1)
    // Its salts, its checksum, the page's number, the page.
    for place in [8, 12, 16, 20, 3, 100] { #expect(try commits(flipping: before + place) == 2) }
    bytes[last + 100] ^= 1
    let copy = try Directory()
    for name in ["journal.sqlite", "snapshots"] {
      try FileManager.default.copyItem(
        atPath: "\(directory.path)/\(name)",
        toPath: "\(copy.path)/\(name)",
      )
    }
    try Data(bytes).write(to: URL(fileURLWithPath: "\(copy.path)/journal.sqlite-wal"))
    let again = try JournalFile(
      directory: copy.path,
      root: "Test",
      schema: Self.schema,
      durability: .full,
      epoch: 7,
    )
    #expect(again.opening.tornCommits == 1)
    #expect(try parts(again).filter { $0.hasPrefix("records") }.count == 4)
  }

  /// All files of the directory, with what they have.
  private func contents() throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
      found[name] = FileManager.default.contents(atPath: "\(directory.path)/\(name)")
    }
    return found
  }

  @Test(arguments: [true, false], [true, false])
  func `A journal whose file is gone, or is empty, is refused, and all else stays`(
    isEmpty: Bool,
    wasClosed: Bool,
  ) throws {
    let file = try begin()
    try file.append(batch(1...2))
    try keep([2], of: 2, in: file)
    try file.append(batch(3...3))
    if wasClosed { try file.close() }
    let path = "\(directory.path)/journal.sqlite"
    try FileManager.default.removeItem(atPath: path)
    if isEmpty { try Data().write(to: URL(fileURLWithPath: path)) }
    let before = try contents()
    let refusal = try #require(message { _ = try open() })
    #expect(refusal.0 == .corrupt && refusal.1.contains("snapshot of revision 2"))
    #expect(refusal.1.contains(isEmpty ? "empty" : "missing"))
    #expect(message { _ = try JournalReader(directory: directory.path) }?.0 == .corrupt)
    #expect(try contents() == before)
    #expect(before.keys.contains("journal.sqlite-wal") == !wasClosed)
    withExtendedLifetime(file) {}
  }

  @Test func `A journal whose tables are gone is refused, and its snapshots stay`() throws {
    try begin().close()
    try tamper("DROP TABLE meta; DROP TABLE log; DROP TABLE build; DROP TABLE snapshot")
    let refusal = try #require(message { _ = try open() })
    #expect(refusal.0 == .corrupt && refusal.1.contains("snapshot of revision 0"))
    #expect(try snapshots == ["0.snapshot"])
    #expect(message { _ = try JournalReader(directory: directory.path) }?.0 == .corrupt)
  }

  @Test func `Who was ended while the first history began begins again`() throws {
    _ = try unbegun()
    try FileManager.default.removeItem(atPath: "\(directory.path)/journal.sqlite")
    try Data().write(to: URL(fileURLWithPath: "\(directory.path)/journal.sqlite"))
    #expect(try open().opening.epoch == 7)
    try tamper("DROP TABLE meta; DROP TABLE log; DROP TABLE build; DROP TABLE snapshot")
    #expect(try open(epoch: 8).opening.epoch == 8)
  }

  // MARK: What goes on

  /// Another program at the same file.
  private func outsider() throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    return try DatabaseQueue(
      path: "\(directory.path)/journal.sqlite",
      configuration: configuration,
    )
  }

  @Test func `Who has the file to himself is waited for, and then nothing was lost`() throws {
    let file = try begin()
    let other = try outsider()
    try other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    let refusal = try #require(message { try file.append(batch(1...1)) })
    #expect(refusal.0 == .busy)
    #expect(refusal.0.isForNow)
    try other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    try file.append(batch(1...1))
    #expect(try parts(file).count == 3)
  }

  @Test func `Whoever reads the file at length keeps nobody from beginning or ending`() throws {
    try begin().close()
    let reader = try outsider()
    try reader.writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN")
      _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM log")
    }
    let file = try open()
    try file.append(batch(1...1))
    try file.close()
    try reader.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    try reader.close()
    #expect(try unbegun().opening.isClean)
  }

  @Test func `A full disk has a reserve with which old history is let go of`() throws {
    let file = try open()
    for revision in 1...200 as ClosedRange<UInt64> {
      try file.append(batch(revision...revision))
      if revision.isMultiple(of: 100) { try keep([UInt8(revision)], of: revision, in: file) }
    }
    let reserve = "\(directory.path)/reserve"
    let bytes = try FileManager.default.attributesOfItem(atPath: reserve)[.size] as? Int
    #expect(bytes == JournalFile.reserveBytes)
    #expect(try file.makeRoom())
    #expect(FileManager.default.fileExists(atPath: reserve), "It is there for the next time")
    #expect(try !file.makeRoom(), "Nothing is left to let go of")
    let first = try DatabaseQueue(path: "\(directory.path)/journal.sqlite").read { db in
      try Int.fetchOne(db, sql: "SELECT MIN(first) FROM log")
    }
    #expect(first == 101)
  }

  @Test func `Where there is no room to open a history its reserve is given up`() throws {
    try begin().close()
    let reserve = "\(directory.path)/reserve"
    var attempts = 0
    func needRoom() throws -> Int {
      attempts += 1
      guard FileManager.default.fileExists(atPath: reserve) else { return attempts }
      throw DatabaseError(resultCode: .SQLITE_FULL)
    }
    #expect(try JournalFile.withRoom(in: directory.path, needRoom) == 2)
    #expect(throws: DatabaseError.self) {
      try JournalFile.withRoom(in: directory.path) { throw DatabaseError(resultCode: .SQLITE_FULL) }
    }
    let error = JournalFile.error(DatabaseError(resultCode: .SQLITE_IOERR_SHMSIZE), "It failed")
    #expect(error.code == .full && error.message == "It failed: the disk is full.")
    _ = try open()
    #expect(FileManager.default.fileExists(atPath: reserve))
    #expect(throws: DatabaseError.self) {
      try JournalFile.withRoom(in: directory.path) {
        throw DatabaseError(resultCode: .SQLITE_IOERR)
      }
    }
    #expect(FileManager.default.fileExists(atPath: reserve), "Room is of no use there")
  }

  @MainActor
  @Test func `A disk that hangs keeps nobody from closing`() throws {
    let file = try begin()
    let journal = SQLiteJournal(file, .nothing)
    // As a sync that does not return: whoever writes next waits behind it.
    let meeting = Meeting()
    Thread.detachNewThread {
      file.database.writeWithoutTransaction { _ in
        meeting.reach(1)
        meeting.wait(for: 2)
      }
      meeting.reach(3)
    }
    meeting.wait(for: 1)
    journal.append(batch(1...1))
    let refusal = try #require(message { try journal.close(within: .milliseconds(50)) })
    #expect(refusal.0 == .system && refusal.1.contains("did not answer"))
    meeting.reach(2)
    meeting.wait(for: 3)
  }

  @MainActor
  @Test func `Another epoch is noted as soon as that can be kept`() async throws {
    let file = try begin()
    // Before there is a journal, which lets go of old history at once and wants the lock for that.
    let other = try outsider()
    try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    let journal = SQLiteJournal(file, .nothing)
    let (results, noted) = AsyncStream.makeStream(of: JournalResult.self)
    journal.onResult = { result in
      if case .untrimmed = result { return }
      noted.yield(result)
    }
    var coming = results.makeAsyncIterator()
    journal.renew(epoch: 9)
    guard case .unrenewed? = await coming.next() else {
      Issue.record("It is not held")
      return
    }
    try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    #expect(await coming.next() == .renewed(epoch: 9))
    try journal.close(within: .seconds(60))
    #expect(try unbegun().opening.epoch == 9)
  }

  /// Two threads that wait for one another.
  private final class Meeting: Sendable {
    private let condition = NSCondition()
    private let step = Mutex(0)

    func reach(_ next: Int) {
      condition.lock()
      step.withLock { $0 = next }
      condition.broadcast()
      condition.unlock()
    }

    func wait(for next: Int) {
      condition.lock()
      while step.withLock({ $0 < next }) { condition.wait() }
      condition.unlock()
    }
  }

  // MARK: Two who write

  @Test func `Whoever wrote before another daemon began changes nothing any more`() throws {
    let first = try begin()
    try first.append(batch(1...1))
    let row = try first.write([1], of: 1)
    let second = try open()
    #expect(try parts(second) == ["build", "snapshot [0]", "records [1] 3"])
    let attempts: [() throws -> Void] = [
      { try first.append(self.batch(2...2)) },
      { _ = try first.keep(row) },
      { _ = try first.trim(.nothing) },
      { try first.renew(epoch: 9) },
      { try first.close() },
    ]
    for (place, attempt) in attempts.enumerated() {
      let refusal = try #require(message(attempt), "attempt \(place)")
      #expect(refusal.0 == .fenced && refusal.1.contains("term 2 follows 1"), "\(refusal)")
    }
    try second.append(batch(2...3))
    #expect(message { try first.append(self.batch(2...3)) }?.0 == .fenced)
    let opening = try unbegun().opening
    #expect(opening.epoch == 7 && !opening.isClean && opening.newest == 3 && opening.term == 2)
    try second.close()
  }

  @Test func `Who has read a history that went on meanwhile does not begin to write it`() throws {
    let first = try begin()
    let late = try unbegun()
    try first.append(batch(1...1))
    #expect(message { try late.begin() }?.0 == .busy)
    let other = try unbegun()
    let second = try open()
    let refusal = try #require(message { try other.begin() })
    #expect(refusal.0 == .busy && refusal.1.contains("Another daemon has written"))
    // Neither has raised the term: the second one writes on.
    try second.append(batch(2...2))
  }

  @Test func `A batch of which nobody knew that it is kept is kept once`() throws {
    let file = try begin()
    try file.append(batch(1...2))
    let end = file.begun()
    try file.append(batch(3...3))
    // Its answer got lost.
    file.end.withLock { $0 = end }
    try file.append(batch(3...3))
    try file.append(batch(4...4))
    let expected = ["records [1] 3", "records [3] 3", "records [4] 3"]
    #expect(try parts(file) == ["build", "snapshot [0]"] + expected)
    // Something else in its place is no repetition.
    file.end.withLock { $0 = end }
    let other = JournalBatch(revisions: 3...3, records: [99], sessionNumbers: 3)
    #expect(message { try file.append(other) }?.0 == .system)
  }

  @MainActor
  @Test func `A journal that another daemon has taken over says so, and nothing else`()
    async throws
  {
    let journal = SQLiteJournal(try begin(), .nothing)
    let (results, noted) = AsyncStream.makeStream(of: JournalResult.self)
    let second = try open()
    journal.onResult = { noted.yield($0) }
    journal.append(batch(1...1))
    journal.store(JournalSnapshot(revision: 0) { [1] })
    var coming = results.makeAsyncIterator()
    guard case .fenced(let reason)? = await coming.next() else {
      Issue.record("It is not fenced")
      return
    }
    #expect(reason.contains("taken over") && reason.contains(directory.path))
    try second.append(batch(1...1))
    #expect(message { try journal.close(within: .seconds(60)) }?.0 == .fenced)
  }

  // MARK: What is refused

  private func message(_ body: () throws -> Void) -> (JournalError.Code, String)? {
    do {
      try body()
      return nil
    } catch let error as JournalError {
      return (error.code, error.message)
    } catch {
      return nil
    }
  }

  @Test func `A journal of another root is refused by its name`() throws {
    _ = try open(root: "Kitchen")
    let refusal = try #require(message { _ = try open(root: "Garden") })
    #expect(refusal.0 == .foreign)
    #expect(refusal.1.contains("\"Kitchen\"") && refusal.1.contains("\"Garden\""))
  }

  @Test(arguments: [(99, JournalError.Code.newer), (1, .older), (0, .older)])
  func `A journal of another release is refused by its number`(
    _ format: Int,
    _ code: JournalError.Code,
  ) throws {
    try open().close()
    try tamper("UPDATE meta SET value = '\(format)' WHERE name = 'format'")
    let refusal = try #require(message { _ = try open() })
    #expect(refusal.0 == code)
    #expect(refusal.1.contains("format \(format),") && refusal.1.contains(" 2"))
    let reading = try #require(message { _ = try JournalReader(directory: directory.path) })
    #expect(reading == refusal)
  }

  @Test func `A journal that does not say its format is refused`() throws {
    try open().close()
    try tamper("DELETE FROM meta WHERE name = 'format'")
    #expect(message { _ = try open() }?.0 == .corrupt)
  }

  @Test func `A record that is not what was kept is refused, and named`() throws {
    let file = try begin()
    for revision in 1...3 as ClosedRange<UInt64> { try file.append(batch(revision...revision)) }
    try file.close()
    try tamper("UPDATE log SET records = x'00' WHERE first = 2")
    let again = try open()
    let refusal = try #require(message { _ = try parts(again) })
    #expect(refusal.0 == .corrupt)
    #expect(refusal.1.contains("revisions 2 to 2"))
  }

  @Test(arguments: ["build = build + 1", "sessions = 0", "last = 9, first = 3", "total = 0"])
  func `The checksum is that of the whole row`(_ change: String) throws {
    let file = try begin()
    for revision in 1...3 as ClosedRange<UInt64> { try file.append(batch(revision...revision)) }
    try file.close()
    try tamper("UPDATE log SET \(change) WHERE first = 3")
    let again = try open()
    #expect(message { _ = try parts(again) }?.0 == .corrupt)
  }

  @Test func `Rows of two histories are told apart, also where their numbers fit`() throws {
    let file = try begin()
    for revision in 1...3 as ClosedRange<UInt64> { try file.append(batch(revision...revision)) }
    try file.close()
    try tamper("CREATE TABLE later AS SELECT * FROM log WHERE first = 3")
    try tamper("DELETE FROM log WHERE first >= 2")
    let other = try open()
    try other.append(
      JournalBatch(revisions: 2...2, records: [99], sessionNumbers: 3)
    )
    try other.close()
    try tamper("INSERT INTO log SELECT * FROM later; DROP TABLE later")
    let again = try open()
    let refusal = try #require(message { _ = try parts(again) })
    #expect(refusal.0 == .corrupt && refusal.1.contains("another history"))
  }

  @Test func `The names of types have a checksum too`() throws {
    let file = try begin()
    try file.close()
    try tamper("UPDATE build SET sum = sum + 1")
    #expect(message { _ = try parts(try unbegun()) }?.0 == .corrupt)
  }

  @Test func `A record that is missing is refused, and named`() throws {
    let file = try begin()
    for revision in 1...3 as ClosedRange<UInt64> { try file.append(batch(revision...revision)) }
    try file.close()
    try tamper("DELETE FROM log WHERE first = 2")
    let again = try open()
    let refusal = try #require(message { _ = try parts(again) })
    #expect(refusal.0 == .corrupt)
    #expect(refusal.1.contains("revision 2 is missing"))
  }

  @Test func `What is no journal is refused`() throws {
    try Data("hello, this is no database, whatever its name".utf8)
      .write(to: URL(fileURLWithPath: "\(directory.path)/journal.sqlite"))
    let refusal = try #require(message { _ = try open() })
    #expect(refusal.0 == .corrupt)
  }

  @Test func `What a reader cannot take is said with its revision`() throws {
    let file = try begin()
    try file.append(batch(1...1))
    let refusal = message {
      _ = try file.read { part throws(CodecError) in
        if case .records = part { throw CodecError(.deltaMismatch, "it does not fit") }
      }
    }
    #expect(refusal?.0 == .corrupt)
    #expect(refusal?.1.contains("revision 1") == true)
  }

  @Test func `A build with other types is known by its schema`() throws {
    let file = try begin()
    try file.append(batch(1...1))
    try file.close()
    let other = SchemaRegistry.document(for: [String].self)
    let again = try open(schema: other)
    #expect(!again.opening.isSameBuild)
    var schemas: [SchemaDocument] = []
    _ = try again.read { part throws(CodecError) in
      if case .build(let schema) = part { schemas.append(schema) }
    }
    #expect(schemas == [Self.schema])
    try again.append(batch(2...3))
    let expected = ["build", "snapshot [0]", "records [1] 3", "build", "records [2] 3"]
    #expect(try parts(again) == expected)
  }
}
