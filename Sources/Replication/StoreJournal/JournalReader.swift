package import StoreHistory
package import StoreProtocol
package import StoreState

/// Reads a journal beside its writer, without blocking it.
package final class JournalReader: HistorySource {
  let directory: String
  /// The reason for which the journal is incomplete: an incomplete copy, or unreadable newest
  /// segments; nil if it is complete.
  let damage: JournalError?
  /// The first of the unreadable newest segments: the segments before it can be copied.
  let unreadable: LogSegment?
  /// The snapshots that there are.
  let snapshots: KeptSnapshots
  /// The newest revision from which a daemon would continue, if later entries are not kept.
  let limit: UInt64

  /// Opens an existing journal.
  ///
  /// - Parameters:
  ///   - directory: The journal's directory.
  ///   - root: The root's name; nil for any root.
  /// - Throws: ``JournalError``.
  package init(directory: String, root: String? = nil) throws(JournalError) {
    self.directory = directory
    try JournalDirectory.checkPresence(in: directory)
    var segments = try LogSegment.all(in: directory)
    var found: (unreadable: LogSegment, damage: JournalError)?
    while let newest = segments.popLast() {
      let segment: LoadedSegment
      do throws(JournalError) {
        segment = try LoadedSegment(newest, in: directory)
      } catch  where error.code == .corrupt && !segments.isEmpty {
        found = (newest, error)
        continue
      }
      try JournalDirectory.check(root: root, segment.header, in: directory)
      unreadable = found?.unreadable
      snapshots = KeptSnapshots(in: directory, of: segment.header.history)
      if let found {
        (damage, limit) = (found.damage, .max)
      } else {
        let path = newest.path(in: directory)
        (damage, limit) = try Self.judge(segment, at: path, snapshots, in: directory)
      }
      return
    }
    throw JournalError(withoutJournalIn: directory)
  }

  /// Opens an existing journal, and refuses an incomplete one.
  package static func whole(
    directory: String,
    root: String? = nil,
  ) throws(JournalError) -> JournalReader {
    let reader = try JournalReader(directory: directory, root: root)
    if let damage = reader.damage { throw damage }
    return reader
  }

  /// Returns the damage at the end of the newest segment, and the revision at which the log ends.
  private static func judge(
    _ newest: LoadedSegment,
    at path: String,
    _ snapshots: KeptSnapshots,
    in directory: String,
  ) throws(JournalError) -> (damage: JournalError?, limit: UInt64) {
    guard newest.header.file != LogHeader.copied else {
      let found = try newest.end()
      guard !found.isMarked else { return (nil, .max) }
      let damage = JournalError(
        in: directory,
        "the copy breaks off after revision \(found.last)",
      )
      return (damage, .max)
    }
    // A running daemon may be writing an entry.
    guard DirectoryLock.holder(of: directory) == nil else { return (nil, .max) }
    let ending = try newest.ending(at: path, beside: snapshots)
    let damage =
      ending.isDamaged ? JournalDirectory.damaged(ending.end, path, in: directory) : nil
    return (damage, ending.limit ?? .max)
  }

  /// Whether a daemon uses it.
  private var isWritten: Bool { DirectoryLock.holder(of: directory) != nil }

  /// Returns the history's root, its epoch, and whether its daemon ended cleanly.
  package func heading() throws(HistoryError) -> HistoryHeading {
    let newest = try newestSegment()
    let end = try ask { () throws(JournalError) in try newest.end() }
    return HistoryHeading(
      root: newest.header.root,
      epoch: newest.header.epoch,
      wasStopped: end.isClosed,
    )
  }

  package func extent() throws(HistoryError) -> HistoryExtent { try extent(from: nil) }

  /// Returns the revisions of the history.
  ///
  /// - Parameter start: A snapshot; history before it is ignored. Nil for all history.
  /// - Returns: The first and last revisions, and the snapshots.
  /// - Throws: ``HistoryError``.
  func extent(from start: UInt64?) throws(HistoryError) -> HistoryExtent {
    let newestSegment = try newestSegment()
    let last = try endOfRecords(in: newestSegment)
    let first = try segments().first?.first ?? newestSegment.header.first
    // The file of an unneeded snapshot may outlive the records after it.
    let found = try ask { () throws(JournalError) in
      try snapshots.revisions(readableBehind: last)
    }.filter { $0 >= max(start ?? 0, first - 1) }
    guard !found.isEmpty || last >= first else {
      guard snapshots.foreign.isEmpty else { throw HistoryError.withoutState(noting: foreignNote) }
      throw HistoryError(.unavailable, "Nothing is kept in \(directory) yet.")
    }
    return HistoryExtent(
      oldestState: found.last,
      beforeRecords: start ?? first - 1,
      newest: max(last, found.first ?? 0),
      snapshots: found.reversed(),
    )
  }

  /// Returns the newest revision of the records, which may precede a snapshot whose log was lost.
  package func endOfRecords() throws(HistoryError) -> UInt64 {
    try endOfRecords(in: newestSegment())
  }

  private func endOfRecords(in newest: LoadedSegment) throws(HistoryError) -> UInt64 {
    min(limit, try ask { () throws(JournalError) in try newest.end().last })
  }

  /// Names the snapshots of other histories that were found; empty if all are of this one.
  var foreignNote: String {
    snapshots.foreign.map { "\($0) is a snapshot of another history. " }.joined()
  }

  /// Returns the oldest readable snapshot from a revision on; nil if there is no such snapshot.
  func oldestSnapshot(from revision: UInt64) throws(HistoryError) -> UInt64? {
    try ask { () throws(JournalError) -> UInt64? in
      for found in try snapshots.revisions().reversed() where found >= revision {
        if try state(of: found) != nil { return found }
      }
      return nil
    }
  }

  package func snapshot(upTo revision: UInt64) throws(HistoryError) -> HistoryPart? {
    let found = try ask { () throws(JournalError) in try snapshots.newest(upTo: revision) }
    guard let found else { return nil }
    return HistoryPart(schema: try schema(found.contents.schema), bytes: found.contents.bytes)
  }

  package func records(
    after revision: UInt64,
    _ take: (HistoryPart) throws(HistoryError) -> Bool,
  ) throws(HistoryError) {
    var reached = revision
    var (before, last) = (UInt64?.none, (bytes: [UInt8](), schema: SchemaDocument?.none))
    let log = LogReading(directory: directory, isWritten: isWritten)
    let segments = try segments()
    var wantsMore = true
    try ask {
      do {
        try log.entries(after: revision, of: segments, through: limit) { found in
          let head = found.head
          try check(head.first, behind: reached, isFirst: before == nil, of: segments)
          guard before == nil || before == head.before else {
            throw try damaged(
              "Revisions \(head.first) to \(head.last) belong to another history.",
              at: head.first,
            )
          }
          (reached, before) = (head.last, head.sum)
          let schema: SchemaDocument
          if let known = last.schema, last.bytes == found.header.schema {
            schema = known
          } else {
            schema = try self.schema(found.header.schema)
            last = (found.header.schema, schema)
          }
          wantsMore = try take(
            HistoryPart(
              schema: schema,
              bytes: found.records,
              sessionNumbers: head.sessionNumbers,
            )
          )
          return wantsMore
        }
        if wantsMore, let next = segments.last?.first {
          try check(next, behind: reached, isFirst: true, of: segments)
        }
      } catch let damage as LogReading.Damage {
        let what = damage.description
        throw try damaged(
          what.prefix(1).uppercased() + what.dropFirst() + ".",
          at: damage.revision,
        )
      }
    }
  }

  /// Checks that a revision directly follows the last one, or is not beyond it if it is the first.
  private func check(
    _ found: UInt64,
    behind reached: UInt64,
    isFirst: Bool,
    of segments: [LogSegment],
  ) throws(HistoryError) {
    // Revisions before the oldest segment are not requested.
    let last = max(reached, (segments.first?.first ?? 1) - 1)
    guard found - 1 > last || !isFirst && found - 1 < last else { return }
    let (next, what) = (last + 1, "the next one is \(found)")
    // Old history is removed from its beginning.
    guard try self.segments().first == segments.first else {
      throw HistoryError(.gone, "Revision \(next) is not kept any more: \(what).")
    }
    throw try damaged("Revision \(next) is missing: \(what).", at: next)
  }

  /// Returns an error with a remedy.
  ///
  /// A backup is unnecessary if records lead to the end from a snapshot after the damage.
  private func damaged(
    _ what: String,
    at revision: UInt64,
  ) throws(HistoryError) -> HistoryError {
    let snapshot = try ask {
      try damage == nil ? oldestSnapshot(leadingToEndFrom: revision) : nil
    }
    guard let snapshot else {
      return HistoryError(.corrupt, "\(what) \(Self.remedy(for: directory))")
    }
    return HistoryError(
      .corrupt,
      "\(what) Only the history before it is lost: the snapshot of revision \(snapshot) is good, a "
        + "daemon starts, and backup and restore begin with that snapshot.",
    )
  }

  /// Returns the schemas of all builds that have written the journal, oldest first.
  package func allSchemas() throws(HistoryError) -> [SchemaDocument] {
    var found: [(revision: UInt64, schema: [UInt8])] = []
    for segment in try segments() {
      let header = try ask { () throws(JournalError) -> LogHeader? in
        do throws(JournalError) {
          return try LogHeader(of: segment, in: directory)
        } catch {
          // The reader of these records receives the error, with a remedy.
          guard error.code == .corrupt else { throw error }
          return nil
        }
      }
      if let header { found.append((header.first, header.schema)) }
    }
    for revision in try ask({ () throws(JournalError) in try snapshots.revisions() }) {
      let snapshot = try ask { () throws(JournalError) in try snapshots.read(revision) }
      if let snapshot { found.append((revision, snapshot.schema)) }
    }
    var schemas: [[UInt8]] = []
    for (_, schema) in found.sorted(by: { $0.revision < $1.revision })
    where !schemas.contains(schema) {
      schemas.append(schema)
    }
    var documents: [SchemaDocument] = []
    for schema in schemas { documents.append(try self.schema(schema)) }
    return documents
  }

  /// The checksum of the initial state that the records begin with; 0 if it is unknown.
  var initial: UInt64 {
    get throws(HistoryError) {
      guard let first = try segments().first, first.first == 1 else { return 0 }
      return try ask { () throws(JournalError) in
        do throws(JournalError) {
          return try LogHeader(of: first, in: directory).initial
        } catch {
          // The reader of these records receives the error.
          guard error.code == .corrupt else { throw error }
          return 0
        }
      }
    }
  }

  private func schema(_ bytes: [UInt8]) throws(HistoryError) -> SchemaDocument {
    try ask { () throws(JournalError) in try JournalDirectory.schema(bytes, in: directory) }
  }

  private func segments() throws(HistoryError) -> [LogSegment] {
    try ask { () throws(JournalError) in try readableSegments() }
  }

  /// Returns the segments before the first of the unreadable newest ones.
  func readableSegments() throws(JournalError) -> [LogSegment] {
    let all = try LogSegment.all(in: directory)
    guard let unreadable else { return all }
    return all.filter { $0 < unreadable }
  }

  private func newestSegment() throws(HistoryError) -> LoadedSegment {
    try ask {
      guard let newest = try segments().last else {
        throw JournalError(.missing, "The journal in \(directory) is not there any more.")
      }
      return try LoadedSegment(newest, in: directory, isWritten: isWritten)
    }
  }

  private func ask<Value>(_ body: () throws -> Value) throws(HistoryError) -> Value {
    do {
      return try body()
    } catch let error as HistoryError {
      throw error
    } catch let error as JournalError {
      let code: HistoryError.Code =
        switch error.code {
        case .corrupt: .corrupt
        // It was removed between two steps.
        case .missing: .gone
        default: .unavailable
        }
      throw HistoryError(code, error.message)
    } catch {
      preconditionFailure("Reading a journal has thrown \(error)")
    }
  }
}
