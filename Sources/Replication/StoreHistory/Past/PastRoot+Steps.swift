import StoreProtocol
import StoreState

extension PastRoot {
  /// Moves to the newest snapshot up to a revision.
  ///
  /// - Parameters:
  ///   - revision: The revision.
  ///   - source: The past.
  ///   - takeHistory: Receives the data of the snapshot besides the root.
  /// - Returns: Its revision.
  /// - Throws: ``HistoryError``, also if no snapshot can be read.
  mutating func rewind(
    to revision: UInt64,
    in source: any HistorySource,
    takeHistory: (KeptHistory) -> Void = { _ in },
  ) throws(HistoryError) -> UInt64 {
    guard let part = try source.snapshot(upTo: revision) else {
      throw HistoryError(
        .corrupt,
        "No snapshot up to revision \(revision) can be read. Restore a backup.",
      )
    }
    return try take(part, takeHistory: takeHistory)
  }

  /// Moves to the state of a snapshot.
  ///
  /// - Returns: Its revision.
  mutating func take(
    _ part: HistoryPart,
    takeHistory: (KeptHistory) -> Void = { _ in },
  ) throws(HistoryError) -> UInt64 {
    do throws(CodecError) {
      let snapshot = try SnapshotBytes.decode(part.bytes[...])
      takeHistory(snapshot.history)
      try take(snapshot: snapshot.root, part.schema)
      return snapshot.revision
    } catch {
      throw HistoryError(.corrupt, "A snapshot cannot be read: \(error)")
    }
  }

  /// Takes the snapshot that a continuing build has kept of the current state, if there is one.
  mutating func follow(
    _ schema: SchemaDocument,
    before record: JournalRecord,
    in source: any HistorySource,
  ) throws(HistoryError) {
    let last = record.revision - 1
    guard !reads(schema), let part = try source.snapshot(upTo: last), part.schema == schema,
      try part.snapshotRevision() == last
    else { return }
    _ = try take(part)
  }

  /// Advances by a record, which is that of the next revision.
  ///
  /// - Returns: The names of the scopes that it changed, if they are requested.
  mutating func advance(
    _ record: JournalRecord,
    _ schema: SchemaDocument,
    naming: Bool,
    in source: any HistorySource,
  ) throws(HistoryError) -> [String] {
    try follow(schema, before: record, in: source)
    guard let delta = record.delta else { return [] }
    do throws(CodecError) {
      return try apply(delta, schema, naming: naming)
    } catch {
      throw HistoryError(.corrupt, "Revision \(record.revision) cannot be read: \(error)")
    }
  }
}
