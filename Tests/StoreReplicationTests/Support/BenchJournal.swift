import StoreState

@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

/// A disk that is as slow as a test wants.
@MainActor
final class BenchJournal: Journal {
  /// What was appended, of which the last may still be under way.
  private(set) var batches: [JournalBatch] = []
  private(set) var snapshots: [JournalSnapshot] = []

  /// Whether it has done something that the daemon was not told of.
  var hasResult = false

  func append(_ batch: JournalBatch) { batches.append(batch) }

  func store(_ snapshot: JournalSnapshot) { snapshots.append(snapshot) }

  /// The epochs that were to be noted.
  private(set) var epochs: [UInt64] = []

  func renew(epoch: UInt64) { epochs.append(epoch) }

  /// All records of what was appended.
  var records: [JournalRecord] {
    get throws {
      var records: [JournalRecord] = []
      for batch in batches {
        var decoder = CBORDecoder(batch.records)
        while decoder.offset < batch.records.count {
          records.append(try JournalRecord(from: &decoder))
        }
      }
      return records
    }
  }

  /// What is found when the daemon starts again, of the first so many batches.
  func recover(
    _ count: Int,
    snapshot: Int? = nil,
    limits: Limits = Limits(),
  ) throws -> Recovered<Deck.State> {
    let form = DurableForm(Deck.State.self)
    let recovery = Recovery(form, initial: Deck.State(), limits: limits)
    try recovery.written(by: form.schema)
    if let snapshot { try recovery.take(snapshot: snapshots[snapshot].encoded()[...]) }
    for batch in batches.prefix(count) where batch.revisions.lowerBound > recovery.revision {
      try recovery.take(records: batch.records[...])
      recovery.take(sessionNumbers: batch.sessionNumbers)
    }
    return recovery.finish()
  }
}
