import Foundation
import GRDB

extension JournalFile {
  /// Takes room that is given up where the disk is full.
  var reservePath: String { Self.reservePath(in: directory) }

  private static func reservePath(in directory: String) -> String { "\(directory)/reserve" }

  /// Does something that takes some room, and again without the reserve where there was none.
  static func withRoom<Result>(in directory: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      guard Self.error(error, "").code == .full,
        (try? FileManager.default.removeItem(atPath: reservePath(in: directory))) != nil
      else { throw error }
      return try body()
    }
  }

  /// Gives up the reserve, and lets go of all history that a restart does not need.
  ///
  /// For a disk that is full. What history had is used again by what comes.
  ///
  /// - Returns: Whether there is room now that was not there before.
  /// - Throws: ``JournalError``.
  package func makeRoom() throws(JournalError) -> Bool {
    guard (try? FileManager.default.removeItem(atPath: reservePath)) != nil else { return false }
    defer { _ = DurableFile.reserve(Self.reserveBytes, at: reservePath) }
    do throws(JournalError) {
      // What stands in the log and in its place as well takes room twice.
      try checkpoint()
      var isMore = false
      while try trim(.nothing) {
        isMore = true
        try checkpoint()
      }
      return isMore
    } catch {
      // Where old history is damaged there is none to let go of.
      if error.code.isForNow || error.code == .corrupt { return false }
      throw error
    }
  }

  /// There is room again: the reserve is taken, where it had to be given up for good.
  func refillReserve() {
    guard !FileManager.default.fileExists(atPath: reservePath) else { return }
    _ = DurableFile.reserve(Self.reserveBytes, at: reservePath)
  }

  /// A file among the snapshots.
  struct SnapshotFile {
    let path: String
    /// Nil for what is none that is finished.
    let revision: UInt64?
  }

  static func snapshotFiles(in directory: String) -> [SnapshotFile] {
    let folder = "\(directory)/snapshots"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.map { name in
      let parts = name.split(separator: ".", omittingEmptySubsequences: false)
      let isWhole = parts.count == 2 && parts[1] == "snapshot"
      return SnapshotFile(path: "\(folder)/\(name)", revision: isWhole ? UInt64(parts[0]) : nil)
    }
  }

  /// Removes the files of snapshots that were never kept, or are no more.
  func removeStrays() throws {
    let kept = try database.read { db in
      Set(try Int64.fetchAll(db, sql: "SELECT revision FROM snapshot"))
    }
    for file in Self.snapshotFiles(in: directory) {
      let isOurs = file.revision != nil || file.path.hasSuffix(DurableFile.draftSuffix)
      if let revision = file.revision, kept.contains(Int64(clamping: revision)) { continue }
      if isOurs { try FileManager.default.removeItem(atPath: file.path) }
    }
  }
}
