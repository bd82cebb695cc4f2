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

  /// Reads the newest intact snapshot and the records after it.
  ///
  /// - Parameters:
  ///   - initial: The checksum of this program's initial state in its durable form, if history may
  ///     begin with that state when no snapshot is readable; else nil.
  ///   - take: Receives each part.
  /// - Returns: The number of bytes of records after the snapshot.
  /// - Throws: ``JournalError``, also in place of a `CodecError` that `take` throws.
  package func read(
    from initial: UInt64? = nil,
    _ take: (Part) throws(CodecError) -> Void,
  ) throws(JournalError) -> Int {
    var (revision, build) = (UInt64(0), [UInt8]?.none)
    // Records before older snapshots may be removed.
    if let (found, contents) = try snapshots.newest() {
      (revision, build) = (found, contents.schema)
      try hand(.build(try schema(contents.schema)), at: revision, to: take)
      try hand(.snapshot(contents.bytes), at: revision, to: take)
    } else {
      try checkBeginning(with: initial)
    }
    readFrom.withLock { $0 = revision }
    return try readRecords(after: revision, writtenBy: build, take)
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
        bytes += head.count
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
