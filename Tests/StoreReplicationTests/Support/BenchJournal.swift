import StoreState

@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

/// A disk whose speed a test decides.
@MainActor
final class BenchJournal: Journal {
  /// The appended batches, of which the last may still be in progress.
  private(set) var batches: [JournalBatch] = []
  private(set) var snapshots: [JournalSnapshot] = []

  /// Whether it has completed work without notifying the daemon.
  var hasResult = false

  func append(_ batch: JournalBatch) { batches.append(batch) }

  func store(_ snapshot: JournalSnapshot) { snapshots.append(snapshot) }

  /// The epochs that the daemon asked it to record.
  private(set) var epochs: [UInt64] = []

  func renew(epoch: UInt64) { epochs.append(epoch) }

  /// All records of the appended batches.
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

  /// The recovered state after a restart, from the first `count` batches.
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

extension JournalRecord {
  /// Writes it, and reads all of the bytes.
  func readBack() throws -> JournalRecord {
    var encoder = CBOREncoder.durable
    encode(to: &encoder)
    var decoder = CBORDecoder(encoder.bytes[...])
    let record = try JournalRecord(from: &decoder)
    try decoder.finish()
    return record
  }
}
