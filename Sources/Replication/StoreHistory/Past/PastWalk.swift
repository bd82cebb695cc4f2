package import StoreProtocol
import StoreState

/// Goes from a state through records, as far as they can be read and change what is there.
///
/// It knows no types. Where another build goes on records are read and not applied, until the next
/// state is known.
package struct PastWalk {
  /// The state; nil where it is not known.
  private var past: GenericPast?
  /// The revision that was reached.
  package private(set) var revision: UInt64

  /// Begins behind a revision whose state is not known.
  package init(after revision: UInt64) { self.revision = revision }

  /// Begins with a snapshot.
  ///
  /// - Throws: ``HistoryError``, where it cannot be read, or is of another revision.
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
        "A snapshot says that it is of revision \(found), in the place of that of \(revision).",
      )
    }
    return past
  }

  /// Takes the records of an entry that are behind the revision that was reached.
  ///
  /// - Parameters:
  ///   - part: The records.
  ///   - last: The last revision that the entry says it has.
  ///   - limit: Where it ends: no record of a later revision is looked at.
  ///   - kept: Hands over the snapshot of a revision; nil where there is none.
  /// - Throws: ``HistoryError``: the record behind the revision that was reached is missing, or is
  ///   not what it should be.
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
          "A record of revision \(record.revision) is behind revision \(revision), in an entry "
            + "that goes to \(last).",
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
        "The records end with revision \(revision), in an entry that goes to \(last).",
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
