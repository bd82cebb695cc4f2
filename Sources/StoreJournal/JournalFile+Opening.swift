import Foundation
import GRDB
import StoreState

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension JournalFile {
  /// What is asked of a file before it is read.
  struct Request {
    var directory: String
    var root: String
    var schema: SchemaDocument
    var durability: Durability
    /// For a history that begins.
    var epoch: UInt64

    var path: String { JournalFile.path(in: directory) }
  }

  /// The file of a directory's history.
  static func path(in directory: String) -> String { "\(directory)/journal.sqlite" }

  /// Refuses a directory that was to get a history, or had one, and has only a part of it.
  ///
  /// To be asked before SQLite is: that removes the log of a file that has nothing in it.
  static func checkPresence(in directory: String) throws {
    let path = path(in: directory)
    guard !FileManager.default.fileExists(atPath: path + DurableFile.draftSuffix) else {
      throw JournalError(
        .corrupt,
        "A history was to be copied to \(directory), and that was not finished. Remove the "
          + "directory, then copy it again.",
      )
    }
    // The file has its header before it has a log.
    guard DurableFile.count(path) ?? 0 == 0 else { return }
    if let found = newestSnapshotFile(in: directory) {
      throw headless(directory, snapshot: found)
    }
    guard DurableFile.count("\(path)-wal") ?? 0 > 0 else { return }
    throw headless(directory, beside: "its log, journal.sqlite-wal, is there")
  }

  /// Refuses to begin a history where there was one, which its snapshots tell.
  private static func checkSnapshots(in directory: String) throws {
    guard let found = newestSnapshotFile(in: directory) else { return }
    throw headless(directory, snapshot: found)
  }

  private static func newestSnapshotFile(in directory: String) -> UInt64? {
    snapshotFiles(in: directory).compactMap(\.revision).max()
  }

  private static func headless(_ directory: String, snapshot revision: UInt64) -> JournalError {
    headless(directory, beside: "there is a snapshot of revision \(revision)")
  }

  private static func headless(_ directory: String, beside what: String) -> JournalError {
    let isThere = FileManager.default.fileExists(atPath: path(in: directory))
    let state = isThere ? "empty" : "missing"
    return JournalError(
      .corrupt,
      "The journal in \(directory) is damaged: journal.sqlite is \(state), "
        + "and \(what). Nothing was changed. Put the file back, or restore a backup to another "
        + "directory; to begin anew, move the directory away.",
    )
  }

  /// Refuses a history whose last part SQLite would leave out without a word, before SQLite reads
  /// it: where it closes the file it has thrown the rest away.
  ///
  /// - Parameter directory: Where it is.
  /// - Returns: The number of trailing commits that SQLite will drop. With ``Durability/full`` no
  ///   client was told of them; with less, ``Opening/doubt`` starts a new epoch.
  /// - Throws: ``JournalError``, or what SQLite throws.
  @discardableResult
  static func checkLog(in directory: String) throws -> Int {
    let commits = WriteAheadLog.commitsBehindDamage("\(path(in: directory))-wal")
    // The last one may have been under way when the machine ended.
    guard commits > 1 else { return commits }
    // Who may write would throw away what is behind the damage.
    let file = try reading(directory)
    let (meta, newest) = try file.read { db in (try Meta(db), try newestRevision(db)) }
    // What was not promised may be gone when the machine was started again.
    guard meta.durability == .full || meta["boot"] == boot() else { return commits }
    throw JournalError(
      .corrupt,
      "The journal in \(directory) is damaged: \(commits) writes at its end cannot be "
        + "read, though the disk had said that it keeps them. Look at the disk. "
        + remedy(directory, before: newest + 1),
    )
  }

  /// Opens a history only to read it.
  ///
  /// Where nothing may be written, as on a disk that is mounted so, SQLite cannot note that
  /// somebody reads; nobody writes there who would have to know.
  static func reading(_ directory: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.label = "storeactor.history"
    let path = path(in: directory)
    guard access(directory, W_OK) != 0, DirectoryLock.holder(of: directory) == nil else {
      return try DatabaseQueue(path: path, configuration: configuration)
    }
    guard DurableFile.count("\(path)-wal") ?? 0 == 0 else {
      throw JournalError(
        .system,
        "The end of the history in \(directory) is in journal.sqlite-wal, and is only read where "
          + "something may be written. Copy the directory, then read the copy.",
      )
    }
    let escaped = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
    return try DatabaseQueue(path: "file:\(escaped)?immutable=1", configuration: configuration)
  }

  /// The newest revision of which there is a record or a snapshot; 0 where there is none.
  static func newestRevision(_ db: Database) throws -> UInt64 {
    guard try db.tableExists("log"), try db.tableExists("snapshot") else { return 0 }
    let last = try LogRow.newestRevision(db)
    let snapshot = try Int64.fetchOne(db, sql: "SELECT MAX(revision) FROM snapshot")
    return UInt64(clamping: max(last ?? 0, snapshot ?? 0))
  }

  /// Makes the tables of a new file, and refuses what is not ours to read.
  ///
  /// - Parameters:
  ///   - db: The file.
  ///   - request: What is asked of it.
  ///   - torn: How many commits at the end of its log cannot be read.
  /// - Returns: What is known of it.
  /// - Throws: ``JournalError``, or what SQLite throws.
  static func prepare(
    _ db: Database,
    for request: Request,
    leavingOut torn: Int,
  ) throws -> Opening {
    // A table that is missing where there is a history is damage, and none to be made.
    if try !db.tableExists("meta") {
      try checkSnapshots(in: request.directory)
      try db.inTransaction(.immediate) {
        try create(db, root: request.root, epoch: request.epoch)
        return .commit
      }
    }
    let meta = try Meta(db)
    try check(meta, root: request.root, directory: request.directory)
    guard let epoch = meta.epoch else {
      throw JournalError(
        .corrupt,
        "The journal in \(request.directory) has no epoch. Restore a backup.",
      )
    }
    // Of the newest of each: old rows may be damaged, and are not needed.
    let writer = try Data.fetchOne(
      db,
      sql: "SELECT schema FROM (SELECT * FROM (SELECT last AS place, build FROM log "
        + "ORDER BY first DESC LIMIT 1) UNION ALL SELECT * FROM (SELECT revision, build FROM "
        + "snapshot ORDER BY revision DESC LIMIT 1)) AS newest JOIN build ON id = newest.build "
        + "ORDER BY place DESC LIMIT 1",
    )
    var opening = Opening(
      epoch: epoch,
      isClean: meta["clean"] == "1",
      isSameBuild: writer.map { [UInt8]($0) == request.schema.encoded() } ?? true,
      doubt: try doubt(meta, request, db),
      tornCommits: torn,
      newest: try newestRevision(db),
      term: meta.term,
    )
    if opening.doubt != nil {
      var generator = SystemRandomNumberGenerator()
      opening.epoch = generator.next()
    }
    return opening
  }

  /// Why a history may not go on where somebody saw it end; nil where it does.
  private static func doubt(
    _ meta: Meta,
    _ request: Request,
    _ db: Database,
  ) throws -> String? {
    if let durability = meta.durability, meta["clean"] != "1", durability != .full,
      meta["boot"] != boot()
    {
      return "the machine went down, and --durability \(durability.rawValue) was promised"
    }
    let file = try identity(of: request.path)
    if meta["file"] != nil, meta["file"] != file {
      return "the file is a copy, and the history may have gone on without it"
    }
    // A snapshot's file comes behind the records that lead to it.
    let last = try newestRevision(db)
    guard let newest = newestSnapshotFile(in: request.directory), newest > last else { return nil }
    return "there is a snapshot of revision \(newest), and the records end at \(last)"
  }

  /// Notes who writes from now on, and that snapshots are none that cannot be read.
  static func begin(
    _ db: Database,
    _ request: Request,
    _ opening: Opening,
    besides damaged: Set<UInt64>,
  ) throws -> End {
    let term = opening.term &+ 1
    let values = [
      "boot": boot(), "clean": "0", "durability": request.durability.rawValue,
      "epoch": String(opening.epoch, radix: 16), "file": try identity(of: request.path),
      "term": "\(term)",
    ]
    var build: Int64 = 0
    try db.inTransaction(.immediate) {
      guard try Meta(db).term == opening.term, try newestRevision(db) == opening.newest else {
        throw JournalError(
          .busy,
          "Another daemon has written to \(request.directory) while its history was read. Stop one "
            + "of the two, then start again.",
        )
      }
      build = try note(request.schema, in: db)
      try set(values, in: db)
      for revision in damaged {
        try db.execute(
          sql: "DELETE FROM snapshot WHERE revision = ?",
          arguments: [Int64(clamping: revision)],
        )
      }
      return .commit
    }
    let last = try Row.fetchOne(db, sql: "SELECT sum, total FROM log ORDER BY first DESC LIMIT 1")
    return End(
      build: build,
      term: term,
      sum: UInt64(bitPattern: try last?.decode(forColumn: "sum") ?? 0),
      total: try last?.decode(forColumn: "total") ?? 0,
    )
  }

  /// Refuses what another root or another release wrote that is not read here, before anything is
  /// changed.
  static func check(_ meta: Meta, root: String?, directory: String) throws {
    let journal = "The journal in \(directory)"
    guard let format = meta["format"].flatMap(Int.init) else {
      throw JournalError(.corrupt, "\(journal) does not say its format. Restore a backup.")
    }
    try check(format: format, of: journal)
    guard let root, let found = meta["root"], found != root else { return }
    throw JournalError(
      .foreign,
      "The journal in \(directory) is that of \"\(found)\", and this daemon's root is "
        + "called \"\(root)\". Name another directory with --data.",
    )
  }

  /// Refuses what is kept in a form that is not read here, by its number.
  package static func check(format: Int, of what: String) throws(JournalError) {
    if format > Self.format {
      throw JournalError(
        .newer,
        "\(what) has format \(format), and this program knows formats up to \(Self.format). "
          + "Use the release that wrote it, or a later one.",
      )
    }
    if format < oldestFormat {
      throw JournalError(
        .older,
        "\(what) has format \(format), and this program reads formats from \(oldestFormat) on. "
          + "Use the release that wrote it.",
      )
    }
  }

  /// The number of the build that has a schema.
  static func note(_ schema: SchemaDocument, in db: Database) throws -> Int64 {
    let bytes = Data(schema.encoded())
    let known = try Int64.fetchOne(
      db,
      sql: "SELECT id FROM build WHERE schema = ?",
      arguments: [bytes],
    )
    if let known { return known }
    try db.execute(
      sql: "INSERT INTO build (schema, sum) VALUES (?, ?)",
      arguments: [bytes, Int64(bitPattern: SipHash24.hash([UInt8](bytes)[...]))],
    )
    return db.lastInsertedRowID
  }

  static func create(_ db: Database, root: String, epoch: UInt64) throws {
    try db.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE IF NOT EXISTS build (id INTEGER PRIMARY KEY, schema BLOB NOT NULL UNIQUE,
          sum INTEGER NOT NULL
        );
        CREATE TABLE IF NOT EXISTS log (
          first INTEGER PRIMARY KEY, last INTEGER NOT NULL, build INTEGER NOT NULL,
          sessions INTEGER NOT NULL, total INTEGER NOT NULL, before INTEGER NOT NULL,
          sum INTEGER NOT NULL, records BLOB NOT NULL
        );
        CREATE TABLE IF NOT EXISTS snapshot (
          revision INTEGER PRIMARY KEY, build INTEGER NOT NULL, sum INTEGER NOT NULL,
          bytes INTEGER NOT NULL
        );
        """
    )
    let defaults = ["format": "\(format)", "root": root, "epoch": String(epoch, radix: 16)]
    for (name, value) in defaults {
      try db.execute(
        sql: "INSERT OR IGNORE INTO meta (name, value) VALUES (?, ?)",
        arguments: [name, value],
      )
    }
  }

  static func set(_ values: [String: String], in db: Database) throws {
    for (name, value) in values {
      try db.execute(
        sql: "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)",
        arguments: [name, value],
      )
    }
  }

  /// What tells a file from its copies.
  private static func identity(of path: String) throws -> String {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    let device = attributes[.systemNumber] as? UInt64 ?? 0
    let number = attributes[.systemFileNumber] as? UInt64 ?? 0
    return "\(device).\(number)"
  }

  /// Which start of the machine this is.
  private static func boot() -> String {
    let path = "/proc/sys/kernel/random/boot_id"
    guard let bytes = FileManager.default.contents(atPath: path) else {
      // Elsewhere the machine's start is not told apart from others: history begins anew then.
      return "\(UInt64.random(in: 0 ... .max))"
    }
    return String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
  }

  struct Meta {
    private var values: [String: String] = [:]

    /// What a file says; nothing where it has no history.
    init(_ db: Database) throws {
      guard try db.tableExists("meta") else { return }
      for row in try Row.fetchAll(db, sql: "SELECT name, value FROM meta") {
        values[try row.decode(forColumn: "name")] = try row.decode(String.self, forColumn: "value")
      }
    }

    subscript(name: String) -> String? { values[name] }

    var epoch: UInt64? { self["epoch"].flatMap { UInt64($0, radix: 16) } }

    /// The term of the daemon that began last; 0 where none has.
    var term: UInt64 { self["term"].flatMap { UInt64($0) } ?? 0 }

    /// What was promised; nil where nothing was written yet.
    var durability: Durability? { self["durability"].flatMap(Durability.init(rawValue:)) }
  }
}
