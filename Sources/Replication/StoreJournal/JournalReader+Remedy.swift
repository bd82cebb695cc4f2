import StoreHistory
import StoreState

/// Finds the recoverable part of a damaged directory.
///
/// No function here reads the message of an error, which would call these functions.
extension JournalReader {
  /// Returns the remedy for a damaged directory.
  ///
  /// - Parameters:
  ///   - directory: The directory.
  ///   - revision: The newest revision to name; nil to name none.
  /// - Returns: Sentences, with commands that succeed.
  static func remedy(for directory: String, upTo revision: UInt64? = .max) -> String {
    guard let revision, let newest = newestCopy(of: directory, upTo: revision) else {
      return "Restore a backup, or copy the readable part with storectl salvage. To start over, "
        + "move the directory away."
    }
    return "Restore a backup; or go on from revision \(newest) in another directory, with: "
      + "storectl restore \(ShellWord.quoted(directory)) --data DIRECTORY --through \(newest)"
  }

  /// Returns the newest revision up to which a copy is possible.
  ///
  /// A daemon starts from that copy, as far as that is known without its types.
  ///
  /// - Returns: Nil if no copy is possible, or that is unknown now.
  static func newestCopy(of directory: String, upTo revision: UInt64 = .max) -> UInt64? {
    do {
      return try JournalReader(directory: directory).newestCopy(upTo: revision)
    } catch {
      // An unreadable directory gives no reason for a promise.
      return nil
    }
  }

  /// Returns the last revision of the records that follow the first one; 0 if it is unknown now.
  static func endOfRecords(fromFirstIn directory: String) -> UInt64 {
    do {
      return try JournalReader(directory: directory).reach(from: PastWalk(after: 0))
    } catch {
      // An unreadable directory gives no reason for a promise.
      return 0
    }
  }

  private func newestCopy(upTo revision: UInt64) throws -> UInt64? {
    for found in try kept().revisions where found <= revision {
      guard let walk = try state(of: found) else { continue }
      return try reach(from: walk, through: revision)
    }
    return nil
  }

  /// Returns the snapshots that a copy may have, newest first, some perhaps damaged, and the last
  /// revision of the log.
  private func kept() throws -> (revisions: [UInt64], last: UInt64) {
    let segments = try readableSegments()
    guard let first = segments.first, let newest = segments.last else { return ([], 0) }
    let last = min(limit, try LoadedSegment(newest, in: directory).end().last)
    let revisions = try snapshots.revisions(readableBehind: last)
    return (revisions.filter { $0 >= first.first - 1 }, last)
  }

  /// Returns the oldest snapshot, from a revision on, from which records lead to the end; nil if
  /// there is no such snapshot.
  func oldestSnapshot(leadingToEndFrom revision: UInt64) throws -> UInt64? {
    let (revisions, last) = try kept()
    for found in revisions.reversed() where found >= revision {
      guard let walk = try state(of: found) else { continue }
      if try reach(from: walk) >= last { return found }
    }
    return nil
  }

  /// Returns the state of a snapshot; nil if it cannot be read.
  func state(of revision: UInt64) throws(JournalError) -> PastWalk? {
    guard let contents = try snapshots.read(revision) else { return nil }
    do {
      let schema = try SchemaDocument(encoded: contents.schema)
      return try PastWalk(HistoryPart(schema: schema, bytes: contents.bytes), of: revision)
    } catch {
      // The checksum is right, but no program wrote this state.
      return nil
    }
  }

  /// Returns the last revision to which records lead from a state.
  private func reach(
    from start: PastWalk,
    through limit: UInt64 = .max,
  ) throws(JournalError) -> UInt64 {
    var (walk, before) = (start, UInt64?.none)
    let log = LogReading(directory: directory)
    let last = min(limit, self.limit)
    do {
      try log.entries(after: start.revision, of: try readableSegments(), through: last) { found in
        guard before == nil || before == found.head.before else { return false }
        before = found.head.sum
        let part = HistoryPart(
          schema: try SchemaDocument(encoded: found.header.schema),
          bytes: found.records,
        )
        try walk.take(part, through: found.head.last, upTo: limit)
        return true
      }
    } catch let error as JournalError where ![.corrupt, .missing].contains(error.code) {
      throw error
    } catch {
      // The records end before this error.
    }
    return walk.revision
  }
}
