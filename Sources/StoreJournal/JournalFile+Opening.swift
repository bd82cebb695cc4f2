import Foundation
import GRDB
import StoreState

extension JournalFile {
  /// What is asked of a file before it is read.
  struct Request {
    var directory: String
    var root: String
    var schema: SchemaDocument
    var durability: Durability
    /// For a history that begins.
    var epoch: UInt64
  }

  /// Makes the tables of a new file, refuses what is not ours to read, and notes who writes now.
  static func prepare(_ db: Database, for request: Request) throws -> (build: Int64, Opening) {
    if try db.tableExists("meta") {
      try check(try Meta(db), root: request.root, directory: request.directory)
    }
    try db.inTransaction(.immediate) {
      try create(db, root: request.root, epoch: request.epoch)
      return .commit
    }
    let meta = try Meta(db)
    try check(meta, root: request.root, directory: request.directory)
    guard var epoch = meta["epoch"].flatMap({ UInt64($0, radix: 16) }) else {
      throw JournalError(.corrupt, "The journal in \(request.directory) has no epoch.")
    }
    let isClean = meta["clean"] == "1"
    let known = meta["durability"].flatMap(Durability.init(rawValue:))
    let boot = Self.boot()
    let file = try identity(of: "\(request.directory)/journal.sqlite")
    let isLost = !isClean && known != .full && meta["boot"] != boot
    let isCopy = meta["file"] != nil && meta["file"] != file
    if known != nil, isLost || isCopy {
      // The machine went down, and may have taken back what somebody has seen; or this is a backup
      // of a history that went on without it.
      var generator = SystemRandomNumberGenerator()
      epoch = generator.next()
    }
    let last = try Int64.fetchOne(
      db,
      sql: "SELECT build FROM (SELECT last AS place, build FROM log "
        + "UNION ALL SELECT revision, build FROM snapshot) ORDER BY place DESC LIMIT 1",
    )
    let term = (meta["term"].flatMap(UInt64.init) ?? 0) + 1
    var build: Int64 = 0
    try db.inTransaction(.immediate) {
      build = try note(request.schema, in: db)
      try set(
        [
          "boot": boot, "clean": "0", "durability": request.durability.rawValue,
          "epoch": String(epoch, radix: 16), "file": file, "term": "\(term)",
        ],
        in: db,
      )
      return .commit
    }
    let isSameBuild = last.map { $0 == build } ?? true
    return (build, Opening(epoch: epoch, isClean: isClean, isSameBuild: isSameBuild))
  }

  /// Refuses what another root or a later release wrote, before anything is changed.
  static func check(_ meta: Meta, root: String?, directory: String) throws {
    if let format = meta["format"].flatMap(Int.init), format > Self.format {
      throw JournalError(
        .newer,
        "The journal in \(directory) has format \(format), and this program knows formats "
          + "up to \(Self.format). Use the release that wrote it, or a later one.",
      )
    }
    guard let root, let found = meta["root"], found != root else { return }
    throw JournalError(
      .foreign,
      "The journal in \(directory) is that of \"\(found)\", and this daemon's root is "
        + "called \"\(root)\". Name another directory with --data.",
    )
  }

  /// The number of the build that has a schema.
  private static func note(_ schema: SchemaDocument, in db: Database) throws -> Int64 {
    let bytes = Data(schema.encoded())
    let known = try Int64.fetchOne(
      db,
      sql: "SELECT id FROM build WHERE schema = ?",
      arguments: [bytes],
    )
    if let known { return known }
    try db.execute(sql: "INSERT INTO build (schema) VALUES (?)", arguments: [bytes])
    return db.lastInsertedRowID
  }

  private static func create(_ db: Database, root: String, epoch: UInt64) throws {
    try db.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE IF NOT EXISTS build (id INTEGER PRIMARY KEY, schema BLOB NOT NULL UNIQUE);
        CREATE TABLE IF NOT EXISTS log (
          first INTEGER PRIMARY KEY, last INTEGER NOT NULL, build INTEGER NOT NULL,
          sessions INTEGER NOT NULL, sum INTEGER NOT NULL, records BLOB NOT NULL
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

    init(_ db: Database) throws {
      for row in try Row.fetchAll(db, sql: "SELECT name, value FROM meta") {
        values[row["name"]] = row["value"]
      }
    }

    subscript(name: String) -> String? { values[name] }
  }
}
