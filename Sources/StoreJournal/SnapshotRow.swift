import Foundation
import GRDB
import StoreState

/// A row of the snapshots: what is kept of one besides its file.
package struct SnapshotRow: Sendable {
  package let revision: UInt64
  let build: Int64
  /// The checksum of all of it.
  let sum: UInt64
  /// How many bytes it has.
  let count: Int

  /// Of a snapshot that was just made.
  init(revision: UInt64, build: Int64, of bytes: [UInt8]) {
    self.revision = revision
    self.build = build
    sum = Self.sum(revision, build, bytes)
    count = bytes.count
  }

  /// Nil where the file has something else there: as good as a snapshot that cannot be read.
  private init?(_ row: Row) {
    do {
      guard let revision = UInt64(exactly: try row.decode(Int64.self, forColumn: "revision")) else {
        return nil
      }
      self.revision = revision
      build = try row.decode(forColumn: "build")
      sum = UInt64(bitPattern: try row.decode(forColumn: "sum"))
      count = try row.decode(forColumn: "bytes")
    } catch {
      return nil
    }
  }

  /// Those up to a revision, the newest first.
  static func newestFirst(_ db: Database, upTo revision: UInt64 = .max) throws -> [SnapshotRow] {
    let rows = try Row.fetchAll(
      db,
      sql: "SELECT revision, build, sum, bytes FROM snapshot WHERE revision <= ? "
        + "ORDER BY revision DESC",
      arguments: [Int64(clamping: revision)],
    )
    return rows.compactMap(SnapshotRow.init)
  }

  /// Keeps it, in place of one of the same revision.
  func insert(into db: Database) throws {
    try db.execute(
      sql: "INSERT OR REPLACE INTO snapshot (revision, build, sum, bytes) VALUES (?, ?, ?, ?)",
      arguments: [Int64(revision), build, Int64(bitPattern: sum), count],
    )
  }

  /// The file of the snapshot of a revision.
  static func path(of revision: UInt64, in directory: String) -> String {
    "\(directory)/snapshots/\(revision).snapshot"
  }

  /// The bytes of its file; nil where they are not those that were kept.
  func bytes(in directory: String) -> [UInt8]? {
    let path = Self.path(of: revision, in: directory)
    guard DurableFile.count(path) == count, let bytes = DurableFile.read(path),
      Self.sum(revision, build, bytes) == sum
    else { return nil }
    return bytes
  }

  private static func sum(_ revision: UInt64, _ build: Int64, _ bytes: [UInt8]) -> UInt64 {
    var hasher = SipHash24()
    hasher.append(littleEndian: revision)
    hasher.append(littleEndian: UInt64(bitPattern: build))
    bytes.withUnsafeBytes { hasher.append($0) }
    return hasher.finish()
  }
}
