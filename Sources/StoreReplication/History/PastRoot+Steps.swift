import StoreState

extension PastRoot {
  /// Goes to the newest snapshot up to a revision.
  ///
  /// - Returns: Its revision.
  mutating func rewind(
    to revision: UInt64,
    in source: any HistorySource,
  ) throws(HistoryError) -> UInt64 {
    guard let part = try source.snapshot(upTo: revision) else {
      throw HistoryError(
        .corrupt,
        "No snapshot up to revision \(revision) can be read. Restore a backup.",
      )
    }
    do throws(CodecError) {
      let snapshot = try SnapshotBytes.decode(part.bytes[...])
      try take(snapshot: snapshot.root, part.schema)
      return snapshot.revision
    } catch {
      throw HistoryError(.corrupt, "A snapshot cannot be read: \(error)")
    }
  }

  /// Goes on by a record.
  ///
  /// - Returns: The names of what it changed, where they are asked for.
  mutating func advance(
    _ record: JournalRecord,
    _ schema: SchemaDocument,
    naming: Bool,
  ) throws(HistoryError) -> [String] {
    guard let delta = record.delta else { return [] }
    do throws(CodecError) {
      return try apply(delta, schema, naming: naming)
    } catch {
      throw HistoryError(.corrupt, "Revision \(record.revision) cannot be read: \(error)")
    }
  }
}
