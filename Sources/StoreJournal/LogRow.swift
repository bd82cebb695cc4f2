import Foundation
import GRDB
import StoreReplication
import StoreState

/// A row of the log.
struct LogRow {
  var first: Int64
  var last: Int64
  var build: Int64
  /// No session had a number beyond this one.
  var sessions: Int64
  /// The bytes of all records up to its own.
  var total: Int64
  /// The checksum of the row before.
  var before: UInt64
  var sum: UInt64 = 0
  var records: [UInt8]

  init(
    first: Int64,
    last: Int64,
    build: Int64,
    sessions: Int64,
    total: Int64,
    before: UInt64,
    records: [UInt8],
  ) {
    self.first = first
    self.last = last
    self.build = build
    self.sessions = sessions
    self.total = total
    self.before = before
    self.records = records
    sum = hash
  }

  /// - Throws: Where the file has something else there.
  private init(_ row: Row) throws {
    first = try row.decode(forColumn: "first")
    last = try row.decode(forColumn: "last")
    build = try row.decode(forColumn: "build")
    sessions = try row.decode(forColumn: "sessions")
    total = try row.decode(forColumn: "total")
    before = UInt64(bitPattern: try row.decode(forColumn: "before"))
    sum = UInt64(bitPattern: try row.decode(forColumn: "sum"))
    records = [UInt8](try row.decode(Data.self, forColumn: "records"))
  }

  /// The newest revision that there is; nil for none.
  ///
  /// A row that cannot be read counts with its key: whoever reads it says what is wrong.
  static func newestRevision(_ db: Database) throws -> Int64? {
    try Int64.fetchOne(
      db,
      sql: "SELECT CASE typeof(last) WHEN 'integer' THEN last ELSE first END FROM log "
        + "ORDER BY first DESC LIMIT 1",
    )
  }

  /// The rows that end behind a revision, in their order.
  static func after(
    _ revision: UInt64,
    in db: Database,
  ) throws -> MapCursor<RowCursor, LogRow> {
    try Row.fetchCursor(db, sql: select, arguments: arguments(revision, -1)).map { try LogRow($0) }
  }

  /// At most so many of the rows that end behind a revision, in their order, up to one that cannot
  /// be read.
  ///
  /// - Throws: Where the first one cannot be read.
  static func fetch(_ count: Int, after revision: UInt64, in db: Database) throws -> [LogRow] {
    let cursor = try Row.fetchCursor(db, sql: select, arguments: arguments(revision, count))
    var rows: [LogRow] = []
    do {
      while let row = try cursor.next() { rows.append(try LogRow(row)) }
    } catch  where !rows.isEmpty {
      // Who asks for what follows these is told.
      return rows
    }
    return rows
  }

  /// Begins with the row that has the revision, which is found by what it begins with: only that is
  /// the table's key.
  static let select =
    "SELECT first, last, build, sessions, total, before, sum, records FROM log "
    + "WHERE first >= IFNULL((SELECT MAX(first) FROM log WHERE first <= :revision), 0) "
    + "AND last > :revision ORDER BY first LIMIT :count"

  static func arguments(_ revision: UInt64, _ count: Int) -> StatementArguments {
    ["revision": Int64(clamping: revision), "count": count]
  }

  /// What is told of a row without reading all of it.
  struct Head {
    var first: Int64
    var last: Int64
    var total: Int64
    /// When its first record was made; nil where that cannot be read.
    var wallMilliseconds: UInt64?
  }

  /// The oldest rows, at most so many, that end at a revision or before.
  ///
  /// One whose time cannot be read, or is later than that of the next one, for clocks are set, is
  /// as old as that.
  static func heads(_ count: Int, through revision: Int64, in db: Database) throws -> [Head] {
    // And the one behind them, which tells how old the last may be.
    var heads = try heads("ASC", count + 1, in: db)
    for place in heads.indices.dropLast().reversed() {
      guard let next = heads[place + 1].wallMilliseconds else { continue }
      heads[place].wallMilliseconds = min(heads[place].wallMilliseconds ?? next, next)
    }
    return Array(heads.prefix(count).prefix { $0.last <= revision })
  }

  /// When the newest row was begun; nil where that cannot be read.
  static func newestTime(_ db: Database) throws -> UInt64? {
    try heads("DESC", 1, in: db).first?.wallMilliseconds
  }

  private static func heads(_ order: String, _ count: Int, in db: Database) throws -> [Head] {
    try Row.fetchAll(
      db,
      sql: "SELECT first, last, total, substr(records, 1, 32) AS start FROM log "
        + "ORDER BY first \(order) LIMIT ?",
      arguments: [count],
    )
    .map { row in
      let start = [UInt8](try row.decode(Data.self, forColumn: "start"))
      return Head(
        first: try row.decode(forColumn: "first"),
        last: try row.decode(forColumn: "last"),
        total: try row.decode(forColumn: "total"),
        wallMilliseconds: JournalRecord.time(ofStart: start[...]),
      )
    }
  }

  /// Keeps it, once, unless a daemon has begun to write under another term.
  ///
  /// - Returns: Whether it is kept.
  func insert(into db: Database, under term: UInt64 = 0) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: "INSERT INTO log (first, last, build, sessions, total, before, sum, records) "
        + "SELECT ?, ?, ?, ?, ?, ?, ?, ? "
        + "WHERE IFNULL((SELECT value FROM meta WHERE name = 'term'), '0') = ?"
    )
    do {
      try statement.execute(
        arguments: [
          first, last, build, sessions, total, Int64(bitPattern: before), Int64(bitPattern: sum),
          Data(records), "\(term)",
        ]
      )
      return db.changesCount > 0
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      // It was not known that it is kept.
      let sql = "SELECT sum FROM log WHERE first = ?"
      guard try Int64.fetchOne(db, sql: sql, arguments: [first]) == Int64(bitPattern: sum) else {
        throw error
      }
      return true
    }
  }

  /// Whether it is as it was kept.
  var isWhole: Bool { sum == hash }

  /// The checksum of all of it.
  private var hash: UInt64 {
    var hasher = SipHash24()
    for field in [first, last, build, sessions, total] {
      hasher.append(littleEndian: UInt64(bitPattern: field))
    }
    hasher.append(littleEndian: before)
    records.withUnsafeBytes { hasher.append($0) }
    return hasher.finish()
  }
}
