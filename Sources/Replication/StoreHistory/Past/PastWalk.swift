package import StoreProtocol
import StoreState

/// Applies records to a state, and checks that they can be read and applied.
///
/// It has no types. After a change of builds, records are read without being applied until the next
/// known state.
package struct PastWalk {
  /// The state; nil if it is unknown.
  private var past: GenericPast?
  /// The revision that was reached.
  package private(set) var revision: UInt64

  /// Begins after a revision whose state is unknown.
  package init(after revision: UInt64) { self.revision = revision }

  /// Begins with a snapshot.
  ///
  /// - Throws: ``HistoryError``, if it cannot be read, or is of another revision.
  package init(_ snapshot: HistoryPart, of revision: UInt64) throws(HistoryError) {
    self.init(after: revision)
    past = try state(snapshot)
  }

  private func state(_ snapshot: HistoryPart) throws(HistoryError) -> GenericPast {
    var past = GenericPast()
    let found = try past.take(snapshot)
    guard found == revision else {
      throw HistoryError(
        .corrupt,
        "A snapshot names revision \(found) in place of revision \(revision).",
      )
    }
    return past
  }

  /// Takes the records of an entry after the current revision.
  ///
  /// - Parameters:
  ///   - part: The records.
  ///   - last: The last revision according to the entry.
  ///   - limit: The last revision to read; later records are ignored.
  ///   - kept: Returns the snapshot of a revision, if any.
  /// - Throws: ``HistoryError``: the record after the current revision is missing or invalid.
  package mutating func take(
    _ part: HistoryPart,
    through last: UInt64,
    upTo limit: UInt64 = .max,
    snapshot kept: (UInt64) throws(HistoryError) -> HistoryPart? = { _ in nil },
  ) throws(HistoryError) {
    guard revision < min(last, limit) else { return }
    _ = try part.withRecords { (record, _) throws(HistoryError) in
      guard record.revision > revision else { return true }
      guard record.revision == revision + 1, record.revision <= last else {
        throw HistoryError(
          .corrupt,
          "A record of revision \(record.revision) follows revision \(revision), in an entry "
            + "that ends with \(last).",
        )
      }
      if let snapshot = try kept(revision) { past = try state(snapshot) }
      try apply(record, part.schema)
      revision = record.revision
      return revision < limit
    }
    guard revision >= min(last, limit) else {
      throw HistoryError(
        .corrupt,
        "The records end with revision \(revision), in an entry that ends with \(last).",
      )
    }
  }

  private mutating func apply(
    _ record: JournalRecord,
    _ schema: SchemaDocument,
  ) throws(HistoryError) {
    if past?.reads(schema) == false { past = nil }
    guard let delta = record.delta else { return }
    do throws(CodecError) {
      _ = try past?.apply(delta, schema, naming: false)
    } catch {
      throw HistoryError(.corrupt, "Revision \(record.revision) cannot be read: \(error)")
    }
  }
}
