package import StoreState
import Synchronization

extension JournalDirectory {
  /// The parts of a history, in the order of reading.
  package enum Part {
    /// The parts that follow were written by a build with this schema, until the next `build`.
    case build(SchemaDocument)
    /// The newest readable snapshot.
    case snapshot([UInt8])
    /// Records, and the greatest session number at that time.
    case records([UInt8], sessionNumbers: UInt64)
  }

  /// The result of reading a history.
  package struct Reading {
    /// The bytes of records after the newest snapshot.
    package var bytes: Int
    /// Why the history could not be read from the snapshot before the newest one; nil if it was, or
    /// if that was not needed.
    package var obstacle: JournalError?
  }

  /// Reads an intact snapshot and the records after it: the newest snapshot, or the one before if
  /// too few records follow the newest.
  ///
  /// If the history cannot be read from the snapshot before, reading begins again at the newest:
  /// then `take` receives a second snapshot, which replaces everything before.
  ///
  /// - Parameters:
  ///   - initial: The checksum of this program's initial state in its durable form, if history may
  ///     begin with that state when no snapshot is readable; else nil.
  ///   - least: The number of records below which reading begins at the snapshot before.
  ///   - take: Receives each part.
  /// - Returns: The result.
  /// - Throws: ``JournalError``, also in place of a `CodecError` that `take` throws.
  package func read(
    from initial: UInt64? = nil,
    atLeast least: Int = 0,
    _ take: (Part) throws(CodecError) -> Void,
  ) throws(JournalError) -> Reading {
    var obstacle: JournalError?
    do throws(JournalError) {
      if let start = try earlierStart(least) {
        let bytes = try read(start.revision, start.contents, countingAfter: start.newest, take)
        return Reading(bytes: bytes)
      }
    } catch {
      obstacle = error
    }
    if let (newest, found) = try snapshots.newest() {
      let bytes = try read(newest, found, countingAfter: newest, take)
      if obstacle?.code == .corrupt { snapshots.noteDamage(before: newest) }
      return Reading(bytes: bytes, obstacle: obstacle)
    }
    try checkBeginning(with: initial)
    readFrom.withLock { $0 = 0 }
    let bytes = try readRecords(after: 0, countingAfter: 0, writtenBy: nil, take)
    return Reading(bytes: bytes, obstacle: obstacle)
  }

  /// Reads the records after a revision that another reader has reached.
  ///
  /// - Parameters:
  ///   - revision: The revision.
  ///   - snapshot: The revision of the snapshot from which that reader has begun.
  ///   - schema: The schema of the last record that it has read, encoded.
  ///   - take: Receives each part.
  /// - Returns: The result, with the bytes of these records.
  /// - Throws: ``JournalError``, also in place of a `CodecError` that `take` throws.
  package func readRest(
    after revision: UInt64,
    from snapshot: UInt64,
    writtenBy schema: [UInt8],
    _ take: (Part) throws(CodecError) -> Void,
  ) throws(JournalError) -> Reading {
    guard revision <= opening.newest else {
      throw corrupt("revision \(revision) was read, and its log now ends at \(opening.newest)")
    }
    readFrom.withLock { $0 = snapshot }
    let bytes = try readRecords(
      after: revision,
      countingAfter: revision,
      writtenBy: schema,
      take,
    )
    return Reading(bytes: bytes)
  }

  /// The snapshot before the newest one, if fewer than `least` records follow the newest and the
  /// log has the records between them.
  ///
  /// Both snapshots must be intact. They and the records between them must be of this build: a
  /// build that finds another one's state converts it, and keeps the result in a snapshot only.
  private func earlierStart(
    _ least: Int
  ) throws(JournalError) -> (revision: UInt64, contents: SnapshotFile.Contents, newest: UInt64)? {
    let revisions = try snapshots.revisions().prefix(2)
    guard opening.isSameBuild, revisions.count == 2, let newest = revisions.first,
      let earlier = revisions.last,
      newest <= opening.log.last, opening.log.last - newest < UInt64(least),
      let start = opening.log.segments.lastIndex(where: { $0.first <= earlier + 1 })
    else { return nil }
    // The headers are read first, because a snapshot may be large.
    let schema = request.schema.encoded()
    for segment in opening.log.segments[start...] {
      guard try LogHeader(of: segment, in: directory).schema == schema else { return nil }
    }
    guard try snapshots.read(newest)?.schema == schema,
      let contents = try snapshots.read(earlier), contents.schema == schema
    else { return nil }
    return (earlier, contents, newest)
  }

  /// Reads a snapshot and the records after it.
  ///
  /// - Returns: The bytes of records after the revision `counted`.
  private func read(
    _ revision: UInt64,
    _ snapshot: SnapshotFile.Contents,
    countingAfter counted: UInt64,
    _ take: (Part) throws(CodecError) -> Void,
  ) throws(JournalError) -> Int {
    try hand(.build(try schema(snapshot.schema)), at: revision, to: take)
    try hand(.snapshot(snapshot.bytes), at: revision, to: take)
    readFrom.withLock { $0 = revision }
    return try readRecords(
      after: revision,
      countingAfter: counted,
      writtenBy: snapshot.schema,
      take,
    )
  }

  /// Checks a history without a readable snapshot, whose records contain only changes.
  ///
  /// - Parameter initial: The checksum of the state with which it may begin.
  /// - Throws: ``JournalError`` if it did not begin with that state.
  private func checkBeginning(with initial: UInt64?) throws(JournalError) {
    let foreign = snapshots.foreign
    let hasRecords = opening.log.last > 0
    guard hasRecords || !foreign.isEmpty else { return }
    let what =
      foreign.isEmpty
      ? "none of its snapshots can be read"
      : "\(foreign.joined(separator: " and ")) "
        + (foreign.count == 1 ? "is a snapshot" : "are snapshots")
        + " of another history, and no other one can be read"
    let state = InitialState(directory: directory, segments: opening.log.segments)
    guard let initial, hasRecords else {
      let fault = "\(what), and records contain changes only"
      guard hasRecords, let remedy = try state.remedy(through: opening.log.last) else {
        throw corrupt(fault)
      }
      throw JournalError(.corrupt, "The journal in \(directory) is damaged: \(fault). \(remedy)")
    }
    guard let refusal = try state.refusal(of: initial) else { return }
    throw corrupt("\(what), and \(refusal)")
  }

  private func readRecords(
    after revision: UInt64,
    countingAfter counted: UInt64,
    writtenBy known: [UInt8]?,
    _ take: (Part) throws(CodecError) -> Void,
  ) throws(JournalError) -> Int {
    var (next, bytes) = (revision + 1, 0)
    var (before, build) = (UInt64?.none, known)
    let log = LogReading(directory: directory, onSearch: request.onSearch)
    do {
      try log.entries(
        after: revision,
        of: opening.log.segments,
        through: opening.log.last,
      ) { found in
        let head = found.head
        try check(head, at: next, following: before)
        if found.header.schema != build {
          build = found.header.schema
          try hand(.build(try schema(found.header.schema)), at: next, to: take)
        }
        try hand(.records(found.records, sessionNumbers: head.sessionNumbers), at: next, to: take)
        next = head.last + 1
        if head.last > counted { bytes += head.count }
        before = head.sum
        return true
      }
    } catch let damage as LogReading.Damage {
      throw corrupt(damage.description)
    } catch let error as JournalError {
      throw error
    } catch {
      preconditionFailure("Reading a log has thrown \(error)")
    }
    guard next > opening.log.last else {
      throw corrupt("revision \(next) is missing, and \(opening.log.last) was kept")
    }
    return bytes
  }

  private func check(
    _ head: LogEntry.Head,
    at next: UInt64,
    following before: UInt64?,
  ) throws(JournalError) {
    guard head.first == next else {
      throw corrupt(
        "revision \(next) is missing: the next revision in the log is \(head.first)"
      )
    }
    guard before == nil || before == head.before else {
      throw corrupt("revisions \(head.first) to \(head.last) belong to another history")
    }
  }

  private func hand(
    _ part: Part,
    at revision: UInt64,
    to take: (Part) throws(CodecError) -> Void,
  ) throws(JournalError) {
    do throws(CodecError) {
      try take(part)
    } catch {
      if case .build = part {
        throw JournalError(
          .schema,
          "The journal in \(directory) was written by a program with other types, which this one "
            + "cannot read from revision \(revision) on: \(error). Start the program that wrote "
            + "it, or give each changed property a former name or a default.",
        )
      }
      throw corrupt("revision \(revision) cannot be read: \(error)", before: revision)
    }
  }

  private func corrupt(_ what: String, before revision: UInt64? = nil) -> JournalError {
    JournalError(in: directory, what, before: revision)
  }

  private func schema(_ bytes: [UInt8]) throws(JournalError) -> SchemaDocument {
    try Self.schema(bytes, in: directory)
  }

  /// Decodes a schema whose checksum was verified.
  static func schema(
    _ bytes: [UInt8],
    in directory: String,
  ) throws(JournalError) -> SchemaDocument {
    do throws(CodecError) {
      return try SchemaDocument(encoded: bytes)
    } catch {
      throw JournalError(in: directory, "the schema of a build cannot be read: \(error)")
    }
  }
}
